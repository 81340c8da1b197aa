"""Where the values of variables come from, and where they must not come from."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from workers.connectors.config_providers import (
    ConfigTransformer,
    DirectoryConfigProvider,
    EnvVarConfigProvider,
    FileConfigProvider,
    ProviderFailed,
    ProviderRefused,
    Unresolved,
    provider,
)

JAVA = "org.apache.kafka.common.config.provider."


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    folder = tmp_path / "secrets"
    folder.mkdir()
    (folder / "db.properties").write_text("password=s3cret-pw\nuser=alice\n")
    (folder / "token").write_text("t0ken\n")
    (folder / "below").mkdir()
    (folder / "link").symlink_to(folder / "token")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "db.properties").write_text("password=not-for-you\n")
    (folder / "way-out").symlink_to(tmp_path / "outside")
    (folder / "file-out").symlink_to(tmp_path / "outside" / "db.properties")
    return folder


def allowing(folder: Path) -> dict[str, str]:
    return {"allowed.paths": str(folder)}


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "keys", "expected"),
    [
        ("{}/db.properties", ["password", "user", "nope"], {"password": "s3cret-pw", "user": "alice"}),
        ("{}/../secrets/db.properties", ["user"], {"user": "alice"}),
        ("", ["user"], {}),
        ("{}/../outside/db.properties", ["password"], {}),
        ("{}/way-out/db.properties", ["password"], {}),
        ("{}/file-out", ["password"], {}),
        ("/etc/passwd", ["root"], {}),
        ("{}/\0", ["user"], {}),
    ],
)
def test_a_file(secrets: Path, path: str, keys: list[str], expected: dict[str, str]) -> None:
    assert FileConfigProvider(allowing(secrets)).get(path.format(secrets), keys) == expected


@pytest.mark.parametrize(("path", "reason"), [("no.properties", "there is no such file"), ("below", "it is not a regular file")])
def test_a_file_that_cannot_be_read(secrets: Path, path: str, reason: str) -> None:
    with pytest.raises(ProviderFailed, match=reason):
        FileConfigProvider(allowing(secrets)).get(f"{secrets}/{path}", ["a"])


def test_a_broken_file(secrets: Path) -> None:
    (secrets / "broken").write_text("password=s3cret-pw\\u12\n")
    with pytest.raises(ProviderFailed, match="Malformed") as raised:
        FileConfigProvider(allowing(secrets)).get(f"{secrets}/broken", ["password"])
    assert "s3cret" not in str(raised.value)


def test_a_single_file_may_be_allowed(secrets: Path) -> None:
    only = FileConfigProvider({"allowed.paths": f" {secrets}/db.properties , {secrets}/below"})
    assert only.get(f"{secrets}/db.properties", ["user"]) == {"user": "alice"}
    assert only.get(f"{secrets}/token", ["t0ken"]) == {}


# --- folders ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "key", "expected"),
    [
        ("{}", "token", "t0ken\n"),
        ("{}", "link", "t0ken\n"),
        ("{}", "nope", None),
        ("{}", "below", None),
        ("{}", "file-out", None),
        ("{}", "../outside/db.properties", None),
        ("{}", "..", None),
        ("{}", "", None),
        ("{}/way-out", "db.properties", None),
        ("{}/nope", "token", None),
        ("{}/token", "token", None),
        ("", "token", None),
    ],
)
def test_a_folder(secrets: Path, path: str, key: str, expected: str | None) -> None:
    found = DirectoryConfigProvider(allowing(secrets)).get(path.format(secrets), [key])
    assert found == ({} if expected is None else {key: expected})


# --- environment ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [(".*", {"DB_USER": "alice", "KEY": "k"}), ("^DB_", {"DB_USER": "alice"}), ("USER", {"DB_USER": "alice"})],
)
def test_the_environment(pattern: str, expected: dict[str, str]) -> None:
    found = EnvVarConfigProvider({"allowlist.pattern": pattern}, {"DB_USER": "alice", "KEY": "k"})
    assert found.get("", ["DB_USER", "KEY", "NOPE"]) == expected


def test_the_environment_has_no_paths() -> None:
    with pytest.raises(ProviderFailed, match=r"^Path is not supported for EnvVarConfigProvider, invalid value 'x'$"):
        EnvVarConfigProvider({"allowlist.pattern": ".*"}).get("x", ["HOME"])


# --- making one -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "params", "kind"),
    [
        ("FileConfigProvider", {"allowed.paths": "/"}, FileConfigProvider),
        ("DirectoryConfigProvider", {"allowed.paths": "/"}, DirectoryConfigProvider),
        ("EnvVarConfigProvider", {"allowlist.pattern": "^DB_"}, EnvVarConfigProvider),
    ],
)
def test_by_class_name(name: str, params: dict[str, str], kind: type) -> None:
    assert isinstance(provider(JAVA + name, params), kind)


@pytest.mark.parametrize(
    ("name", "params", "setting", "reason"),
    [
        ("Nope", {}, "class", f"must be one of {JAVA}FileConfigProvider, "),
        (f"{JAVA}FileConfigProvider", {}, "param.allowed.paths", "must name the folders that may be read; / for all of them"),
        (f"{JAVA}FileConfigProvider", {"allowed.paths": " , "}, "param.allowed.paths", "must name the folders"),
        (
            f"{JAVA}FileConfigProvider",
            {"allowed.paths": "/tmp,x/y"},
            "param.allowed.paths",
            "must name absolute paths, and x/y is",
        ),
        (
            f"{JAVA}DirectoryConfigProvider",
            {"allowed.paths": "/no/such"},
            "param.allowed.paths",
            "names /no/such, which cannot be",
        ),
        # Misspelt: it would protect nothing.
        (f"{JAVA}FileConfigProvider", {"allowed.path": "/"}, "param.allowed.path", f"is not known to {JAVA}FileConfigProvider"),
        (f"{JAVA}EnvVarConfigProvider", {}, "param.allowlist.pattern", "must say which variables may be read; .* for all"),
        (f"{JAVA}EnvVarConfigProvider", {"allowlist.pattern": "["}, "param.allowlist.pattern", "is not a regular expression: "),
    ],
)
def test_refusals(name: str, params: dict[str, str], setting: str, reason: str) -> None:
    with pytest.raises(ProviderRefused) as raised:
        provider(name, params)
    assert raised.value.setting == setting
    assert str(raised.value).startswith(reason)


# --- all together -----------------------------------------------------------------------------------------------------


class Vault:
    """Down, while `down` says why."""

    def __init__(self) -> None:
        self.down: str | None = None
        self.values = {"pw": "s3cret-pw"}

    def get(self, path: str, keys: Iterable[str]) -> Mapping[str, str]:
        if self.down is not None:
            raise ProviderFailed(self.down)
        return {key: self.values[key] for key in keys if key in self.values}


def test_a_config_and_what_its_variables_stood_for() -> None:
    env = EnvVarConfigProvider({"allowlist.pattern": ".*"}, {"USER": "alice"})
    transformer = ConfigTransformer({"vault": Vault(), "env": env})
    raw = {"url": "pg://${env:USER}:${vault:db:pw}@h", "x": "${nope:x}${pw}", "n": "1"}
    resolved = transformer.resolved(raw)
    assert resolved.config == {"url": "pg://alice:s3cret-pw@h", "x": "${nope:x}${pw}", "n": "1"}
    assert {variable.text: value for variable, value in resolved.values.items()} == {
        "${env:USER}": "alice",
        "${vault:db:pw}": "s3cret-pw",
    }


@pytest.mark.parametrize("variable", ["${vault:db:nope}", "${env:NOPE}", "${env:SECRET}", "${dir:/no/such/folder:token}"])
def test_a_value_that_is_not_there_or_may_not_be_read_is_named(secrets: Path, variable: str) -> None:
    """The text itself would be taken for the value: for a password, or the name of a file."""
    env = EnvVarConfigProvider({"allowlist.pattern": "^USER"}, {"USER": "alice", "SECRET": "s3cret-pw"})
    transformer = ConfigTransformer({"vault": Vault(), "env": env, "dir": DirectoryConfigProvider(allowing(secrets))})
    provider_name = variable[2:].partition(":")[0]
    with pytest.raises(Unresolved) as raised:
        transformer.resolved({"a": "${env:USER}", "password": f"x{variable}"})
    assert str(raised.value) == (
        f"The variable {variable} of 'password' could not be resolved. "
        f"Provider '{provider_name}' has no such value, or may not read it."
    )


def test_a_failure_names_the_variable() -> None:
    vault = Vault()
    vault.down = "The vault is sealed"
    with pytest.raises(Unresolved) as raised:
        ConfigTransformer({"vault": vault}).resolved({"a": "b", "password": "x${vault:db:pw}"})
    assert str(raised.value) == "The variable ${vault:db:pw} of 'password' could not be resolved. The vault is sealed"


def test_a_real_environment_is_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DROVER_TEST_VALUE", "here")
    assert "DROVER_TEST_VALUE" in os.environ
    found = provider(f"{JAVA}EnvVarConfigProvider", {"allowlist.pattern": "^DROVER_TEST_"})
    assert found.get("", ["DROVER_TEST_VALUE"]) == {"DROVER_TEST_VALUE": "here"}
