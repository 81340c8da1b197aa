"""`GET`, `PATCH` and `DELETE /connectors/{c}/offsets` (KIP-875, its test plan; facts §8)."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from confluent_kafka import Consumer

from tests.conformance.cluster import Cluster, expect_empty, expect_error
from tests.conformance.conftest import Connectors
from tests.topics import create_topic, produce, records, values
from tests.waiting import eventually

ALTERED = "The offsets for this connector have been altered successfully"
RESET = "The offsets for this connector have been reset successfully"
NOT_STOPPED = (
    "Connectors must be in the STOPPED state before their offsets can be modified. This can be done for the specified connector "
    "by issuing a 'PUT' request to the '/connectors/{}/stop' endpoint"
)
LINES = ["one", "two", "three", "four"]


class Offsets:
    """Of one connector."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self._cluster = cluster
        self.name = name
        self.path = f"/connectors/{name}/offsets"

    def shown(self) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        response = self._cluster.request("GET", self.path)
        assert response.status_code == 200, response.text
        found = [(item["partition"], item["offset"]) for item in response.json()["offsets"]]
        return sorted(found, key=str)

    def patch(self, *items: tuple[object, object]) -> httpx.Response:
        wanted = [{"partition": partition, "offset": offset} for partition, offset in items]
        return self._cluster.request("PATCH", self.path, {"offsets": wanted})

    def delete(self) -> httpx.Response:
        return self._cluster.request("DELETE", self.path)

    def stop(self) -> None:
        expect_empty(self._cluster.request("PUT", f"/connectors/{self.name}/stop"), 204)
        self._cluster.wait_for(self.name, "STOPPED")

    def resume(self, tasks: int = 1) -> None:
        expect_empty(self._cluster.request("PUT", f"/connectors/{self.name}/resume"), 202)
        self._cluster.wait_for(self.name, "RUNNING", *["RUNNING"] * tasks)


def expect_message(response: httpx.Response, message: str) -> None:
    assert (response.status_code, response.text) == (200, f'{{"message":"{message}"}}')
    assert response.headers["Content-Type"] == "application/json"


def at(topic: str, partition: int) -> dict[str, object]:
    return {"kafka_partition": partition, "kafka_topic": topic}


def to(offset: int) -> dict[str, object]:
    return {"kafka_offset": offset}


@pytest.fixture
def source(cluster: Cluster, connectors: Connectors, kafka: str) -> Offsets:
    """Of a source that has copied the lines to a topic of its own name and was stopped."""
    name = connectors.name()
    file = Path(connectors.source_config(name)["file"])
    file.write_text("".join(f"{line}\n" for line in LINES))
    cluster.put_config(name, connectors.source_config(name))
    eventually(lambda: values(kafka, name) == lines(*LINES), what="The copy")
    offsets = Offsets(cluster, name)
    offsets.stop()
    eventually(lambda: offsets.shown() == [({"filename": str(file)}, {"position": file.stat().st_size})])
    return offsets


@pytest.fixture
def sink(cluster: Cluster, connectors: Connectors, kafka: str) -> Offsets:
    """Of a sink that has written four records from each of three partitions to its file, and was stopped."""
    offsets = Offsets(cluster, running_sink(cluster, connectors, kafka))
    offsets.stop()
    eventually(lambda: offsets.shown() == [(at(offsets.name, number), to(4)) for number in range(3)])
    return offsets


def running_sink(cluster: Cluster, connectors: Connectors, kafka: str, **more: str) -> str:
    name = connectors.name()
    create_topic(kafka, name, 3)
    for number in range(3):
        produce(kafka, name, *[("k", f"{number}-{line}") for line in LINES], partition=number)
    connectors.mend(name)
    cluster.put_config(name, {**connectors.sink_config(name, 1), **more})
    written = connectors.output(name) / "out.txt"
    eventually(lambda: len(written.read_text().splitlines()) == 12, what="The records in the file")
    return name


def lines(*of: str) -> list[bytes | None]:
    return [line.encode() for line in of]


def file_of(connectors: Connectors, offsets: Offsets) -> dict[str, str]:
    return {"filename": connectors.source_config(offsets.name)["file"]}


