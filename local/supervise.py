"""Drives supervisord: writes its configuration, starts it, brings the processes up in order, stops it."""

import fcntl
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import xmlrpc.client
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any, cast

from supervisor.xmlrpc import SupervisorTransport

from local import probes
from local.installation import Installation
from local.processes import ProcessSpec
from local.progress import Progress, StartFailed, awaited, failure, note_deaths, startable
from local.supervisord import LONGEST_BACKOFF_SECONDS

# A process that lives this long counts as started: dying later, it is restarted at once.
STEADY_SECONDS = 10
POLL_SECONDS = 0.15
STOP_SECONDS = 90
# The supervisor's own log, beside those of the processes.
OWN_LOG = "supervisord"


class AlreadyUp(Exception):
    """A supervisor runs, or is being started, in this data folder."""


def config_file(installation: Installation) -> Path:
    return installation.run / "supervisord.conf"


def socket_file(installation: Installation) -> Path:
    return installation.run / "supervisor.sock"


def log_file(installation: Installation, name: str) -> Path:
    return installation.logs / f"{name}.log"


def render(installation: Installation, plan: Iterable[ProcessSpec]) -> str:
    """supervisord's configuration. Nothing starts by itself: `bring_up` does it, when what a process needs is ready."""
    head: dict[str, Mapping[str, object]] = {
        "unix_http_server": {"file": socket_file(installation), "chmod": "0700"},
        "supervisord": {
            "nodaemon": "true",
            "silent": "true",
            "logfile": log_file(installation, OWN_LOG),
            "logfile_maxbytes": "10MB",
            "logfile_backups": 3,
            "pidfile": installation.run / "supervisord.pid",
            "directory": installation.project,
            # Root has to be told that it is root (a container); for anybody else there is nothing to say.
            **({"user": "root"} if os.getuid() == 0 else {}),
        },
        "rpcinterface:supervisor": {"supervisor.rpcinterface_factory": "supervisor.rpcinterface:make_main_rpcinterface"},
    }
    programs = {f"program:{spec.name}": _program(installation, spec, place) for place, spec in enumerate(plan, start=1)}
    return "\n".join(_section(name, values) for name, values in {**head, **programs}.items())


def _program(installation: Installation, spec: ProcessSpec, place: int) -> Mapping[str, object]:
    return {
        "command": shlex.join(spec.command),
        **({"environment": ",".join(f'{name}="{value}"' for name, value in spec.environment)} if spec.environment else {}),
        "priority": place,
        "autostart": "false",
        "autorestart": "true",
        "startsecs": STEADY_SECONDS,
        # Those of a SIGTERM too: a Java that was told to stop says 143.
        "exitcodes": "0,143",
        "startretries": LONGEST_BACKOFF_SECONDS,
        # The process alone is asked to stop: its JVM must not go from under it while it finishes.
        "stopwaitsecs": spec.stop_seconds,
        "killasgroup": "true",
        "redirect_stderr": "true",
        # This one value is expanded twice.
        "stdout_logfile": str(log_file(installation, spec.name)).replace("%", "%%"),
        "stdout_logfile_maxbytes": "10MB",
        "stdout_logfile_backups": 3,
    }


def _section(name: str, values: Mapping[str, object]) -> str:
    # supervisord expands %(...)s in every value.
    return f"[{name}]\n" + "".join(f"{key} = {str(value).replace('%', '%%')}\n" for key, value in values.items())


@contextmanager
def lock(installation: Installation) -> Iterator[int]:
    """Holds the data folder. The supervisor inherits the lock: it lasts as long as that lives, whatever else crashes.

    Raises AlreadyUp.
    """
    descriptor = os.open(installation.run / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise AlreadyUp from error
        # Whom to ask to stop while no supervisor answers.
        os.truncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        yield descriptor
    finally:
        os.close(descriptor)


def is_up(installation: Installation) -> bool:
    if not installation.run.is_dir():
        return False
    try:
        with lock(installation):
            return False
    except AlreadyUp:
        return True


def launch(
    installation: Installation, plan: Iterable[ProcessSpec], environment: Mapping[str, str], lock_descriptor: int
) -> subprocess.Popen[bytes]:
    """Starts supervisord, with no process yet, in a session of its own: a Ctrl-C in the terminal is for `up` alone."""
    file = config_file(installation)
    file.write_text(render(installation, plan))
    with log_file(installation, OWN_LOG).open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "local.supervisord", "-c", str(file)],
            cwd=installation.project,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            pass_fds=[lock_descriptor],
        )


