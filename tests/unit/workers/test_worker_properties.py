"""Kafka Connect's files of worker settings."""

import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from config.declared.without_effect import WITHOUT_EFFECT
from workers import properties_option, worker_properties
from workers.config import worker_config
from workers.converters import catalogue
from workers.worker_properties import VARIABLES, PropertiesRefused, WorkerProperties

JAVA = "org.apache.kafka.common.config.provider."


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "worker.properties"


def read(file: Path, text: str) -> WorkerProperties:
    file.write_text(text)
    return worker_properties.read(file)


@pytest.mark.parametrize(
    ("text", "variables"),
    [
        ("", {}),
        ("# all.of=it\n", {}),
        *((f"{key}=x", {variable: "x"}) for key, variable in VARIABLES.items() if not key.endswith("listeners")),
        ("bootstrap.servers = a:1,b:2 \t\ngroup.id:mine", {"KAFKA_BOOTSTRAP_SERVERS": "a:1,b:2", "CONNECT_GROUP_ID": "mine"}),
        ("group.id=one\ngroup.id=two", {"CONNECT_GROUP_ID": "two"}),
        (
            "listeners=http://localhost:9083",
            {"CONNECT_LISTENERS": "http://localhost:9083", "DROVER_HOST": "localhost", "DROVER_PORT": "9083"},
        ),
        (
            "listeners= HTTPS://[::1]:9083 , http://:1",
            {"CONNECT_LISTENERS": "HTTPS://[::1]:9083 , http://:1", "DROVER_HOST": "::1", "DROVER_PORT": "9083"},
        ),
        ("listeners=http://localhost", {"CONNECT_LISTENERS": "http://localhost", "DROVER_HOST": "localhost"}),
        ("admin.listeners=", {"CONNECT_ADMIN_LISTENERS": ""}),
        ("admin.listeners=http://:1", {"CONNECT_ADMIN_LISTENERS": "http://:1"}),
        ("listeners.https.ssl.client.auth=required", {"CONNECT_LISTENERS_HTTPS_SSL_CLIENT_AUTH": "required"}),
        ("admin.listeners.https.ssl.keystore.type=PEM", {"CONNECT_ADMIN_LISTENERS_HTTPS_SSL_KEYSTORE_TYPE": "PEM"}),
        (
            f"config.providers=my-env\nconfig.providers.my-env.class={JAVA}EnvVarConfigProvider\n"
            "config.providers.my-env.param.allowlist.pattern=^DB_.*",
            {
                "CONNECT_CONFIG_PROVIDERS": "my-env",
                "CONNECT_CONFIG_PROVIDERS_MY_ENV_CLASS": f"{JAVA}EnvVarConfigProvider",
                "CONNECT_CONFIG_PROVIDERS_MY_ENV_PARAM_ALLOWLIST_PATTERN": "^DB_.*",
            },
        ),
    ],
)
def test_settings(file: Path, text: str, variables: dict[str, str]) -> None:
    found = read(file, text)
    assert (found.variables, found.warnings) == (variables, [])


@pytest.mark.parametrize(
    ("text", "warnings"),
    [
        *((f"\n{key}=x", [f"FILE, line 2: {key} has no effect: {why}."]) for key, why in WITHOUT_EFFECT.items()),
        (
            "my.own=PLAIN\ngroup.id=a\nsession.timeout.sm=1\n",
            [
                "FILE: not known here, and without effect: my.own (line 1), session.timeout.sm (line 3; "
                "did you mean session.timeout.ms?)."
            ],
        ),
        ("listener=http://a", ["FILE: not known here, and without effect: listener (line 1; did you mean listeners?)."]),
        (
            "producer.acks=1",
            [
                "FILE, line 1: producer.acks has no effect: each connector gives its own: `producer.override.*`, "
                "`consumer.override.*`."
            ],
        ),
        ("listeners=HTTP://:9083", ["FILE, line 1: listeners names no host: it stays as it is (DROVER_HOST)."]),
    ],
)
def test_what_has_no_effect_is_told(file: Path, text: str, warnings: list[str]) -> None:
    assert read(file, text).warnings == [warning.replace("FILE", str(file)) for warning in warnings]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a=1\nb=\\u12", "line 2: Malformed \\uxxxx encoding."),
        ("\nlisteners=", "line 2: listeners must name an address to listen on"),
        ("listeners=ftp://a:1", "line 1: listeners must be like http://localhost:8083, not 'ftp://a:1'"),
        ("admin.listeners=http://a:1/b", "line 1: admin.listeners must be like http://localhost:8083, not 'http://a:1/b'"),
        ("listeners=8083", "line 1: listeners must be like http://localhost:8083, not '8083'"),
        (
            "listeners=http://a:x",
            "line 1: listeners must be like http://localhost:8083, not 'http://a:x': "
            "Port could not be cast to integer value as 'x'",
        ),
    ],
)
def test_what_cannot_be_meant(file: Path, text: str, message: str) -> None:
    with pytest.raises(PropertiesRefused) as raised:
        read(file, text)
    assert str(raised.value) == f"{file}, {message}"