# --- whom it is answered for ------------------------------------------------------------------------------------------


def test_unknown_connector(cluster: Cluster, connectors: Connectors) -> None:
    offsets = Offsets(cluster, connectors.name())
    for response in (
        cluster.request("GET", offsets.path),
        offsets.patch(({"filename": "/f"}, {"position": 1})),
        offsets.delete(),
    ):
        expect_error(response, 404, f"Connector {offsets.name} not found")


@pytest.mark.parametrize("state", ["RUNNING", "PAUSED"])
@pytest.mark.parametrize("kind", ["source", "sink"])
def test_not_of_one_that_is_not_stopped(cluster: Cluster, connectors: Connectors, kind: str, state: str) -> None:
    """Whatever else may be wrong with them."""
    name = connectors.source() if kind == "source" else connectors.sink(tasks=1)
    if state == "PAUSED":
        expect_empty(cluster.request("PUT", f"/connectors/{name}/pause"), 202)
        cluster.wait_for(name, "PAUSED", "PAUSED")
    offsets = Offsets(cluster, name)
    expect_error(offsets.patch(({"what": "ever"}, {"n": 1})), 400, NOT_STOPPED.format(name))
    expect_error(offsets.delete(), 400, NOT_STOPPED.format(name))


@pytest.mark.parametrize("body", [{}, {"offsets": None}, {"offsets": []}])
def test_nothing_to_alter(cluster: Cluster, connectors: Connectors, body: object) -> None:
    """Said before anything is looked up."""
    response = cluster.request("PATCH", f"/connectors/{connectors.name()}/offsets", body)
    expect_error(response, 400, "Partitions / offsets need to be provided for an alter offsets request")


@pytest.mark.parametrize(
    ("body", "stem"),
    [
        ([], "Cannot deserialize value"),
        ({"key": []}, "Unrecognized field"),
        ({"offsets": {}}, "Cannot deserialize value"),
        ({"offsets": [123]}, "Cannot construct instance"),
        ({"offsets": [{"key": "val"}]}, "Unrecognized field"),
        ({"offsets": [{"partition": []}]}, "Cannot deserialize value"),
        ({"offsets": [{"partition": {}, "offset": []}]}, "Cannot deserialize value"),
    ],
)
def test_another_shape(cluster: Cluster, connectors: Connectors, body: object, stem: str) -> None:
    """A wanted difference (docs/compatibility.md): what is malformed is 400 here."""
    response = cluster.request("PATCH", f"/connectors/{connectors.name()}/offsets", body)
    assert response.status_code == {"drover": 400, "apache": 500}[cluster.id]
    assert response.json()["message"].startswith(stem)


def test_methods(cluster: Cluster, healthy: str) -> None:
    path = f"/connectors/{healthy}/offsets"
    for method in ("PUT", "POST"):
        assert cluster.request(method, path).status_code == 405
    assert cluster.request("HEAD", path).status_code == 200
    allowed = set(cluster.request("OPTIONS", path).headers["Allow"].split(","))
    assert allowed == {"HEAD", "DELETE", "GET", "OPTIONS", "PATCH"}


# --- reading ----------------------------------------------------------------------------------------------------------


def test_a_running_source(cluster: Cluster, connectors: Connectors) -> None:
    name = connectors.source()
    offsets = Offsets(cluster, name)
    assert cluster.request("GET", offsets.path).text == '{"offsets":[]}'
    file = Path(connectors.source_config(name)["file"])
    file.write_text("one\ntwo\n")
    response = f'{{"offsets":[{{"partition":{{"filename":"{file}"}},"offset":{{"position":8}}}}]}}'
    eventually(lambda: cluster.request("GET", offsets.path).text == response, what="The offset")


def test_a_running_sink(cluster: Cluster, connectors: Connectors, kafka: str) -> None:
    name = running_sink(cluster, connectors, kafka)
    offsets = Offsets(cluster, name)
    eventually(lambda: offsets.shown() == [(at(name, number), to(4)) for number in range(3)])
    first = '{"offsets":[{"partition":{"kafka_partition":'
    assert cluster.request("GET", offsets.path).text.startswith(first), "the order of the fields"


