"""Config providers as a worker's environment names them."""

from pathlib import Path

import pytest

from workers.config import CannotStart
from workers.provider_settings import config_transformer

JAVA = "org.apache.kafka.common.config.provider."


def test_none_by_default() -> None:
    assert config_transformer().resolved({"a": "${env:HOME}"}).config == {"a": "${env:HOME}"}


def test_several(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("k=from a file")
    for name, value in {
        "": "file, my-env",
        "_FILE_CLASS": f"{JAVA}FileConfigProvider",
        "_FILE_PARAM_ALLOWED_PATHS": str(tmp_path),
        "_MY_ENV_CLASS": f"{JAVA}EnvVarConfigProvider",
        "_MY_ENV_PARAM_ALLOWLIST_PATTERN": "^DROVER_TEST",
    }.items():
        monkeypatch.setenv(f"CONNECT_CONFIG_PROVIDERS{name}", value)
    monkeypatch.setenv("DROVER_TEST", "from the environment")
    raw = {"a": f"${{file:{tmp_path}/f:k}}", "b": "${my-env:DROVER_TEST}", "c": "${other:HOME}"}
    assert config_transformer().resolved(raw).config == {
        "a": "from a file",
        "b": "from the environment",
        "c": "${other:HOME}",
    }


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, r"^CONNECT_CONFIG_PROVIDERS_FILE_CLASS must be one of .*, not ''$"),
        (
            {"CLASS": f"{JAVA}FileConfigProvider"},
            r"^CONNECT_CONFIG_PROVIDERS_FILE_PARAM_ALLOWED_PATHS must name the folders that may be read; / for all of them$",
        ),
        (
            {"CLASS": f"{JAVA}FileConfigProvider", "PARAM_ALLOWED_PATH": "/"},
            r"^CONNECT_CONFIG_PROVIDERS_FILE_PARAM_ALLOWED_PATH is not known to ",
        ),
    ],
)
def test_what_cannot_be_meant_stops_the_start(monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], message: str) -> None:
    monkeypatch.setenv("CONNECT_CONFIG_PROVIDERS", "file")
    for name, value in settings.items():
        monkeypatch.setenv(f"CONNECT_CONFIG_PROVIDERS_FILE_{name}", value)
    with pytest.raises(CannotStart, match=message):
        config_transformer()
