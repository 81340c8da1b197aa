"""The command's own decisions; what it starts is in tests/integration/test_up.py."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management.base import CommandError

from local.management.commands import up
from local.processes import NAMES

NO_FLAGS = {"port": None, "host": None, "data_dir": None, "log_level": None, "workers": None, "properties": None}


@pytest.fixture
def executed(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """The environments that the process would have been replaced with."""
    environments: list[dict[str, str]] = []

    def execve(_: str, __: list[str], environment: dict[str, str]) -> None:
        environments.append(environment)

    monkeypatch.setattr(os, "execve", execve)
    monkeypatch.setattr(sys, "argv", ["manage.py", "up"])
    return environments


@pytest.mark.parametrize(
    ("flags", "variable", "value"),
    [
        ({"port": 9100}, "DROVER_PORT", "9100"),
        ({"host": "0.0.0.0"}, "DROVER_HOST", "0.0.0.0"),
        ({"data_dir": "/srv/drover"}, "DROVER_DATA_DIR", "/srv/drover"),
        ({"log_level": "debug"}, "DROVER_LOG_LEVEL", "debug"),
        ({"workers": 3}, "DROVER_WORKERS", "3"),
    ],
)
def test_a_flag_wins_over_the_environment(
    executed: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch, flags: dict[str, Any], variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, "something else")
    up.start_again_with({**NO_FLAGS, **flags})
    assert [environment[variable] for environment in executed] == [value]
    # The second time round the environment says so already.
    monkeypatch.setenv(variable, value)
    up.start_again_with({**NO_FLAGS, **flags})
    assert len(executed) == 1


def test_a_relative_folder_is_meant_from_here(executed: list[dict[str, str]]) -> None:
    up.start_again_with({**NO_FLAGS, "data_dir": "elsewhere"})
    assert executed[0]["DROVER_DATA_DIR"] == f"{os.getcwd()}/elsewhere"


def test_a_flag_wins_over_the_file_of_settings(executed: list[dict[str, str]], tmp_path: Path) -> None:
    file = tmp_path / "connect-distributed.properties"
    file.write_text("listeners=http://127.0.0.1:9200\ngroup.id=mine\n")
    up.start_again_with({**NO_FLAGS, "properties": str(file), "port": 9100})
    assert [executed[0][name] for name in ("DROVER_PORT", "CONNECT_GROUP_ID")] == ["9100", "mine"]


def test_a_file_of_settings_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"/none cannot be read: No such file or directory\.$"):
        up.start_again_with({**NO_FLAGS, "properties": str(tmp_path / "none")})


def test_without_flags_the_environment_stands(executed: list[dict[str, str]]) -> None:
    up.start_again_with(NO_FLAGS)
    assert executed == []


def test_only() -> None:
    assert up.chosen(NAMES, None) == NAMES
    assert up.chosen(NAMES, "redis, broker") == ("broker", "redis")
    # Named by the user, so not ours to start.
    assert up.chosen(("redis", "worker", "web", "control"), "broker,redis") == ("redis",)
    with pytest.raises(CommandError, match=r"not zookeeper\.$"):
        up.chosen(NAMES, "zookeeper")
