"""Topics in use and who makes them, client overrides and config providers on a complete Drover: what reaches Spark's Kafka
clients, and what is never seen anywhere."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from confluent_kafka.admin import AdminClient

from connect_client import ConnectClient
from connect_client.errors import ConnectRefused
from tests.integration.conftest import sink, source, write_lines
from tests.running import RunningDrover, running
from tests.topics import records, values
from tests.waiting import eventually

SECRET = "s3cret-folder-name"
JAVA = "org.apache.kafka.common.config.provider"


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("secrets")
    (folder / "files.properties").write_text(f"folder={SECRET}\nlimit=1\n")
    return folder


@pytest.fixture(scope="module")
def drover(tmp_path_factory: pytest.TempPathFactory, kafka: str, redis_url: str, secrets: Path) -> Iterator[RunningDrover]:
    """One with a config provider, which makes no topics, in a group and on internal topics of its own."""
    settings = {
        "CONNECT_GROUP_ID": "secretive",
        **{f"CONNECT_{kind}_STORAGE_TOPIC": f"secretive-{kind.lower()}" for kind in ("CONFIG", "OFFSET", "STATUS")},
        "CONNECT_TOPIC_CREATION_ENABLE": "false",
        "CONNECT_CONFIG_PROVIDERS": "file",
        "CONNECT_CONFIG_PROVIDERS_FILE_CLASS": f"{JAVA}.FileConfigProvider",
        "CONNECT_CONFIG_PROVIDERS_FILE_PARAM_ALLOWED_PATHS": str(secrets),
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(name, value)
        with running(tmp_path_factory.mktemp("drover"), bootstrap_servers=kafka, redis_url=redis_url) as drover:
            yield drover


def topics(drover: RunningDrover, name: str) -> list[str]:
    found: list[str] = httpx.get(f"{drover.url}/connectors/{name}/topics").json()[name]["topics"]
    return found


def failed_trace(client: ConnectClient, name: str) -> str:
    tasks = eventually(lambda: [task for task in client.status(name).tasks if task.state == "FAILED"])
    return tasks[0].trace or ""


def test_topics_appear_with_the_first_record_and_go_with_the_connector(
    drover: RunningDrover, client: ConnectClient, unique: str, tmp_path: Path
) -> None:
    names, topic = (f"source-{unique}", f"sink-{unique}"), f"used-{unique}"
    client.create(names[0], source(names[0], tmp_path / "in.txt", topic))
    client.create(names[1], sink(names[1], tmp_path / "out.txt", topic))
    eventually(lambda: [task.state for name in names for task in client.status(name).tasks] == ["RUNNING"] * 2)
    assert [topics(drover, name) for name in names] == [[], []]
    write_lines(tmp_path / "in.txt", 5)
    eventually(lambda: [topics(drover, name) for name in names] == [[topic], [topic]])

    assert httpx.put(f"{drover.url}/connectors/{names[0]}/topics/reset").status_code == 202
    assert topics(drover, names[0]) == []
    write_lines(tmp_path / "in.txt", 5, first=5)
    eventually(lambda: topics(drover, names[0]) == [topic])

    client.delete(names[0])
    key = f"status-topic-{topic}:connector-{names[0]}".encode()
    eventually(lambda: dict(records(drover.bootstrap_servers, "secretive-status")).get(key, b"") is None)


def test_topics_that_the_worker_is_not_to_make_are_the_brokers(
    drover: RunningDrover, client: ConnectClient, unique: str, tmp_path: Path
) -> None:
    name, topic = f"source-{unique}", f"brokers-{unique}"
    (tmp_path / "in.txt").write_text("x\n")
    config = source(name, tmp_path / "in.txt", topic)
    client.create(name, {**config, "topic.creation.default.partitions": "7", "topic.creation.default.replication.factor": "1"})
    admin = AdminClient({"bootstrap.servers": drover.bootstrap_servers})
    eventually(lambda: topic in admin.list_topics(timeout=10).topics and values(drover.bootstrap_servers, topic) == [b"x"])
    assert len(admin.list_topics(topic, 10).topics[topic].partitions) != 7
    told = f"topic.creation.* of connector {name} has no effect: topic.creation.enable is false"
    assert told in drover.log("worker")


def test_overrides_reach_the_clients(client: ConnectClient, drover: RunningDrover, unique: str, tmp_path: Path) -> None:
    """Settings that make the clients refuse their work are proof. One of them comes out of a file."""
    write_lines(tmp_path / "in.txt", 5)
    limited = {**source(f"source-{unique}", tmp_path / "in.txt", f"t-{unique}"), "producer.override.max.request.size": "10"}
    client.create(f"source-{unique}", limited)
    assert "RecordTooLargeException" in failed_trace(client, f"source-{unique}")
    limited["producer.override.max.request.size"] = "1000000"
    # Excludes idempotence, which is the default.
    limited["producer.override.acks"] = "1"
    client.put_config(f"source-{unique}", limited)
    eventually(lambda: len(values(drover.bootstrap_servers, f"t-{unique}")) == 5)

    wrong = {**sink(f"sink-{unique}", tmp_path / "out.txt", f"t-{unique}"), "consumer.override.isolation.level": "nonsense"}
    client.create(f"sink-{unique}", wrong)
    assert "isolation.level" in failed_trace(client, f"sink-{unique}")
    client.put_config(f"sink-{unique}", {**wrong, "consumer.override.isolation.level": "read_committed"})
    eventually(lambda: (tmp_path / "out.txt").exists() and (tmp_path / "out.txt").read_bytes().count(b"\n") == 5)
    with pytest.raises(ConnectRefused, match=r"config\.providers"):
        client.put_config(f"sink-{unique}", {**wrong, "consumer.override.config.providers": "file"})


def test_a_secret_works_and_is_nowhere_to_be_seen(
    client: ConnectClient, drover: RunningDrover, secrets: Path, unique: str, tmp_path: Path
) -> None:
    name, topic = f"source-{unique}", f"t-{unique}"
    variable = f"${{file:{secrets}/files.properties:folder}}"
    folder = tmp_path / SECRET
    limit = f"${{file:{secrets}/files.properties:limit}}"
    config = {**source(name, tmp_path, topic), "file": f"{tmp_path}/{variable}/in.txt", "producer.override.linger.ms": limit}
    folder.mkdir()
    write_lines(folder / "in.txt", 20)
    client.create(name, config)
    eventually(lambda: len(values(drover.bootstrap_servers, topic)) == 20)
    # Its failure names the file: a trace, and a line in the log.
    (folder / "in.txt").write_bytes(b"short\n")
    trace = failed_trace(client, name)
    assert f"File {tmp_path}/{variable}/in.txt has 6 bytes" in trace

    assert client.config(name)["file"] == f"{tmp_path}/{variable}/in.txt"
    tasks = httpx.get(f"{drover.url}/connectors/{name}/tasks").text
    assert variable in tasks
    stored = [
        value or b"" for kind in ("config", "status") for _, value in records(drover.bootstrap_servers, f"secretive-{kind}")
    ]
    log = drover.log("worker")
    assert "it was truncated or replaced" in log
    for text in [tasks, trace, log, drover.log("web"), *(value.decode() for value in stored)]:
        assert SECRET not in text


def test_what_a_client_says_of_a_secret_is_not_seen_either(
    client: ConnectClient, drover: RunningDrover, secrets: Path, unique: str, tmp_path: Path
) -> None:
    """Its failure comes out of Spark's executor, which has a log of its own."""
    name, variable = f"source-{unique}", f"${{file:{secrets}/files.properties:folder}}"
    write_lines(tmp_path / "in.txt", 1)
    client.create(name, {**source(name, tmp_path / "in.txt", f"t-{unique}"), "producer.override.acks": variable})
    assert f"Invalid value {variable} for configuration acks" in failed_trace(client, name)
    eventually(lambda: f"Invalid value {variable} for configuration acks" in drover.log("worker"))
    assert SECRET not in drover.log("worker")


def test_a_provider_that_fails_at_a_restart_fails_the_task_and_a_later_one_mends_it(
    client: ConnectClient, secrets: Path, unique: str, tmp_path: Path
) -> None:
    name, file = f"source-{unique}", secrets / f"{unique}.properties"
    file.write_text(f"folder={tmp_path}\n")
    config = {**source(name, file, f"t-{unique}"), "file": f"${{file:{file}:folder}}/in.txt"}
    client.create(name, config)
    eventually(lambda: [task.state for task in client.status(name).tasks] == ["RUNNING"])
    file.rename(f"{file}.gone")
    client.restart(name, only_failed=False)
    trace = failed_trace(client, name)
    assert (
        f"The variable ${{file:{file}:folder}} of 'file' could not be resolved. Could not read {file}: there is no such" in trace
    )
    assert client.config(name) == config
    Path(f"{file}.gone").rename(file)
    client.restart(name, only_failed=True)
    eventually(lambda: {task.state for task in client.status(name).tasks} == {"RUNNING"})
