"""On a real Apache Kafka Connect, with two seconds for a minute: a sink that fails on each start, until somebody mends it."""

import time
import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from django.test import Client

from connect_client import ConnectClient
from dashboard import actions
from dashboard.activity import Who
from dashboard.fleet.verbs import Verb
from dashboard.follow.follower import Follower
from dashboard.live.publisher import Publisher
from dashboard.models import Activity, AutoRestart, Cluster, ConnectorSnapshot, RestartPolicy
from dashboard.restarting.decide import Pace
from dashboard.restarting.runner import Restarting
from tests.waiting import eventually

MINUTE = timedelta(seconds=2)
PACE = Pace(minute=MINUTE, settle=timedelta(seconds=0.5), note=timedelta(seconds=0.2), gap=timedelta(seconds=1))


@pytest.fixture
def sink(connect_cluster: ConnectClient, tmp_path: Path) -> Iterator[str]:
    """The name of a sink whose file's folder does not exist."""
    name = f"restarting-{uuid.uuid4().hex[:6]}"
    file = str(tmp_path / "missing" / "out.txt")
    connect_cluster.put_config(name, {"connector.class": "FileStreamSink", "tasks.max": "2", "topics": name, "file": file})
    eventually(lambda: [task.state for task in connect_cluster.status(name).tasks] == ["FAILED", "FAILED"])
    yield name
    connect_cluster.delete(name)


def until(done: Callable[[], bool], follower: Follower, runner: Restarting, seconds: float) -> None:
    """The follower polls and the runner looks, as in the control process, only more often."""
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline, list(AutoRestart.objects.values())
        follower.step()
        runner.step()
        runner._rounds.woken.wait(0.1)
        runner._rounds.woken.clear()


def test_restarted_at_each_interval_given_up_and_mended_by_hand(
    connect_cluster: ConnectClient, sink: str, tmp_path: Path, room: Client
) -> None:
    RestartPolicy.objects.all().delete()
    RestartPolicy.objects.create(name="These", pattern="restarting-*")
    cluster = Cluster.objects.create(name="apache", urls=[connect_cluster.url])
    follower = Follower(cluster, connect_cluster, Publisher("redis://127.0.0.1:1/0"))
    runner = Restarting(PACE)
    until(lambda: AutoRestart.objects.exclude(gave_up_at=None).exists(), follower, runner, 180)

    restarts = Activity.objects.filter(verb=Verb.RESTART_FAILED, connector=sink).order_by("at")
    assert [one.after["restart"] for one in restarts if one.after] == [1, 2, 3, 4, 5, 6]
    assert {(one.by, one.outcome) for one in restarts} == {("automatic restart", "done")}
    apart = [late.at - early.at for early, late in pairwise(restarts)]
    for number, waited in enumerate(apart, 1):
        # Never sooner; the answer is noted, which comes a moment after it was asked for.
        assert waited > 2 * number * MINUTE - timedelta(seconds=1), apart
    row = AutoRestart.objects.get()
    assert (row.connector, row.count) == (sink, 6)
    assert row.trace.startswith("task 0")
    assert "NoSuchFileException" in row.trace
    # For some seconds after a restart that is what is shown.
    page = f"/ui/clusters/apache/connectors/{sink}"
    eventually(lambda: "<b>gave up</b>" in room.get(page).content.decode())
    assert ">gave up</span>" in room.get("/ui/").content.decode()

    (tmp_path / "missing").mkdir()
    actions.do(ConnectorSnapshot.objects.get(name=sink), Verb.RESTART_FAILED, Who("ann"))
    until(lambda: not AutoRestart.objects.exists(), follower, runner, 60)
    assert [task.state for task in connect_cluster.status(sink).tasks] == ["RUNNING", "RUNNING"]
    assert restarts.all().count() == 7, "the last of them by ann"
