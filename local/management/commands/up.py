"""`manage.py up`: everything that Drover consists of, on this machine, kept alive until it is told to stop."""

import sys
import time
from argparse import ArgumentParser
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from local import jars, java, kafka, preflight, processes, progress, redis, supervise
from local.console import Console, summary
from local.installation import this_installation
from local.start import Refused, Start, catch_signals, ignore_signals, log_printer, make_folders, prepare, refuse_if, supervised
from workers import properties_option

# Flags win over the environment that the settings were made from.
VARIABLES = {
    "port": "DROVER_PORT",
    "host": "DROVER_HOST",
    "data_dir": "DROVER_DATA_DIR",
    "log_level": "DROVER_LOG_LEVEL",
    "workers": "DROVER_WORKERS",
}
EXPECTED = (
    Refused,
    java.JavaUnusable,
    jars.FetchFailed,
    kafka.FormatFailed,
    redis.RedisMissing,
    progress.StartFailed,
)


class Command(BaseCommand):
    help = "Starts everything on this machine: Kafka, Redis, worker, web and control; Ctrl-C stops it."
    # The database may not exist yet, and what the checks would find is found by the tests.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("--port", type=int, help="of the web server; Kafka and Redis take the three that follow (DROVER_PORT)")
        add("--host", help="that the web server listens on (DROVER_HOST)")
        add("--data-dir", help="what survives a restart is kept here (DROVER_DATA_DIR)")
        add("--log-level", choices=["debug", "info", "warning", "error"], help="of Drover's processes (DROVER_LOG_LEVEL)")
        add("--detach", action="store_true", help="return as soon as everything is healthy; `manage.py down` ends it")
        add("--insecure", action="store_true", help="let other machines reach the REST API, which asks nobody to sign in")
        add("--workers", type=int, help="how many workers share the connectors and tasks (DROVER_WORKERS; default: 1)")
        properties_option.add_option(parser)
        add("--only", metavar="NAMES", help=f"start only these of {','.join(processes.NAMES)}")
        add("--timeout", type=float, default=120, help="seconds that a process may take to become ready (default: 120)")

    def handle(self, *args: Any, **options: Any) -> None:
        start_again_with(options)
        installation, console = this_installation(), Console()
        names = chosen(processes.own_parts(installation), options["only"])
        catch_signals()
        try:
            refuse_if(preflight.machine_problems(installation, options["insecure"]))
            make_folders(installation)
            with supervise.lock(installation) as lock:
                run(Start(installation, names, console, lock), detach=options["detach"], timeout=options["timeout"])
        except supervise.AlreadyUp as error:
            raise CommandError(
                f"Drover is already up in {installation.data}: stop it first, or choose another folder."
            ) from error
        except EXPECTED as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            console.line("Stopped before it was up.")
            sys.exit(130)


def start_again_with(options: dict[str, Any]) -> None:
    """Flags win over the file of settings, and that over the environment. Raises CommandError."""
    wanted = {name: str(options[flag]) for flag, name in VARIABLES.items() if options[flag] is not None}
    if "DROVER_DATA_DIR" in wanted:
        wanted["DROVER_DATA_DIR"] = str(Path(wanted["DROVER_DATA_DIR"]).expanduser().absolute())
    properties_option.use(options["properties"], wanted)


def chosen(parts: tuple[str, ...], only: str | None) -> tuple[str, ...]:
    """The parts that are to run; a part that the user named is not one of them, asked for or not."""
    if only is None:
        return parts
    wanted = [name.strip() for name in only.split(",")]
    if unknown := [name for name in wanted if name not in {*processes.NAMES, *parts}]:
        raise CommandError(f"--only knows {', '.join(processes.NAMES)}, not {', '.join(unknown)}.")
    return tuple(name for name in parts if name in wanted)


def run(start: Start, *, detach: bool, timeout: float) -> None:
    """Starts it, says where it is, and unless detached keeps it until somebody wants it to stop."""
    began = time.monotonic()
    found, plan = prepare(start)
    with nullcontext() if detach else log_printer(start), supervised(start, found, plan, timeout):
        seconds = time.monotonic() - began
        for line in summary(start.installation, start.names, start.first_run, seconds, detach):
            start.console.line(line)
        if not detach:
            keep(start)
    if not detach:
        start.console.line("Stopped.")


def keep(start: Start) -> None:
    """Returns when the installation has stopped, by Ctrl-C, SIGTERM or `manage.py down`.

    Raises CommandError: the supervisor died otherwise.
    """
    assert start.supervisor is not None
    try:
        code = start.supervisor.wait()
    except KeyboardInterrupt:
        ignore_signals()
        start.console.line("Stopping ...")
        supervise.stop(start.supervisor)
        code = 0
    if code != 0:
        log = supervise.log_file(start.installation, supervise.OWN_LOG)
        raise CommandError(f"The supervisor died (code {code}), so everything was stopped; {log} may tell why.")