class Remote:
    """The supervisor's own remote interface, over its socket in the data folder."""

    def __init__(self, installation: Installation) -> None:
        self._transport = SupervisorTransport(None, None, f"unix://{socket_file(installation)}")
        # The address is not used: the transport knows the socket.
        self._calls = xmlrpc.client.ServerProxy("http://127.0.0.1", transport=self._transport).supervisor

    def __enter__(self) -> "Remote":
        return self

    def __exit__(self, *_: object) -> None:
        self._transport.close()

    def answers(self) -> bool:
        try:
            return bool(self._calls.getState())
        except (OSError, HTTPException, xmlrpc.client.Error):
            # The transport would go on with the connection that failed.
            self._transport.close()
            return False

    def start(self, name: str) -> None:
        """Raises StartFailed: there is no such program, or it cannot be executed."""
        try:
            self._calls.startProcess(name, False)
        except xmlrpc.client.Fault as fault:
            raise StartFailed(None, f"{name} could not be started: {fault.faultString}") from fault

    def processes(self) -> dict[str, dict[str, Any]]:
        return {info["name"]: info for info in cast("list[dict[str, Any]]", self._calls.getAllProcessInfo())}

    def shutdown(self) -> None:
        self._calls.shutdown()


# Of supervisord's own log, what somebody who watches wants to know.
_EVENT = re.compile(r" (?:INFO|WARN) (?:spawned|exited|stopped|killing|gave up|spawnerr)")


def is_event(line: str) -> bool:
    """A line of supervisord's log that tells of a process's start or end."""
    return bool(_EVENT.search(line))


def await_supervisor(supervisor: subprocess.Popen[bytes], remote: Remote, seconds: float = 15) -> None:
    """Raises StartFailed."""
    deadline = time.monotonic() + seconds
    while not remote.answers():
        if supervisor.poll() is not None or time.monotonic() > deadline:
            raise StartFailed(OWN_LOG, "the supervisor did not start")
        time.sleep(POLL_SECONDS)


def begin(plan: Iterable[ProcessSpec], remote: Remote, progress: Progress) -> None:
    """Starts those whose time has come.

    Raises StartFailed.
    """
    for spec in startable(plan, progress):
        remote.start(spec.name)
        progress.started[spec.name] = time.monotonic()


def bring_up(
    plan: tuple[ProcessSpec, ...], remote: Remote, progress: Progress, timeout: float, report: Callable[[str, float], None]
) -> None:
    """Starts every process as soon as what it needs is ready; `report` gets each name, with its seconds, once that is ready.

    Raises StartFailed: a process keeps dying, or is not ready in time.
    """
    with ThreadPoolExecutor(len(plan), thread_name_prefix="probe") as pool:
        asked: dict[str, Future[bool]] = {}
        while len(progress.ready) < len(plan):
            begin(plan, remote, progress)
            note_deaths(progress, remote.processes())
            for spec in awaited(plan, progress):
                # In threads: one that takes its time to answer must not hold up the others.
                answer = asked.get(spec.name) or asked.setdefault(spec.name, pool.submit(probes.answers, spec.probe))
                if answer.done() and asked.pop(spec.name).result():
                    progress.ready[spec.name] = time.monotonic()
                    report(spec.name, progress.ready[spec.name] - progress.started[spec.name])
            if failed := failure(plan, progress, time.monotonic(), timeout):
                raise failed
            time.sleep(POLL_SECONDS)


def stop(supervisor: subprocess.Popen[bytes]) -> None:
    """Stops everything, in the reverse of the order of its start; returns when that is done."""
    supervisor.terminate()
    try:
        supervisor.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        supervisor.kill()
        supervisor.wait()


def ask_to_stop(installation: Installation) -> None:
    """Tells the supervisor; where an `up` has not come so far as to start one, tells that `up`."""
    try:
        with Remote(installation) as remote:
            remote.shutdown()
    except (OSError, HTTPException, xmlrpc.client.Error):
        with suppress(OSError, ValueError):
            os.kill(int((installation.run / "lock").read_text()), signal.SIGTERM)


def await_unlocked(installation: Installation, seconds: float = STOP_SECONDS) -> bool:
    """Waits until nobody holds the data folder; False if somebody still does."""
    deadline = time.monotonic() + seconds
    while is_up(installation):
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True
