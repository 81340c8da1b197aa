"""A connector as it is looked for among thousands: what a search sees of it, read from its documents once."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from connect_client.secrets import HIDDEN, without_secrets
from connect_client.shapes import Json
from dashboard.configs.passwords import Passwords, password_keys
from dashboard.fleet.rows import short_class
from dashboard.fleet.sentence import Tally


@dataclass(frozen=True, slots=True)
class Entry:
    """Everything that is compared is in folded case. `text`: name, class and failure, where plain words are looked for. `config`
    has no secret values in it: of those, the key is all that can be found. `version`: the row's that it was made of. `gave_up`:
    nothing restarts it by itself any more.
    """

    id: int
    version: int
    cluster: str
    name: str
    type: str
    short_class: str
    tally: Tally
    since: datetime | None
    changed_at: datetime
    workers: tuple[str, ...]
    names_of_class: frozenset[str]
    names_of_workers: frozenset[str]
    config: Mapping[str, str]
    failure: str
    text: str
    gave_up: bool = False


def entry(
    id: int,
    version: int,
    cluster: str,
    name: str,
    tally: Tally,
    since: datetime | None,
    changed_at: datetime,
    info: Json | None,
    status: Json | None,
    passwords: Passwords = MappingProxyType({}),
) -> Entry:
    """`info` and `status` as the cluster told them; `passwords` of its plug-ins."""
    config = (info or {}).get("config") or {}
    class_name = config.get("connector.class") or ""
    class_names = (class_name, class_name.rpartition(".")[2], short_class(class_name))
    told = (info or {}).get("type") or (status or {}).get("type")
    workers = tuple(sorted({instance.get("worker_id") or "" for instance in _instances(status)} - {""}))
    failure = _failure(status).casefold()
    return Entry(
        id=id,
        version=version,
        cluster=cluster,
        name=name,
        type=told if told in ("source", "sink") else "",
        short_class=sys.intern(short_class(class_name)),
        tally=tally,
        since=since,
        changed_at=changed_at,
        workers=workers,
        names_of_class=frozenset(map(str.casefold, class_names)),
        names_of_workers=frozenset(name.casefold() for worker in workers for name in (worker, worker.rpartition(":")[0])),
        config=_config(config, passwords),
        failure=failure,
        text="\n".join((name.casefold(), class_name.casefold(), failure)),
    )


def _instances(status: Json | None) -> Iterator[Json]:
    if status:
        yield status["connector"]
        yield from status.get("tasks", ())


def _config(config: Mapping[str, str | None], passwords: Passwords) -> dict[str, str]:
    """Thousands of configs have the same keys, and most of their values, in common."""
    shown = without_secrets(config, password_keys(config, passwords))
    return {
        sys.intern(key.casefold()): "" if value is None or value == HIDDEN else sys.intern(str(value).casefold())
        for key, value in shown.items()
    }


def _failure(status: Json | None) -> str:
    """Messages without the frames below them, those of several tasks once."""
    traces = dict.fromkeys(trace for instance in _instances(status) if (trace := instance.get("trace")))
    lines = (line for trace in traces for line in trace.splitlines() if line and not line[0].isspace())
    return "\n".join(dict.fromkeys(lines))