def test_what_a_deleted_connector_leaves(cluster: Cluster, connectors: Connectors, source: Offsets) -> None:
    """Its offsets: another of the same name goes on from them."""
    before = source.shown()
    expect_empty(cluster.request("DELETE", f"/connectors/{source.name}"), 204)
    cluster.wait_until_gone(source.name)
    expect_error(cluster.request("GET", source.path), 404, f"Connector {source.name} not found")
    cluster.put_config(source.name, connectors.source_config(source.name))
    cluster.wait_for(source.name, "RUNNING", "RUNNING")
    assert source.shown() == before


# --- a source's -------------------------------------------------------------------------------------------------------


def test_a_source_goes_on_where_it_was_told_to(connectors: Connectors, source: Offsets, kafka: str) -> None:
    position = {"position": len("one\ntwo\n")}
    expect_message(source.patch((file_of(connectors, source), position)), ALTERED)
    assert source.shown() == [(file_of(connectors, source), position)]
    source.resume()
    eventually(lambda: values(kafka, source.name)[4:] == lines("three", "four"), what="The lines from there")


@pytest.mark.parametrize("how", ["null", "DELETE"])
def test_a_source_begins_anew_after_a_reset(
    connectors: Connectors, source: Offsets, kafka: str, how: str, request: pytest.FixtureRequest
) -> None:
    """A second reset is as good as one."""
    for _ in range(2):
        if how == "DELETE":
            expect_message(source.delete(), RESET)
        else:
            expect_message(source.patch((file_of(connectors, source), None)), ALTERED)
        if request.node.callspec.params["cluster"] == "apache":
            # It may show for a moment that the partition has no offset.
            eventually(lambda: source.shown() == [], what="No offsets")
        assert source.shown() == []
    source.resume()
    eventually(lambda: values(kafka, source.name) == lines(*LINES) * 2, what="All lines again")


def test_other_partitions_stay(connectors: Connectors, source: Offsets) -> None:
    """KIP-875: what is not named is kept. Garbage can be removed, of whatever shape."""
    before = source.shown()
    other: dict[str, object] = {"filename": "/another", "n": 1}
    expect_message(source.patch((other, {"position": 1})), ALTERED)
    assert source.shown() == sorted([*before, (other, {"position": 1})], key=str)
    expect_message(source.patch((other, {"position": 2}), (other, {"position": 3})), ALTERED)
    assert source.shown() == sorted([*before, (other, {"position": 3})], key=str)
    expect_message(source.patch((other, None), ({"never": "seen"}, None)), ALTERED)
    assert source.shown() == before


@pytest.mark.parametrize(
    ("partition", "offset", "message"),
    [
        (None, {"position": 1}, "Partition objects cannot be null"),
        ({}, {"position": 1}, "Partition objects should contain the key 'filename'"),
        ({"filename": "/f"}, {}, "Offset objects should either be null or contain the key 'position'"),
        ({"filename": "/f"}, {"position": "1"}, "The value for the 'position' key in the offset is expected to be a Long value"),
        ({"filename": "/f"}, {"position": 1.5}, "The value for the 'position' key in the offset is expected to be a Long value"),
        ({"filename": "/f"}, {"position": -1}, "The value for the 'position' key in the offset should be a non-negative value"),
        (
            {"filename": "/f", "a": {"b": 1}},
            {"position": 1},
            "Offsets may only contain primitive types as values, but field a contains MAP",
        ),
        (
            {"filename": "/f"},
            {"position": 1, "a": [1]},
            "Offsets may only contain primitive types as values, but field a contains ARRAY",
        ),
    ],
)
def test_what_a_source_refuses(source: Offsets, partition: object, offset: object, message: str) -> None:
    before = source.shown()
    expect_error(source.patch((partition, offset)), 500, message)
    assert source.shown() == before


def test_offsets_before_the_first_start(cluster: Cluster, connectors: Connectors, kafka: str) -> None:
    """KIP-980's use case: created STOPPED, told where to begin, resumed."""
    name = connectors.name()
    config = connectors.source_config(name)
    Path(config["file"]).write_text("one\ntwo\n")
    body = {"name": name, "config": config, "initial_state": "STOPPED"}
    assert cluster.request("POST", "/connectors", body).status_code == 201
    cluster.wait_for(name, "STOPPED")
    offsets = Offsets(cluster, name)
    expect_message(offsets.patch(({"filename": config["file"]}, {"position": 4})), ALTERED)
    offsets.resume()
    eventually(lambda: values(kafka, name) == lines("two"), what="The second line")


