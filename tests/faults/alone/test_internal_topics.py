"""Internal topics that would lose what is in them, hold what nobody can read, or are deleted: F9."""

import json
import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from confluent_kafka.admin import NewTopic

from tests.faults.alone.conftest import REQUEST_TIMEOUT, Alone, Copying
from tests.running import clean_environment, manage
from tests.topics import messages, produce, records
from tests.waiting import eventually

CONFIGS, OFFSETS, STATUS, MEMBERSHIP = "connect-configs", "connect-offsets", "connect-status", "connect-cluster-membership"


def existing(alone: Alone) -> set[str]:
    return set(alone.admin.list_topics(timeout=10).topics)


def create(alone: Alone, topic: str, partitions: int = 1, policy: str = "compact") -> None:
    new = NewTopic(topic, partitions, 1, config={"cleanup.policy": policy})
    alone.admin.create_topics([new])[topic].result(10)


def ask(alone: Alone, copying: Copying, for_what: str) -> httpx.Response:
    return httpx.put(f"{alone.drover.url}/connectors/{copying.name}/{for_what}", timeout=60)


def await_refusal(alone: Alone, method: str, path: str, text: str) -> None:
    """Until the leader says why: it may learn of it later than the web process, or have lost the lead with the broker."""
    answers: list[httpx.Response] = []

    def refused_by_name() -> bool:
        answers.append(httpx.request(method, f"{alone.drover.url}/connectors/{path}", timeout=60))
        return text in answers[-1].json()["message"]

    eventually(refused_by_name)
    assert {answer.status_code for answer in answers} == {500}


# --- at the start -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "partitions", "policy", "reason"),
    [
        ("config", 1, "delete", "found the topic currently has 'cleanup.policy=delete'"),
        ("offset", 1, "delete", "found the topic currently has 'cleanup.policy=delete'"),
        ("status", 1, "compact,delete", "found the topic currently has 'cleanup.policy=compact,delete'"),
        ("config", 2, "compact", "is required to have a single partition"),
    ],
)
def test_a_worker_does_not_start_on_a_topic_that_would_lose_records(
    alone: Alone, tmp_path: Path, kind: str, partitions: int, policy: str, reason: str
) -> None:
    group = f"refused-{uuid.uuid4().hex[:6]}"
    topics = {each: f"{group}-{each}" for each in ("config", "offset", "status")}
    create(alone, topics[kind], partitions, policy)
    environment = clean_environment(
        KAFKA_BOOTSTRAP_SERVERS=alone.bootstrap,
        REDIS_URL=alone.drover.redis_url,
        DROVER_DATA_DIR=str(tmp_path),
        CONNECT_GROUP_ID=group,
        **{f"CONNECT_{each.upper()}_STORAGE_TOPIC": topic for each, topic in topics.items()},
    )
    ended = manage("worker", environment=environment, timeout=60)
    said = ended.stdout + ended.stderr
    assert ended.returncode == 1, said
    (sentence,) = (line for line in said.splitlines() if "This worker cannot start" in line)
    assert f"Topic '{topics[kind]}' supplied via the '{kind}.storage.topic' property" in sentence
    assert reason in sentence
    assert "Traceback" not in said


# --- what nobody can read ---------------------------------------------------------------------------------------------

GARBAGE = [(b"\xff\xfe\x00", b"\xff\xfe\x00"), (b"", b"{"), (b"[]", b"[]")]


def unreadable(copying: Copying) -> dict[str, list[tuple[bytes, bytes]]]:
    """Keys that nobody knows, and values of other shapes under the keys that count."""
    name = copying.name.encode()
    values = (b"\xff\x00", b"", b"[]", b"7", b'"x"', b'{"properties":7,"state":[],"tasks":"many"}')
    keys = {
        CONFIGS: [b"connector-%s", b"task-%s-0", b"commit-%s", b"target-state-%s", b"restart-connector-%s", b"task-%s-x"],
        STATUS: [b"status-connector-%s", b"status-task-%s-0", b"status-task-%s", b"status-topic-t:connector-%s"],
        OFFSETS: [b'["%s",{"filename":"' + str(copying.file).encode() + b'"}]', b'["%s",7]', b'["%s"'],
    }
    return {
        topic: GARBAGE + [(pattern % name, value) for pattern in patterns for value in values] for topic, patterns in keys.items()
    }


