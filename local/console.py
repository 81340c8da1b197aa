"""What `up` says: progress, the logs, and at the end where everything is."""

import os
import shlex
import sys
from contextlib import suppress
from typing import TextIO

from local.accounts import FirstRun
from local.installation import Installation
from local.jars import Fetched
from local.processes import BROKER, REDIS, WEB


class Console:
    """Writes whole lines, so that the log printer's thread and the main one never share a line."""

    def __init__(self, stream: TextIO = sys.stdout) -> None:
        self._stream = stream
        self.is_terminal = stream.isatty()
        self.colour = self.is_terminal and "NO_COLOR" not in os.environ

    def line(self, text: str = "") -> None:
        # Whoever read this may be gone (a closed terminal, `| head`); what is being started or stopped goes on.
        with suppress(OSError):
            self._stream.write(f"{text}\n")
            self._stream.flush()

    def fetched(self, fetched: Fetched) -> None:
        """One line that grows on a terminal; elsewhere a line now and then, so that a log shows life without drowning in it."""
        text = f"  {fetched.count} jars, {fetched.kilobytes // 1024} MB: {fetched.latest}"
        if self.is_terminal:
            self._stream.write(f"\r\x1b[K{text[:78]}")
            self._stream.flush()
        elif fetched.count % 10 == 1:
            self.line(text)

    def end_progress(self) -> None:
        if self.is_terminal:
            self._stream.write("\r\x1b[K")

    def ready(self, name: str, seconds: float) -> None:
        self.line(f"{self.bold(name)} is ready ({seconds:.1f} s)")

    def bold(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self.colour else text


def summary(
    installation: Installation, names: tuple[str, ...], first_run: FirstRun | None, seconds: float, detached: bool
) -> list[str]:
    """Where everything is and how to stop it."""
    rows = []
    if WEB in names:
        rows += [("Control room", f"{installation.url}/ui/"), ("REST API", f"{installation.url}/")]
    if WEB in names and first_run:
        rows.append(("First of all", f"{installation.url}/ui/setup?code={first_run.code}   (makes the administrator)"))
    if BROKER in names or WEB in names:
        rows.append(("Kafka", installation.bootstrap_servers))
    if REDIS in names and WEB not in names:
        rows.append(("Redis", installation.redis_url))
    rows.append(("Data, logs", f"{installation.data}, {installation.logs.relative_to(installation.data)}/"))
    rows.append(("Stop", _how_to_stop(installation) if detached else "Ctrl-C"))
    return ["", f"Drover is up ({seconds:.0f} s).", "", *(f"  {label:<14}{value}" for label, value in rows), ""]


def _how_to_stop(installation: Installation) -> str:
    """A command to paste, as short as the current folder allows."""
    command = [_from_here(sys.executable), _from_here(str(installation.project / "manage.py")), "down"]
    if installation.data != installation.project / ".drover":
        command += ["--data-dir", str(installation.data)]
    return shlex.join(command)


def _from_here(path: str) -> str:
    return path.removeprefix(f"{os.getcwd()}/")