def test_an_offsets_topic_of_its_own(cluster: Cluster, connectors: Connectors, kafka: str) -> None:
    """It and the group's are written; all that is known is reset."""
    name = connectors.name()
    config = {**connectors.source_config(name), "offsets.storage.topic": f"{name}-offsets"}
    file = Path(config["file"])
    file.write_text("".join(f"{line}\n" for line in LINES))
    cluster.put_config(name, config)
    eventually(lambda: values(kafka, name) == lines(*LINES), what="The copy")
    offsets = Offsets(cluster, name)
    offsets.stop()
    key, end = f'["{name}",{{"filename":"{file}"}}]'.encode(), file.stat().st_size
    eventually(lambda: offsets.shown() == [({"filename": str(file)}, {"position": end})])
    kept = [value for found, value in records(kafka, f"{name}-offsets") if found == key]
    assert kept[-1] == f'{{"position":{end}}}'.encode()
    expect_message(offsets.patch(({"filename": str(file)}, {"position": 4})), ALTERED)
    assert offsets.shown() == [({"filename": str(file)}, {"position": 4})]
    offsets.resume()
    eventually(lambda: values(kafka, name)[4:] == lines(*LINES[1:]), what="The lines from there")
    offsets.stop()
    expect_message(offsets.delete(), RESET)
    assert offsets.shown() == []
    assert [value for found, value in records(kafka, f"{name}-offsets") if found == key][-1] is None


# --- a sink's ---------------------------------------------------------------------------------------------------------


def again(connectors: Connectors, offsets: Offsets) -> list[str]:
    """What was written after the first twelve."""
    return (connectors.output(offsets.name) / "out.txt").read_text().splitlines()[12:]


def test_a_sink_goes_on_where_it_was_told_to(connectors: Connectors, sink: Offsets) -> None:
    """One of three partitions is altered, one reset, one left alone."""
    name = sink.name
    expect_message(sink.patch((at(name, 0), to(2)), (at(name, 2), None)), ALTERED)
    assert sink.shown() == [(at(name, 0), to(2)), (at(name, 1), to(4))]
    sink.resume()
    expected = {"0-three", "0-four", *(f"2-{line}" for line in LINES)}
    eventually(lambda: len(again(connectors, sink)) == 6, what="The records from there")
    assert set(again(connectors, sink)) == expected


def test_a_sink_reads_everything_again_after_a_reset(connectors: Connectors, sink: Offsets) -> None:
    for _ in range(2):
        expect_message(sink.delete(), RESET)
        assert sink.shown() == []
    sink.resume()
    eventually(lambda: len(again(connectors, sink)) == 12, what="All records again")


def test_numbers_may_be_text(sink: Offsets) -> None:
    where = {"kafka_topic": sink.name, "kafka_partition": "0", "more": True}
    expect_message(sink.patch((where, {"kafka_offset": "3", "more": True})), ALTERED)
    assert sink.shown()[0] == (at(sink.name, 0), to(3))


def test_what_was_read_may_be_written(cluster: Cluster, sink: Offsets) -> None:
    before = cluster.request("GET", sink.path).json()
    expect_message(cluster.request("PATCH", sink.path, before), ALTERED)
    assert sink.shown() == [(item["partition"], item["offset"]) for item in sorted(before["offsets"], key=str)]


def test_an_offset_beyond_the_end_is_taken_as_it_is(sink: Offsets) -> None:
    expect_message(sink.patch((at(sink.name, 0), to(1000))), ALTERED)
    assert sink.shown()[0] == (at(sink.name, 0), to(1000))


KEYS = "The partition for a sink connector offset must contain the keys 'kafka_topic' and 'kafka_partition'"