def test_records_that_cannot_be_read_change_nothing(alone: Alone, copying: Copying) -> None:
    copying.goes_on()
    config = alone.client.config(copying.name)
    for topic, garbage in unreadable(copying).items():
        produce(alone.bootstrap, topic, *garbage)

    def works() -> None:
        # A write is answered when it has been read back: by then all that lies before it has been read, too.
        alone.client.pause(copying.name)
        alone.await_states(copying.name, "PAUSED", "PAUSED")
        alone.client.resume(copying.name)
        alone.await_states(copying.name, "RUNNING", "RUNNING")
        copying.goes_on()
        assert alone.client.config(copying.name) == config

    works()
    alone.stop("worker")
    alone.start("worker")
    eventually(alone.healthy)
    works()
    arrived = alone.records(copying.topic)
    assert len(arrived) == len(set(arrived)) == 3, "nothing was read from the beginning again"
    for topic in ("config", "status", "offsets"):
        assert f"of the {topic} topic" in alone.drover.log("worker")


# --- deleted ----------------------------------------------------------------------------------------------------------


@contextmanager
def deleted(alone: Alone, *topics: str) -> Iterator[None]:
    """At the end they are restored from what was in them, as from a backup."""
    kept = {topic: [(message.key(), message.value()) for message in messages(alone.bootstrap, topic)] for topic in topics}
    partitions = {topic: len(alone.admin.list_topics(topic, timeout=10).topics[topic].partitions) for topic in topics}
    for future in alone.admin.delete_topics(list(topics)).values():
        future.result(10)
    eventually(lambda: not existing(alone) & set(topics))
    try:
        yield
        assert not existing(alone) & set(topics), "nobody made them anew"
    finally:
        for topic in topics:
            create(alone, topic, partitions[topic])
            produce(alone.bootstrap, topic, *kept[topic])
        restart_all(alone)


def restart_all(alone: Alone) -> None:
    for name in ("worker", "web"):
        alone.stop(name)
        alone.start(name)
    eventually(alone.healthy)


def test_without_its_config_topic_a_worker_writes_nothing_and_does_not_start_anew(alone: Alone, copying: Copying) -> None:
    before = alone.client.connectors()
    with deleted(alone, CONFIGS):
        asked = time.monotonic()
        first = ask(alone, copying, "pause")
        assert time.monotonic() - asked < REQUEST_TIMEOUT + 3
        assert (first.status_code, CONFIGS in first.json()["message"]) == (500, True), first.text
        asked = time.monotonic()
        again = httpx.delete(f"{alone.drover.url}/connectors/{copying.name}", timeout=60)
        assert time.monotonic() - asked < 2
        expected = f"Error removing connector configuration from Kafka. Topic {CONFIGS} was deleted while it was in use."
        assert (again.status_code, again.json()["message"].startswith(expected)) == (500, True), again.text
        health = alone.client.health()
        assert (health.status, f"Topic {CONFIGS} was deleted" in health.message) == ("unhealthy", True), health.message
        # What runs goes on, and can be seen.
        copying.goes_on()
        assert alone.states(copying.name) == ["RUNNING", "RUNNING"]
        assert alone.client.connectors().keys() == before.keys()
        alone.stop("worker")
        alone.start("worker")
        sentence = f"This worker cannot start: Topic '{CONFIGS}' supplied via the 'config.storage.topic' property does not exist"
        eventually(lambda: sentence in alone.drover.log("worker"))
    alone.await_states(copying.name, "RUNNING", "RUNNING")
    copying.goes_on()
    arrived = alone.records(copying.topic)
    assert len(arrived) == len(set(arrived)) == 2


