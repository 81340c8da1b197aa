"""Variables in configs, as a caller meets them: what they stand for is never seen (facts §15.5, CVE-2019-12399)."""

from collections.abc import Iterator

import pytest

from tests.api.conftest import Api, api_of
from tests.api.expect import expect_error
from workers.connectors.base import ConnectError, SourceConnector, SourceTask
from workers.connectors.config_providers import ConfigTransformer, EnvVarConfigProvider, ProviderFailed
from workers.connectors.configdef import ConfigDef, Key, Type
from workers.connectors.plugins import InstalledPlugins
from workers.herder.values import TaskId

PASSWORD = "s3cret/pässword"
ENVIRONMENT = {"PASSWORD": PASSWORD, "MANY": "3", "PORT": "5432x", "CLASS": f"{__name__}.Database", "JNDI": "JndiLoginModule"}


class Database(SourceConnector):
    """Fails where `fail` says, with its password in what it says; tells its tasks the password in a URL."""

    version = "1"
    task_class = SourceTask
    config_def = ConfigDef((Key("password", Type.STRING), Key("port", Type.INT, default=1)))

    def start(self) -> None:
        self.fail_in("start")

    def fail_in(self, place: str) -> None:
        if self.config.get("fail") == place:
            try:
                raise ValueError(f"login at db://admin:{self.config['password']}@host refused")
            except ValueError as error:
                raise ConnectError(f"no login with {self.config['password']!r}") from error

    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        self.fail_in("task_configs")
        return [{**self.config, "url": f"db://admin:{self.config['password']}@host", "n": str(n)} for n in range(max_tasks)]


class Sealed:
    """A provider that cannot be reached."""

    def get(self, path: str, keys: object) -> dict[str, str]:
        raise ProviderFailed("The vault is sealed")


def config(**more: str) -> dict[str, str]:
    return {"connector.class": "Database", "password": "${env:PASSWORD}", **more}


@pytest.fixture
def api() -> Iterator[Api]:
    env = EnvVarConfigProvider({"allowlist.pattern": ".*"}, ENVIRONMENT)
    plugins = InstalledPlugins([Database], transformer=ConfigTransformer({"env": env, "vault": Sealed()}))
    with api_of(plugins) as api:
        yield api


def assert_nowhere(api: Api, *paths: str) -> None:
    """Neither in an answer nor in a topic."""
    seen = [api.get(path).content for path in ("/connectors?expand=info&expand=status", *paths)]
    stored = [
        (record.key, record.value or b"")
        for topic in (api.herding.config_topic, api.herding.status_topic)
        for record in topic.records
    ]
    for text in [*seen, *(value for _, value in stored)]:
        for secret in ("s3cret", "ssword@"):
            assert secret.encode() not in text


def test_tasks_are_stored_and_shown_with_variables_also_within_a_value(api: Api) -> None:
    api.request(
        "PUT", "/connectors/a/config", config(**{"tasks.max": "${env:MANY}", "query": "x?p=${env:PASSWORD}&${none:NOPE}"})
    )
    api.herding.settle()
    shown = api.json("/connectors/a/tasks")
    assert [task["config"]["n"] for task in shown] == ["0", "1", "2"], "the number of tasks is a variable too"
    for task in shown:
        assert task["config"]["password"] == "${env:PASSWORD}"
        assert task["config"]["query"] == "x?p=${env:PASSWORD}&${none:NOPE}"
        assert task["config"]["url"] == "db://admin:${env:PASSWORD}@host"
    assert api.json("/connectors/a/config")["password"] == "${env:PASSWORD}"
    assert api.herding.runner.specs[TaskId("a", 0)].config["password"] == "${env:PASSWORD}"
    assert_nowhere(api, "/connectors/a", "/connectors/a/config", "/connectors/a/tasks", "/connectors/a/status")


@pytest.mark.parametrize("place", ["start", "task_configs"])
def test_a_trace_names_the_variable_and_never_its_value(api: Api, place: str) -> None:
    api.request("PUT", "/connectors/a/config", config(fail=place))
    api.herding.settle()
    status = api.json("/connectors/a/status")["connector"]
    assert status["state"] == "FAILED"
    assert "ConnectError: no login with '${env:PASSWORD}'\n" in status["trace"]
    assert "Caused by: ValueError: login at db://admin:${env:PASSWORD}@host refused\n" in status["trace"]
    assert_nowhere(api, "/connectors/a/status")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"tasks.max": "${env:PORT}"}, "Invalid value ${env:PORT} for configuration tasks.max: Not a number of type INT"),
        ({"tasks.max": "${none:NOPE}"}, "Invalid value ${none:NOPE} for configuration tasks.max: Not a number of type INT"),
        (
            {"tasks.max": "${env:NOPE}"},
            "The variable ${env:NOPE} of 'tasks.max' could not be resolved. "
            "Provider 'env' has no such value, or may not read it.",
        ),
        ({"port": "x${env:MANY}"}, "Invalid value x${env:MANY} for configuration port: Not a number of type INT"),
        ({"password": "${vault:db:pw}"}, "The variable ${vault:db:pw} of 'password' could not be resolved. The vault is sealed"),
        (
            {"password": "${env:/p:X}"},
            "The variable ${env:/p:X} of 'password' could not be resolved. "
            "Path is not supported for EnvVarConfigProvider, invalid value '/p'",
        ),
        # What is refused is looked for in what a variable stands for.
        (
            {"x.sasl.jaas.config": "${env:JNDI} required;"},
            "'x.sasl.jaas.config' is not allowed in a connector configuration: "
            "the login module ${env:JNDI} is not among the allowed ones.",
        ),
    ],
)
def test_what_is_refused_is_called_by_what_the_caller_wrote(api: Api, more: dict[str, str], message: str) -> None:
    response = api.request("PUT", "/connectors/a/config", config(**more))
    assert response.status_code == 400
    assert message in response.content.decode()
    assert api.herding.config_keys() == []


def test_no_class(api: Api) -> None:
    message = "Connector config {password=${env:PASSWORD}, name=a} contains no connector type"
    expect_error(api.request("PUT", "/connectors/a/config", {"password": "${env:PASSWORD}"}), 400, message)


def test_a_provider_that_fails_at_a_start_fails_the_connector_and_leaves_its_config(api: Api) -> None:
    """It was there when the connector was created."""
    stored = {"name": "a", **config(password="${vault:db:pw}")}
    api.herding.configs.put_connector("a", stored)
    api.herding.settle()
    status = api.json("/connectors/a/status")["connector"]
    assert status["state"] == "FAILED"
    assert "The variable ${vault:db:pw} of 'password' could not be resolved. The vault is sealed" in status["trace"]
    assert api.json("/connectors/a/config") == stored
