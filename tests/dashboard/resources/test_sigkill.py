"""Control processes that are killed at each step of a restart that an annotation asks for: real ones, by SIGKILL, and a cluster
that counts its requests."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.browser.paper import paper_server
from tests.dashboard.jobs.words import status_json

PROJECT = Path(__file__).resolve().parents[3]
_BEGIN = """
import django; django.setup()
import os, signal, time
from datetime import timedelta
from dashboard.activity import Who
from dashboard.models import Cluster, Resource, ResourceAnnotation
from dashboard.resources import apply, decide, deeds, documents
from dashboard.resources.connector import Bringing
from dashboard.resources.runner import Resources
decide.GRACE = timedelta(seconds=0.3)
die = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
def until(done):
    deadline = time.monotonic() + 60
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.02)
"""
_ASK = """
Cluster.objects.create(name="eu", urls=["URL"])
document = {"metadata": {"labels": {"strimzi.io/cluster": "eu"}}, "spec": {"class": "Sink", "config": {"topics": "a"}}}
resource, _ = apply.apply(documents.parse("kafkaconnector", "orders", document), Who("ann"))
apply.annotate(resource, {"strimzi.io/restart": "true"}, Who("ann"))
"""
_GO_ON = """
Resource.objects.update(claimed_until=None)
runner = Resources()
runner.start()
until(lambda: not ResourceAnnotation.objects.exclude(state="unknown").exists())
until(lambda: Resource.objects.get().claimed_by == "")
print("unknown" if ResourceAnnotation.objects.exists() else "done", Resource.objects.get().status["conditions"][0]["type"])
runner.stop()
"""
#: Where it is killed, with what the connector is by then; how often the cluster is asked in all, and what is known at the end.
_KILLED = [
    ("Bringing._mark = die", "RUNNING", 1, "done Ready"),
    # Nobody can know that it was not asked for; what has failed is asked for again.
    ("deeds.restart = die", "RUNNING", 0, "unknown Ready"),
    ("deeds.restart = die", "FAILED", 1, "done Ready"),
    ("deeds.Work.noted = die", "RUNNING", 1, "unknown Ready"),
    ("Bringing._done = die", "RUNNING", 1, "unknown Ready"),
]


class ConnectCluster:
    """Has one connector, which a restart mends."""

    def __init__(self, state: str) -> None:
        self.asked: list[str] = []
        config = {"name": "orders", "connector.class": "Sink", "topics": "a"}
        self.answers: dict[str, Any] = {"/connectors/orders/config": config}
        self._set(state)

    def _set(self, state: str) -> None:
        self.answers["/connectors/orders/status"] = status_json(state, name="orders")

    def does(self, method: str, path: str) -> object:
        self.asked.append(f"{method} {path}")
        self._set("RUNNING")
        return {}


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DROVER_DATA_DIR": str(tmp_path),
        "DROVER_SECRET_KEY": "the same in each process",
        "REDIS_URL": "redis://127.0.0.1:1/0",
    }
    _do(environment, [sys.executable, "manage.py", "migrate", "--verbosity", "0"])
    return environment


@pytest.mark.parametrize(("where", "state", "asked", "known"), _KILLED)
def test_it_is_restarted_once_wherever_it_is_killed(
    environment: dict[str, str], where: str, state: str, asked: int, known: str
) -> None:
    eu = ConnectCluster(state)
    with paper_server(eu.answers, eu.does) as server:
        ask = _ASK.replace("URL", f"http://127.0.0.1:{server.server_port}")
        killed = _do(environment, _program(f"{ask}\n{where}\nResources().start()\ntime.sleep(60)"), check=False)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert _do(environment, _program(_GO_ON)).stdout.decode().split("\n")[-2] == known
    assert eu.asked == ["POST /connectors/orders/restart?includeTasks=false&onlyFailed=false"] * asked


def _program(text: str) -> list[str]:
    return [sys.executable, "-c", _BEGIN + text]


def _do(environment: dict[str, str], command: list[str], *, check: bool = True) -> "subprocess.CompletedProcess[bytes]":
    done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, timeout=180, check=False)
    assert not check or done.returncode == 0, done.stderr.decode()
    return done
