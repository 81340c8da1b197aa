"""Who was there: a worker that has left stays in sight for a while, and one that is back says so."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Self

from connect_client import Worker
from connect_client.shapes import Json

GONE_SHOWN = timedelta(minutes=10)
BACK_SHOWN = timedelta(minutes=1)
# A page that is open keeps the panel of a worker that has left for as long as this.
REMEMBERED = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Seen:
    """A worker as it was last told. `left_at` stays when it is back, and is None where a new life began without a gap to see."""

    worker: Worker
    left_at: datetime | None = None
    back_at: datetime | None = None

    @property
    def gone(self) -> bool:
        return self.left_at is not None and (self.back_at is None or self.back_at < self.left_at)

    def to_json(self) -> dict[str, Any]:
        return {"worker": self.worker.to_json(), "left_at": _text(self.left_at), "back_at": _text(self.back_at)}

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(Worker.from_json(body["worker"]), _moment(body["left_at"]), _moment(body["back_at"]))


def remember(before: Iterable[Seen], told: Iterable[Worker], now: datetime) -> tuple[Seen, ...]:
    """Everybody who is there now, and who was there not long ago."""
    known = {seen.worker.worker_id: seen for seen in before}
    there = {worker_id: _there(known.get(worker_id), worker, now) for worker_id, worker in _by_id(told).items()}
    left = {worker_id: _left(seen, now) for worker_id, seen in known.items() if worker_id not in there}
    recent = {worker_id: seen for worker_id, seen in left.items() if seen.left_at and now - seen.left_at < REMEMBERED}
    return tuple(sorted((there | recent).values(), key=lambda seen: natural(seen.worker.worker_id)))


def natural(text: str) -> list[tuple[int, str]]:
    """A sort key by which `w-10` comes after `w-9`."""
    return [(int(digits or 0), rest) for digits, rest in re.findall(r"(\d*)(\D*)", text)]


def _there(before: Seen | None, worker: Worker, now: datetime) -> Seen:
    if before is None:
        return Seen(worker)
    new_life = before.worker.started and worker.started > before.worker.started
    if before.gone:
        return replace(before, worker=worker, back_at=now)
    return Seen(worker, None, now) if new_life else replace(before, worker=worker)


def _left(seen: Seen, now: datetime) -> Seen:
    return seen if seen.gone else replace(seen, left_at=now)


def _by_id(told: Iterable[Worker]) -> dict[str, Worker]:
    """A worker that was killed and is back may be in the group twice, until its former life has timed out."""
    workers: dict[str, Worker] = {}
    for worker in sorted(told, key=lambda worker: worker.started):
        before = workers.get(worker.worker_id)
        workers[worker.worker_id] = _joined(before, worker) if before else worker
    return workers


def _joined(before: Worker, after: Worker) -> Worker:
    return replace(
        after,
        leader=before.leader or after.leader,
        connectors=tuple(sorted({*before.connectors, *after.connectors})),
        tasks=(*before.tasks, *[task for task in after.tasks if task not in before.tasks]),
    )


def _text(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