@pytest.mark.parametrize("content", ["group.id=é".encode(), "group.id=é".encode("latin-1"), b"\xef\xbb\xbfgroup.id=\\u00e9"])
def test_in_whatever_alphabet(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    assert worker_properties.read(file).variables == {"CONNECT_GROUP_ID": "é"}


# --- what commands do with it ---------------------------------------------------------------------------------------------


@pytest.fixture
def executed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, str]]]:
    """The environments that the process would have been replaced with; each is this one's from then on."""
    environments: list[dict[str, str]] = []

    def execve(_: str, __: list[str], environment: dict[str, str]) -> None:
        environments.append(environment)
        for name in set(os.environ) - set(environment):
            monkeypatch.delenv(name)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)

    monkeypatch.setattr(os, "execve", execve)
    monkeypatch.setattr(sys, "argv", ["manage.py", "worker"])
    worker_config.cache_clear()
    yield environments
    worker_config.cache_clear()


def test_the_file_wins_over_the_environment_and_what_is_given_beside_it_over_both(
    executed: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch, file: Path
) -> None:
    monkeypatch.setenv("CONNECT_GROUP_ID", "environment")
    monkeypatch.setenv("CONNECT_STATUS_STORAGE_TOPIC_FILE", "/run/secrets/topic")
    file.write_text("group.id=file\nstatus.storage.topic=file\nlisteners=http://a:9083\n")
    for _ in range(2):
        properties_option.use(str(file), {"DROVER_HOST": "flag"})
    # The second time it is so already.
    (environment,) = executed
    names = ("CONNECT_GROUP_ID", "CONNECT_STATUS_STORAGE_TOPIC", "DROVER_HOST", "DROVER_PORT")
    assert [environment[name] for name in names] == ["file", "file", "flag", "9083"]
    assert "CONNECT_STATUS_STORAGE_TOPIC_FILE" not in environment


def test_nothing_given_changes_nothing(executed: list[dict[str, str]]) -> None:
    properties_option.use(None)
    assert executed == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\nsession.timeout.ms=soon", "line 2: session.timeout.ms must be a whole number, not 'soon'"),
        (
            "value.converter=io.confluent.connect.avro.AvroConverter",
            f"line 1: value.converter must be one of {', '.join(catalogue.converters('value'))}, "
            "not 'io.confluent.connect.avro.AvroConverter'",
        ),
        (
            "key.converter=org.apache.kafka.connect.json.JsonConverter\nkey.converter.schemas.enable=x",
            "line 2: key.converter.schemas.enable is wrong: Invalid value x for configuration schemas.enable: "
            "Expected value to be either true or false",
        ),
        ("topic.tracking.enable=maybe", "line 1: topic.tracking.enable must be true or false, not 'maybe'"),
        (
            "exactly.once.source.support=enabled",
            "line 1: exactly.once.source.support must be disabled or preparing, not 'enabled': "
            "sources are delivered at least once",
        ),
        (
            "security.protocol=SASL_SSL",
            "line 1: security.protocol must be PLAINTEXT, not 'SASL_SSL': "
            "connections to Kafka are neither encrypted nor signed in so far",
        ),
        (
            "rest.extension.classes=org.example.Guard",
            "line 1: rest.extension.classes must be empty, not 'org.example.Guard': "
            "they are Java classes, and what one of them was to guard would be open",
        ),
        (
            f"config.providers=f\nconfig.providers.f.class={JAVA}FileConfigProvider\n"
            "config.providers.f.param.allowed.paths=/nowhere/at/all",
            "line 3: config.providers.f.param.allowed.paths names /nowhere/at/all, which cannot be used: "
            "No such file or directory",
        ),
    ],
)
def test_a_value_that_cannot_be_meant_is_told_by_its_line(
    executed: list[dict[str, str]], file: Path, text: str, message: str
) -> None:
    file.write_text(text)
    with pytest.raises(CommandError) as raised:
        properties_option.use(str(file))
    assert str(raised.value) == f"{file}, {message}"


def test_a_value_of_the_environment_is_told_by_its_variable(
    executed: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch, file: Path
) -> None:
    monkeypatch.setenv("CONNECT_SESSION_TIMEOUT_MS", "soon")
    file.write_text("group.id=a")
    with pytest.raises(CommandError, match=r"^CONNECT_SESSION_TIMEOUT_MS must be a whole number, not 'soon'$"):
        properties_option.use(str(file))


def test_warnings_are_logged(executed: list[dict[str, str]], file: Path, caplog: pytest.LogCaptureFixture) -> None:
    file.write_text("plugin.path=/usr/share/java")
    with caplog.at_level(logging.WARNING):
        properties_option.use(str(file))
    assert [record.getMessage() for record in caplog.records] == [
        f"{file}, line 1: plugin.path has no effect: {WITHOUT_EFFECT['plugin.path']}."
    ]


def test_variables_that_nobody_knows_are_told(
    executed: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("CONNECT_GROUP_IDD", "a")
    with caplog.at_level(logging.WARNING):
        properties_option.use(None)
    assert [record.getMessage() for record in caplog.records] == [
        "CONNECT_GROUP_IDD is not known here, and without effect; did you mean CONNECT_GROUP_ID?"
    ]


def test_what_up_has_told_its_processes_do_not_repeat(
    executed: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("CONNECT_GROUP_IDD", "a")
    monkeypatch.setenv("DROVER_SUPERVISED", "/data")
    properties_option.use(None)
    assert caplog.records == []
