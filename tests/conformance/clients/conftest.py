"""Each client as a function that runs one command against the `cluster` of the test and gives what it printed."""

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.clients import installed
from tests.conformance.cluster import Cluster

# The first one to ask for a client waits for its download.
INSTALLING = pytest.mark.timeout(600)


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(INSTALLING)


@dataclass(frozen=True)
class Printed:
    exit_code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.exit_code == 0, self
        return json.loads(self.out)


Command = Callable[..., Printed]


@pytest.fixture
def kc(cluster: Cluster) -> Command:
    """The command line of kafka-connect-py: `kc("status", "c")`."""
    program = installed.python_clients() / "bin" / "kc"
    return lambda *arguments: _ran([program, "--url", _url(cluster), *arguments])


@pytest.fixture
def python_client(cluster: Cluster) -> Command:
    """A program of the Python clients' user: gets the cluster's URL and further arguments."""
    python = installed.python_clients() / "bin" / "python"
    return lambda code, *arguments: _ran([python, "-W", "error", "-c", code, _url(cluster), *arguments])


@pytest.fixture
def go_client(cluster: Cluster) -> Command:
    """The command line of github.com/go-kafka/connect: `go_client("status", "c")`; `given` is its standard input."""
    program = installed.go_client()
    return lambda *arguments, given=None: _ran([program, "--host", f"{_url(cluster)}/", *arguments], given)


def _url(cluster: Cluster) -> str:
    return str(cluster.http.base_url).rstrip("/")


def _ran(command: Sequence[str | Path], given: str | None = None) -> Printed:
    source: dict[str, Any] = {"stdin": subprocess.DEVNULL} if given is None else {"input": given}
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    ended = subprocess.run(command, **source, env=environment, capture_output=True, text=True, timeout=60, check=False)
    return Printed(ended.returncode, ended.stdout, ended.stderr)
