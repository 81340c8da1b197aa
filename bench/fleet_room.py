"""The child of `bench.fleet`: fills a database of its own beside the one that `DATABASE_URL` names, asks the control room for
pages as a browser would, and prints what that took, as JSON. No server and no cluster: the room's own code, and its database."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import httpx
import orjson
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from connect_client import ConnectClient, Listing
from dashboard.follow.recorder import Recorder
from dashboard.index import index
from dashboard.models import Cluster

CLUSTERS, CONNECTORS, POLLED = 10, 500, 1000
_ROUNDS = 15
_POLLS = 5
_CLASSES = (
    "io.confluent.connect.jdbc.JdbcSinkConnector",
    "io.confluent.connect.jdbc.JdbcSourceConnector",
    "io.debezium.connector.postgresql.PostgresConnector",
    "io.confluent.connect.s3.S3SinkConnector",
    "org.apache.kafka.connect.mirror.MirrorSourceConnector",
    "org.apache.kafka.connect.file.FileStreamSinkConnector",
)
_STATES = ("FAILED", "DEGRADED", "PAUSED", *("RUNNING",) * 22)
_WHOLE, _PART = {"Accept-Encoding": "gzip"}, {"Accept-Encoding": "gzip", "HX-Request": "true"}
REQUESTS = {
    "page": ("/ui/", _WHOLE),
    "page 37, the newest changes first": ("/ui/?sort=-since&page=37", _WHOLE),
    "filter: failed": ("/ui/?state=failed,degraded", _PART),
    "filter: cluster, class and worker": ("/ui/?cluster=cluster-3&class=JdbcSink&worker=worker-2:8083", _PART),
    "search: a name": ("/ui/?q=orders-0123", _PART),
    "search: a failure": ("/ui/?q=%22disk+full%22", _PART),
    "search: a config": ("/ui/?config=topics=orders-1*", _PART),
    "search: any config with a value": ("/ui/?config==*broker-7*", _PART),
    "search: nothing like it": ("/ui/?q=nothing+like+it", _PART),
    "API": ("/api/v1/fleet", _WHOLE),
}


def entry(number: int, changed: int = 0) -> tuple[str, dict[str, Any]]:
    """A connector as Connect tells it: 30 keys of config, three tasks, a trace of 40 lines where something failed."""
    name, class_name = f"orders-{number:04}", _CLASSES[number % len(_CLASSES)]
    kind = "source" if "Source" in class_name or "debezium" in class_name else "sink"
    state = _STATES[(number + changed) % len(_STATES)]
    failed = {"FAILED": 3, "DEGRADED": 1}.get(state, 0)
    own = "PAUSED" if state == "PAUSED" else "RUNNING"
    tasks: list[dict[str, Any]] = [
        {"id": task, "state": own, "worker_id": f"worker-{(number + task) % 8}:8083", "version": f"1.{changed}"}
        for task in range(3)
    ]
    for broken in tasks[:failed]:
        broken |= {"state": "FAILED", "trace": _trace(changed)}
    config = {
        "name": name,
        "connector.class": class_name,
        "tasks.max": "3",
        "topics": f"{name},payments-{number}",
        "connection.url": f"jdbc:postgresql://database-{number % 20}:5432/orders",
        "connection.password": f"secret-{number}",
        "key.converter": "org.apache.kafka.connect.storage.StringConverter",
        "value.converter": "io.confluent.connect.avro.AvroConverter",
        "consumer.override.bootstrap.servers": f"broker-{number % 40}:9092",
        **{f"transforms.step{step}.type": "org.apache.kafka.connect.transforms.InsertField$Value" for step in range(21)},
    }
    status = {"name": name, "connector": {"state": own, "worker_id": "worker-0:8083"}, "tasks": tasks, "type": kind}
    listed = [{"connector": name, "task": task["id"]} for task in tasks]
    return name, {"info": {"name": name, "config": config, "tasks": listed, "type": kind}, "status": status}


def _trace(changed: int) -> str:
    frames = "".join(f"\n\tat org.apache.kafka.connect.runtime.Frame{line}.run(Frame{line}.java:{line})" for line in range(40))
    outer = "org.apache.kafka.connect.errors.ConnectException: Tolerance exceeded"
    return f"{outer}{frames}\nCaused by: java.io.IOException: disk full {changed}"


def listing(count: int, changed: int, round: int) -> dict[str, Any]:
    return dict(entry(number, round if number < changed else 0) for number in range(count))


def milliseconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def measure() -> dict[str, Any]:
    recorders = []
    for number in range(CLUSTERS):
        recorder = Recorder(Cluster.objects.create(name=f"cluster-{number}", urls=["http://nowhere"]))
        recorder.listing(listing(CONNECTORS, 0, 0), datetime.now(UTC))
        recorders.append(recorder)
    client = Client(headers={"host": "localhost"})
    client.force_login(User.objects.create_superuser("bench"))
    # The templates are read and compiled once for a process, with no row in sight.
    client.get("/ui/?q=nothing")
    index.cache_clear()
    first = milliseconds(lambda: client.get("/ui/"))
    times: dict[str, list[float]] = {what: [] for what in REQUESTS}
    cpu: dict[str, list[float]] = {what: [] for what in REQUESTS}
    wire = {}
    for what, (address, headers) in REQUESTS.items():
        for _ in range(_ROUNDS + 1):
            began, spent = time.perf_counter(), time.process_time()
            response = client.get(address, headers=headers)
            cpu[what].append((time.process_time() - spent) * 1000)
            times[what].append((time.perf_counter() - began) * 1000)
            assert response.status_code == 200, response
            wire[what] = len(response.content)
        del times[what][0], cpu[what][0]
    times["page, after 10 changes"] = []
    for round in range(1, _ROUNDS + 1):
        recorders[0].listing(listing(CONNECTORS, 10, round), datetime.now(UTC))
        times["page, after 10 changes"].append(milliseconds(lambda: client.get("/ui/", headers=_WHOLE)))
    return {"first": first, "times": times, "cpu": cpu, "wire": wire, "polls": polls()}


def polls() -> dict[str, list[float]]:
    """Seconds of CPU for a round with 1,000 connectors, from the bytes of the answer on, by how many have changed."""
    recorder = Recorder(Cluster.objects.create(name="polled", urls=["http://nowhere"]))
    body = [b""]
    client = ConnectClient("http://nowhere", transport=httpx.MockTransport(lambda _: httpx.Response(200, content=body[0])))
    recorder.listing(listing(POLLED, 0, 0), datetime.now(UTC))
    spent: dict[str, list[float]] = {}
    for changed in (0, 10, POLLED):
        spent[f"{changed}"] = []
        for round in range(1, _POLLS + 1):
            body[0] = orjson.dumps(listing(POLLED, changed, round))
            began = time.process_time()
            answer = client.changes(None, 0)
            assert isinstance(answer, Listing)
            recorder.listing(answer.entries, datetime.now(UTC))
            spent[f"{changed}"].append(time.process_time() - began)
    return spent


@contextmanager
def own_database() -> Iterator[None]:
    """Gone afterwards. SQLite's is in a file, as it is in earnest."""
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        connection.settings_dict["TEST"]["NAME"] = f"{name}.bench"
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    try:
        yield
    finally:
        connection.creation.destroy_test_db(str(name), verbosity=0)


def main() -> None:
    with own_database():
        sys.stdout.write(orjson.dumps(measure()).decode())