def test_without_the_offsets_topic_a_source_fails_and_says_so(alone: Alone, copying: Copying) -> None:
    copying.goes_on()
    at_end = {"position": copying.file.stat().st_size}
    eventually(lambda: [found.offset for found in alone.client.offsets(copying.name)] == [at_end], what="Its commit")
    with deleted(alone, OFFSETS):
        eventually(lambda: f"Topic {OFFSETS} was deleted while it was in use" in alone.client.health().message)
        with copying.file.open("a") as file:
            file.write("not to be committed\n")
        alone.await_states(copying.name, "RUNNING", "FAILED")
        (task,) = alone.client.status(copying.name).tasks
        assert f"TopicLost: Topic {OFFSETS} was deleted while it was in use" in (task.trace or "")
    alone.await_states(copying.name, "RUNNING", "RUNNING")
    copying.goes_on()
    # Once before the task failed, once after: never all over again.
    arrived = alone.records(copying.topic)
    assert (len(arrived), arrived.count(b"not to be committed")) == (4, 2)


def test_without_the_status_topic_data_flows_and_nothing_is_promised(alone: Alone, copying: Copying) -> None:
    with deleted(alone, STATUS):
        eventually(lambda: f"Topic {STATUS} was deleted while it was in use" in alone.client.health().message)
        await_refusal(alone, "POST", f"{copying.name}/restart?includeTasks=true", f"Topic {STATUS} was deleted")
        copying.goes_on()
        assert alone.states(copying.name) == ["RUNNING", "RUNNING"]
    alone.await_states(copying.name, "RUNNING", "RUNNING")
    copying.goes_on()


def test_a_config_topic_that_was_emptied_is_not_taken_for_the_deletion_of_everything(alone: Alone, copying: Copying) -> None:
    """It is deleted and made anew before anybody notices that it was away."""
    kept = records(alone.bootstrap, CONFIGS)
    alone.admin.delete_topics([CONFIGS])[CONFIGS].result(10)
    eventually(lambda: CONFIGS not in existing(alone))
    create(alone, CONFIGS)
    produce(alone.bootstrap, CONFIGS, ("connector-stranger", json.dumps({"properties": {"name": "stranger"}})))
    eventually(lambda: not alone.healthy())
    assert "created anew" in alone.client.health().message
    # Not a pause: the first one may get into the new topic before that is noticed, and lie there when the others are back.
    await_refusal(alone, "PUT", f"{copying.name}/resume", f"Topic {CONFIGS} was deleted and created anew")
    copying.goes_on()
    assert alone.states(copying.name) == ["RUNNING", "RUNNING"]
    produce(alone.bootstrap, CONFIGS, ("connector-stranger", None), *kept)
    restart_all(alone)
    alone.await_states(copying.name, "RUNNING", "RUNNING")
    copying.goes_on()


def test_a_config_topic_that_was_cut_short_is_not_taken_for_the_one_that_was_read(alone: Alone, copying: Copying) -> None:
    """A disk is put back as it was some time ago, as from a backup."""
    folder = alone.drover.data_dir / "kafka" / f"{CONFIGS}-0"
    backup = alone.drover.data_dir / "backup"
    alone.stop("broker")
    shutil.copytree(folder, backup)
    alone.start("broker")
    eventually(lambda: ask(alone, copying, "pause").status_code == 202)
    alone.await_states(copying.name, "PAUSED", "PAUSED")
    alone.stop("broker")
    shutil.rmtree(folder)
    backup.rename(folder)
    alone.start("broker")
    eventually(lambda: f"Topic {CONFIGS} was deleted and created anew, or cut short" in alone.client.health().message)
    await_refusal(alone, "PUT", f"{copying.name}/resume", f"Topic {CONFIGS} was")
    assert alone.states(copying.name) == ["PAUSED", "PAUSED"]
    restart_all(alone)
    alone.await_states(copying.name, "RUNNING", "RUNNING")
    copying.goes_on()


def test_the_membership_topic_holds_nothing_that_is_missed(alone: Alone, copying: Copying) -> None:
    """Without it there is no group, and nothing runs; at the next start it is made anew."""
    copying.goes_on()
    alone.admin.delete_topics([MEMBERSHIP])[MEMBERSHIP].result(10)
    eventually(lambda: f"Topic {MEMBERSHIP} was deleted" in alone.client.health().message)
    # Nobody leads any more, as soon as this is known to the group.
    eventually(lambda: ask(alone, copying, "resume").status_code == 500)
    assert copying.name in alone.client.connectors()
    restart_all(alone)
    alone.await_states(copying.name, "RUNNING", "RUNNING")
    copying.goes_on()
    arrived = alone.records(copying.topic)
    assert len(arrived) == len(set(arrived)) == 2
