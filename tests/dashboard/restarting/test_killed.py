"""Control processes that are killed at each step of a restart: real ones, by SIGKILL, and a cluster that counts its requests."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.paper import paper_server
from tests.dashboard.jobs.words import status_json

PROJECT = Path(__file__).resolve().parents[3]
_PROGRAM = """
import django; django.setup()
import os, signal, sys, time
from datetime import timedelta
from dashboard.clusters import client
from dashboard.follow.follower import Follower
from dashboard.live.publisher import publisher
from dashboard.models import Activity, AutoRestart, Cluster
from dashboard.restarting import record, runner
from dashboard.restarting.decide import Pace
die = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
cluster = Cluster.objects.get_or_create(name="eu", defaults={"urls": ["URL"]})[0]
one = runner.Restarting(Pace(settle=timedelta(seconds=0.5)))
def look():
    Follower(Cluster.objects.get(name="eu"), client(cluster), publisher()).step()
    one.step()
"""
_GO_ON = """
AutoRestart.objects.update(claimed_until="2026-01-01T00:00Z")
deadline = time.monotonic() + 30
while time.monotonic() < deadline:
    look()
    row = AutoRestart.objects.filter(connector="orders").first()
    if row is not None and row.asking_since is None:
        break
    time.sleep(0.1)
look()
row = AutoRestart.objects.get(connector="orders")
assert (row.count, row.asking_since) == (1, None), (row.count, row.asking_since)
assert [one.after["restart"] for one in Activity.objects.all()] == [1]
"""
#: Where it is killed, and how often the cluster is then asked in all.
_KILLED = {
    "before it is written down": "record.begin = die; look()",
    "before it is asked for": "one._ask = die; look()",
    "before the answer is written down": ("record.answered = die\nlook()\nwhile True:\n    time.sleep(0.05); one.step()"),
}


class ConnectCluster:
    """Has one connector, which a restart mends; holds its answer back while `go` is not set."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.came, self.go = threading.Event(), threading.Event()
        self.go.set()
        self.answers: dict[str, Any] = {"/": {"version": "4.3.0", "commit": "x", "kafka_cluster_id": "x"}}
        self.set("RUNNING FAILED")

    def set(self, words: str) -> None:
        info = {"name": "orders", "config": {"connector.class": "Sink"}, "tasks": [], "type": "sink"}
        self.answers["/connectors"] = {"orders": {"info": info, "status": status_json(words, name="orders")}}

    def does(self, method: str, path: str) -> object:
        self.asked.append(f"{method} {path}")
        self.set("RUNNING RUNNING")
        self.came.set()
        assert self.go.wait(30)
        return status_json("RUNNING RESTARTING", name="orders")


class Processes:
    def __init__(self, data_dir: Path, url: str) -> None:
        self._url = url
        self._environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DROVER_DATA_DIR": str(data_dir),
            "DROVER_SECRET_KEY": "the same in each process",
            "REDIS_URL": "redis://127.0.0.1:1/0",
        }
        self._do([sys.executable, "manage.py", "migrate", "--verbosity", "0"]).wait(60)

    def start(self, program: str) -> "subprocess.Popen[bytes]":
        return self._do([sys.executable, "-c", _PROGRAM.replace("URL", self._url) + program])

    def _do(self, command: list[str]) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(command, cwd=PROJECT, env=self._environment)


@pytest.fixture
def eu() -> ConnectCluster:
    return ConnectCluster()


@pytest.fixture
def processes(tmp_path: Path, eu: ConnectCluster) -> Iterator[Processes]:
    with paper_server(eu.answers, eu.does) as server:
        yield Processes(tmp_path, f"http://127.0.0.1:{server.server_port}")
        eu.go.set()


@pytest.mark.parametrize("where", _KILLED)
def test_it_is_restarted_once_wherever_it_is_killed(processes: Processes, eu: ConnectCluster, where: str) -> None:
    assert processes.start(_KILLED[where]).wait(60) == -signal.SIGKILL
    assert len(eu.asked) == (1 if where == "before the answer is written down" else 0)
    assert processes.start(_GO_ON).wait(60) == 0
    assert eu.asked == ["POST /connectors/orders/restart?includeTasks=true&onlyFailed=true"]


def test_and_while_the_cluster_is_at_it(processes: Processes, eu: ConnectCluster) -> None:
    eu.go.clear()
    first = processes.start("look(); time.sleep(60)")
    assert eu.came.wait(60)
    first.kill()
    first.wait(10)
    eu.go.set()
    assert processes.start(_GO_ON).wait(60) == 0
    assert len(eu.asked) == 1