@pytest.mark.parametrize(
    ("partition", "offset", "message"),
    [
        (None, None, "The partition for a sink connector offset cannot be null or missing"),
        ({"kafka_topic": "t"}, None, KEYS),
        ({"kafka_partition": 0}, None, KEYS),
        ({"kafka_topic": None, "kafka_partition": 0}, None, "Kafka topic names must be valid strings and may not be null"),
        ({"kafka_topic": "t", "kafka_partition": None}, None, "Kafka partitions must be valid numbers and may not be null"),
        (
            {"kafka_topic": "t", "kafka_partition": "x"},
            None,
            "Failed to parse the following Kafka partition value in the provided offsets: 'x'. Partition values for sink "
            "connectors need to be integers.",
        ),
        (
            {"kafka_topic": "t", "kafka_partition": 0},
            {},
            "The offset for a sink connector should either be null or contain the key 'kafka_offset'",
        ),
        (
            {"kafka_topic": "t", "kafka_partition": 0},
            {"kafka_offset": 1.5},
            "Failed to parse the following Kafka offset value in the provided offsets: '1.5'. Offset values for sink "
            "connectors need to be integers.",
        ),
        (
            {"kafka_topic": "t", "kafka_partition": 0},
            {"kafka_offset": None},
            "Failed to parse the following Kafka offset value in the provided offsets: 'null'. Offset values for sink "
            "connectors need to be integers.",
        ),
    ],
)
def test_what_is_no_sinks_offset(sink: Offsets, partition: object, offset: object, message: str) -> None:
    before = sink.shown()
    expect_error(sink.patch((at(sink.name, 0), to(1)), (partition, offset)), 400, message)
    assert sink.shown() == before


def test_what_kafka_does_not_take(sink: Offsets) -> None:
    expect_error(sink.patch((at(sink.name, 0), to(-1))), 500, f"Failed to modify offsets for sink connector {sink.name}")
    for where in (at(sink.name, 3), at(f"{sink.name}-nowhere", 0)):
        message = f"Failed to alter consumer group offsets for connector {sink.name}"
        expect_error(sink.patch((where, to(1))), 500, message)
    assert sink.shown() == [(at(sink.name, number), to(4)) for number in range(3)]


def test_not_while_somebody_is_in_the_group(sink: Offsets, kafka: str) -> None:
    """A task that has not stopped would be; here it is somebody else."""
    before = sink.shown()
    with member(kafka, f"connect-{sink.name}", sink.name):
        for verb, response in (("alter", sink.patch((at(sink.name, 0), to(1)))), ("reset", sink.delete())):
            message = (
                f"Failed to {verb} consumer group offsets for connector {sink.name} either because its tasks haven't stopped "
                f"completely yet or the connector was resumed before the request to {verb} its offsets could be successfully "
                "completed. If the connector is in a stopped state, this operation can be safely retried. If it doesn't "
                "eventually succeed, the Connect cluster may need to be restarted to get rid of the zombie sink tasks."
            )
            expect_error(response, 500, message)
    assert sink.shown() == before
    expect_message(sink.delete(), RESET)


@contextmanager
def member(kafka: str, group: str, topic: str) -> Iterator[None]:
    consumer = Consumer({"bootstrap.servers": kafka, "group.id": group, "enable.auto.commit": False})
    consumer.subscribe([topic])

    def joined() -> bool:
        consumer.poll(0.1)
        return bool(consumer.assignment())

    eventually(joined, what="The consumer is in the group")
    yield
    consumer.close()


def test_a_group_of_another_name(cluster: Cluster, connectors: Connectors, kafka: str) -> None:
    """KIP-458: read, altered and reset like any other."""
    group = connectors.name()
    name = running_sink(cluster, connectors, kafka, **{"consumer.override.group.id": group})
    offsets = Offsets(cluster, name)
    offsets.stop()
    eventually(lambda: offsets.shown() == [(at(name, number), to(4)) for number in range(3)])
    expect_message(offsets.patch((at(name, 0), to(2))), ALTERED)
    assert offsets.shown()[0] == (at(name, 0), to(2))
    offsets.resume()
    eventually(lambda: again(connectors, offsets) == ["0-three", "0-four"], what="The records from there")
    offsets.stop()
    expect_message(offsets.delete(), RESET)
    assert offsets.shown() == []
