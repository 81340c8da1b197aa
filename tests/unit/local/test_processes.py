import sys
from dataclasses import replace
from pathlib import Path

import pytest

from local import processes
from local.installation import Installation, is_loopback
from local.java import Java
from local.processes import HttpAnswers, KafkaAnswers, RedisAnswers, Runs


def test_the_order_of_start_and_what_each_waits_for(installation: Installation, java: Java) -> None:
    plan = processes.plan(installation, java, processes.NAMES)
    assert [(spec.name, spec.after) for spec in plan] == [
        ("broker", ()),
        ("redis", ()),
        ("worker", ("broker", "redis")),
        ("web", ("broker", "redis")),
        ("control", ("broker", "redis", "web")),
    ]


def test_what_makes_each_ready(installation: Installation, java: Java) -> None:
    plan = {spec.name: spec.probe for spec in processes.plan(installation, java, processes.NAMES)}
    assert plan == {
        "broker": KafkaAnswers("127.0.0.1:9001"),
        "redis": RedisAnswers("redis://127.0.0.1:9003/0"),
        "worker": HttpAnswers("http://127.0.0.1:9000/health"),
        "web": HttpAnswers("http://127.0.0.1:9000/", healthy=False),
        "control": Runs(),
    }


def test_nothing_waits_for_a_part_that_is_not_ours(installation: Installation, java: Java) -> None:
    plan = processes.plan(replace(installation, own_broker=False), java, ("redis", "web"))
    assert [(spec.name, spec.after) for spec in plan] == [("redis", ()), ("web", ("redis",))]


def test_a_worker_without_a_web_server_has_only_to_run(installation: Installation, java: Java) -> None:
    (worker,) = processes.plan(installation, java, ("worker",))
    assert worker.probe == Runs()


@pytest.mark.parametrize(
    ("own_broker", "own_redis", "names"),
    [
        (True, True, ("broker", "redis", "worker", "web", "control")),
        (False, True, ("redis", "worker", "web", "control")),
        (True, False, ("broker", "worker", "web", "control")),
        (False, False, ("worker", "web", "control")),
    ],
)
def test_a_named_part_is_not_run(installation: Installation, own_broker: bool, own_redis: bool, names: tuple[str, ...]) -> None:
    assert processes.own_parts(replace(installation, own_broker=own_broker, own_redis=own_redis)) == names


def test_the_web_server_is_a_command_of_its_own(installation: Installation, java: Java) -> None:
    spec = next(spec for spec in processes.plan(installation, java, processes.NAMES) if spec.name == "web")
    assert spec.command[-1] == "web"


def test_the_environment_is_made_definite(installation: Installation, java: Java) -> None:
    environment = processes.environment(installation, java, {"LANG": "C", "DROVER_PORT": "1"})
    assert environment["LANG"] == "C"
    assert environment["DROVER_PORT"] == "9000"
    assert environment["DROVER_DATA_DIR"] == str(installation.data)
    assert environment["KAFKA_BOOTSTRAP_SERVERS"] == "127.0.0.1:9001"
    assert environment["REDIS_URL"] == "redis://127.0.0.1:9003/0"
    assert environment["DROVER_SECRET_KEY_FILE"] == str(installation.data / "secret-key")
    assert environment["PYSPARK_PYTHON"] == sys.executable
    assert environment["SPARK_LOCAL_IP"] == "127.0.0.1"


def test_what_the_user_named_is_handed_on_as_it_is(installation: Installation, java: Java) -> None:
    named = {
        "KAFKA_BOOTSTRAP_SERVERS": "kafka:9092",
        # A secret stays in its file.
        "REDIS_URL_FILE": "/run/secrets/redis",
        "DROVER_SECRET_KEY": "mine",
        "JAVA_HOME": "/opt/java",
        "DATABASE_URL": "postgres://db/drover",
        "SPARK_MASTER": "spark://master:7077",
    }
    environment = processes.environment(replace(installation, own_broker=False, own_redis=False), java, named)
    assert {name: environment.get(name) for name in named} == named
    assert "REDIS_URL" not in environment
    assert "DROVER_SECRET_KEY_FILE" not in environment
    # A cluster's executors have to reach the driver.
    assert "SPARK_LOCAL_IP" not in environment


@pytest.mark.parametrize(
    ("host", "url", "loopback"),
    [
        ("127.0.0.1", "http://127.0.0.1:9000", True),
        ("127.0.0.2", "http://127.0.0.2:9000", True),
        ("localhost", "http://localhost:9000", True),
        ("::1", "http://[::1]:9000", True),
        ("0.0.0.0", "http://127.0.0.1:9000", False),
        ("::", "http://[::1]:9000", False),
        ("10.1.2.3", "http://10.1.2.3:9000", False),
        ("drover.example", "http://drover.example:9000", False),
    ],
)
def test_hosts(installation: Installation, host: str, url: str, loopback: bool) -> None:
    installation = replace(installation, host=host)
    assert (installation.url, is_loopback(installation.host)) == (url, loopback)


def test_ports_follow_from_one(installation: Installation) -> None:
    assert (installation.kafka_port, installation.controller_port, installation.redis_port) == (9001, 9002, 9003)


def test_the_project_runs_its_own_manage(installation: Installation) -> None:
    assert processes.manage(installation, "worker") == (sys.executable, str(Path("/opt/drover/manage.py")), "worker")
