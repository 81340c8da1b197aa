"""One start of an installation, from the first check to the last process that is ready."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from django.core.management import call_command
from django.db.utils import DatabaseError

from local import accounts, jars, java, kafka, leftovers, preflight, processes, progress, redis, supervise
from local.console import Console
from local.installation import Installation
from local.tail import LogPrinter, last_lines

CULPRIT_LINES = 30


class Refused(Exception):
    """Something stands in the way of a start; the message holds one sentence for each."""


@dataclass
class Start:
    """What is started where, and how far that has come."""

    installation: Installation
    names: tuple[str, ...]
    console: Console
    lock: int
    supervisor: subprocess.Popen[bytes] | None = None
    first_run: accounts.FirstRun | None = None
    # How long each log was before: what is older is not this start's fault.
    log_sizes: dict[str, int] = field(default_factory=dict)


def make_folders(installation: Installation) -> None:
    for folder in (installation.data, installation.run, installation.logs):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)


def refuse_if(problems: list[str]) -> None:
    """Raises Refused."""
    if problems:
        raise Refused("\n".join(problems))


def prepare(start: Start) -> tuple[java.Java, tuple[processes.ProcessSpec, ...]]:
    """Everything that can be done, or refused, before a process is started; returns the plan.

    Raises Refused, FetchFailed, FormatFailed, RedisMissing.
    """
    installation, names = start.installation, start.names
    if count := leftovers.end(installation.data):
        start.console.line(f"Ended {count} processes that an earlier run had left behind.")
    refuse_if(preflight.part_problems(installation, names))
    found = java.find()
    fetch_jars(installation, found, names, start.console)
    if processes.BROKER in names:
        kafka.prepare(installation, found)
    if processes.REDIS in names:
        redis.prepare(installation)
    accounts.keep_secret_key(installation.data)
    return found, processes.plan(installation, found, names)


def fetch_jars(installation: Installation, found: java.Java, names: tuple[str, ...], console: Console) -> None:
    confs = [conf for conf, name in (("spark", processes.WORKER), ("broker", processes.BROKER)) if name in names]
    if jars.missing(installation.project, confs):
        console.line("Fetching the jars of Spark's Kafka source and of the broker (once; about 60 MB) ...")
        jars.fetch(installation.project, found, confs, console.fetched)
        console.end_progress()


@contextmanager
def supervised(start: Start, found: java.Java, plan: tuple[processes.ProcessSpec, ...], timeout: float) -> Iterator[None]:
    """Brings the plan up. Whatever goes wrong from here on, a Ctrl-C included, ends all of it.

    Raises StartFailed.
    """
    files = [supervise.log_file(start.installation, name) for name in (*start.names, supervise.OWN_LOG)]
    start.log_sizes = {file.stem: file.stat().st_size for file in files if file.exists()}
    environment = processes.environment(start.installation, found, os.environ)
    try:
        start.supervisor = supervise.launch(start.installation, plan, environment, start.lock)
        bring_up(start, start.supervisor, plan, timeout)
        yield
    except BaseException as error:
        ignore_signals()
        if isinstance(error, progress.StartFailed):
            show_culprit(start, error.name)
        if start.supervisor:
            supervise.stop(start.supervisor)
        # A signal may have come between the start of the supervisor and the note of it.
        leftovers.end(start.installation.data)
        raise


def bring_up(start: Start, supervisor: subprocess.Popen[bytes], plan: tuple[processes.ProcessSpec, ...], timeout: float) -> None:
    with supervise.Remote(start.installation) as remote:
        supervise.await_supervisor(supervisor, remote)
        far = progress.Progress()
        # Broker and Redis are on their way while the database is made ready.
        supervise.begin(plan, remote, far)
        if processes.WEB in start.names:
            start.first_run = prepare_database(start.installation)
        supervise.bring_up(plan, remote, far, timeout, start.console.ready)


def prepare_database(installation: Installation) -> accounts.FirstRun | None:
    """Raises StartFailed."""
    try:
        call_command("migrate", verbosity=0, interactive=False)
        return accounts.prepare(installation.data)
    except DatabaseError as error:
        raise progress.StartFailed(None, f"The database could not be prepared: {str(error).splitlines()[0]}") from error


def show_culprit(start: Start, name: str | None) -> None:
    if name is None:
        return
    file = supervise.log_file(start.installation, name)
    start.console.line(f"The end of {file}:")
    for line in last_lines(file, CULPRIT_LINES, since=start.log_sizes.get(name, 0)):
        start.console.line(f"  {line}")


def log_printer(start: Start) -> LogPrinter:
    """Prints every process's log, and of the supervisor's own what happens to them."""
    files: dict[str, Path] = {name: supervise.log_file(start.installation, name) for name in start.names}
    files["supervisor"] = supervise.log_file(start.installation, supervise.OWN_LOG)
    return LogPrinter(
        files, start.console.line, start.console.colour, lambda name, line: name != "supervisor" or supervise.is_event(line)
    )


def catch_signals() -> None:
    """SIGTERM, and the terminal's end, stop everything as Ctrl-C does."""

    def interrupt(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)


def ignore_signals() -> None:
    """A stop once begun is carried through: it takes as long as it takes to leave nothing behind."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
