"""The command against real HTTP servers: the control room's own views, and a Connect cluster that is a dictionary.

Nothing here waits in real time: where the command would pause between two looks, the test moves what is looked at.
"""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from wsgiref.types import WSGIEnvironment

import pytest
from click.testing import CliRunner, Result
from django.contrib.auth.models import User
from django.core.servers.basehttp import WSGIRequestHandler, WSGIServer
from django.core.wsgi import get_wsgi_application
from django.db import connections

from cli import pace
from cli.main import cli
from dashboard.api.authentication import made
from dashboard.rights.roles import Role
from tests.cli.paper import PaperConnect, serving
from tests.dashboard.jobs.conftest import Clock, Fleet, clock, fleet

__all__ = ["clock", "fleet"]


@dataclass
class Drover:
    """The command as somebody calls it; `options` stand before it each time."""

    options: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)

    def __call__(self, *words: str, code: int = 0, stdin: str | None = None, **env: str) -> Result:
        result = CliRunner().invoke(cli, [*self.options, *words], input=stdin, env={**self.env, **env}, prog_name="drover")
        assert result.exit_code == code, f"{result.exit_code}, not {code}:\n{result.output}"
        assert "Traceback" not in result.output
        return result

    def lines(self, *words: str, code: int = 0, **more: Any) -> list[str]:
        """Of stdout, cells one blank apart."""
        return [" ".join(line.split()) for line in self(*words, code=code, **more).stdout.splitlines()]

    def refused(self, *words: str, code: int, **more: Any) -> str:
        """What stderr says, which is one sentence."""
        told = self(*words, code=code, **more).stderr
        assert told.startswith("Error: "), told
        return told.removeprefix("Error: ").rstrip("\n")


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Of somebody who has used nothing of this before."""
    for name in ("DROVER_URL", "DROVER_TOKEN", "DROVER_CONNECT", "DROVER_CONTEXT", "DROVER_DEBUG", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return {"XDG_CONFIG_HOME": str(tmp_path / "config"), "DROVER_DEBUG": "1"}


@pytest.fixture
def drover(env: dict[str, str]) -> Drover:
    return Drover((), env)


@dataclass
class Pauses:
    """Called in place of each pause, with its length; time passes by that."""

    clock: Clock
    does: Callable[[], object] = lambda: None
    total: float = 0.0

    def __call__(self, seconds: float) -> None:
        self.total += seconds
        assert self.total < 900, "the command does not end"
        self.clock.ahead += timedelta(seconds=seconds)
        self.does()


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> Pauses:
    pauses = Pauses(clock)
    monkeypatch.setattr(pace, "pause", pauses)
    monkeypatch.setattr(pace, "now", lambda: pauses.total)
    return pauses


class _AsItCame(WSGIRequestHandler):
    """Tells paths as `manage.py web` does: encoded (docs/decisions/0016)."""

    def get_environ(self) -> WSGIEnvironment:
        environ: WSGIEnvironment = super().get_environ()
        environ["REQUEST_URI"] = self.path
        return environ

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def room_url(db: None) -> Iterator[str]:
    """The whole application on a socket, one request at a time, within the test's own transaction."""
    connection = connections["default"]
    connection.inc_thread_sharing()
    with WSGIServer(("127.0.0.1", 0), _AsItCame) as server:
        server.set_app(get_wsgi_application())

        def serve() -> None:
            connections["default"] = connection
            server.serve_forever(poll_interval=0.05)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
            connection.dec_thread_sharing()


def token(name: str = "operator", role: Role = Role.ADMIN) -> str:
    user = User.objects.filter(username=name).first() or User.objects.create_superuser(name)
    return made(user, "cli", role, None, Clock()())[1]


@pytest.fixture
def room(room_url: str, env: dict[str, str]) -> Drover:
    """Whom it asks may do everything in the control room."""
    return Drover(("--url", room_url, "--token", token()), env)


@pytest.fixture
def paper_connect() -> Iterator[PaperConnect]:
    with serving(PaperConnect()) as paper:
        yield paper


@pytest.fixture
def one(paper_connect: PaperConnect, env: dict[str, str]) -> Drover:
    """Of one Connect cluster."""
    return Drover(("--connect", paper_connect.url), env)


@pytest.fixture
def seen(fleet: Fleet) -> Fleet:
    """Two clusters that the control room has looked at."""
    fleet.add("eu", orders="RUNNING FAILED RUNNING", lake="FAILED", fine="RUNNING RUNNING")
    fleet.add("us", **{"orders-us": "RUNNING FAILED FAILED", "fine": "PAUSED PAUSED"})
    fleet.look()
    return fleet
