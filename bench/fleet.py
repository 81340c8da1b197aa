"""The control room with 5,000 connectors in ten clusters: pages, filters, searches, and what asking a cluster takes."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bench.figures import Goal, at_most

_RUN = "import django; django.setup(); from bench import fleet_room; fleet_room.main()"
_KIB = 1024


@dataclass(frozen=True, slots=True)
class Measured:
    """`times`, `cpu` (what of them a processor worked here, not in the database) and `first`, which is the first page of a
    process, in milliseconds; `wire` in bytes, compressed; `polls` in seconds of CPU, by how many of 1,000 have changed.
    """

    first: float
    times: Mapping[str, list[float]]
    cpu: Mapping[str, list[float]]
    wire: Mapping[str, int]
    polls: Mapping[str, list[float]]


@dataclass(frozen=True, slots=True)
class Fleet:
    """By database."""

    databases: dict[str, Measured] = field(default_factory=dict)

    def goals(self) -> list[Goal]:
        return [goal for name, measured in self.databases.items() for goal in _goals(name, measured)]


def run(folder: Path, say: Callable[[str], None]) -> Fleet:
    """On SQLite, and on the PostgreSQL that `DATABASE_URL` names, if it does: in a database of its own there."""
    urls = {"SQLite": f"sqlite:///{folder / 'fleet.sqlite3'}"}
    named = os.environ.get("DATABASE_URL", "")
    if named.startswith("postgres"):
        urls["PostgreSQL"] = named
    found = {}
    for name, url in urls.items():
        found[name] = _measured(url, folder)
        say(f"{name}: a page in {median(found[name].times['page']):.0f} ms, {found[name].wire['page'] / _KIB:.0f} KiB")
    return Fleet(found)


def _measured(url: str, folder: Path) -> Measured:
    """In a process of its own, because Django has one database for a life."""
    names = {"DATABASE_URL": url, "DROVER_DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "config.settings"}
    child = subprocess.run([sys.executable, "-c", _RUN], env={**os.environ, **names}, stdout=subprocess.PIPE, check=True)
    return Measured(**json.loads(child.stdout))


def _goals(name: str, measured: Measured) -> list[Goal]:
    slowest = max(median(times) for what, times in measured.times.items() if what.startswith(("filter", "search")))
    pages = max(median(times) for what, times in measured.times.items() if what.startswith("page"))
    polls = max(median(seconds) for seconds in measured.polls.values())
    return [
        at_most(f"{name}: a page of 5,000 connectors: ms", pages, 300),
        at_most(f"{name}: a page on the wire: KiB", max(measured.wire.values()) / _KIB, 200),
        at_most(f"{name}: the slowest filter or search: ms", slowest, 150),
        at_most(f"{name}: a round of 1,000 connectors: s of CPU", polls, 1),
    ]
