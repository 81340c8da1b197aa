"""Which control process is at a row: a lease in the database, in its `claimed_by` and `claimed_until`. Whoever has it renews it;
a process that was killed, or slept too long, loses it to the next."""

import os
import socket
import uuid
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet

LEASE = timedelta(seconds=15)
Rows = QuerySet[Any, Any]


class LostClaim(Exception):
    """Another process is at it by now, or nobody any more. Nothing was written."""


def new_name() -> str:
    """By which one who takes leases is told from all others, also from those of an earlier life of the same process."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


def free(now: datetime, lease: timedelta = LEASE) -> Q:
    """One that lasts longer than any is of a clock that has been set back since."""
    return Q(claimed_until=None) | Q(claimed_until__lte=now) | Q(claimed_until__gt=now + 4 * lease)


def is_held(claimed_until: datetime | None, now: datetime, lease: timedelta = LEASE) -> bool:
    """Of a row that was read: what `free` asks of the database."""
    return claimed_until is not None and now < claimed_until <= now + 4 * lease


def claimed(by: str, now: datetime) -> dict[str, object]:
    """What is written of a row to claim it."""
    return {"claimed_by": by, "claimed_until": now + LEASE}


def claim(rows: Rows, by: str, now: datetime) -> bool:
    """Whether any of them was free. Of several that try at once, one has it."""
    return bool(rows.filter(free(now)).update(**claimed(by, now)))


def renew(rows: Rows, by: str, now: datetime) -> None:
    """Those of them that are still `by`'s."""
    rows.filter(claimed_by=by).update(claimed_until=now + LEASE)


def hold(rows: Rows, by: str, now: datetime) -> None:
    """Of one row. What is written in the same transaction is written by whoever has it, or not at all. Raises LostClaim."""
    if not rows.filter(claimed_by=by).update(claimed_until=now + LEASE):
        raise LostClaim


def release(rows: Rows, by: str) -> None:
    """For the next process to take at once."""
    rows.filter(claimed_by=by).update(claimed_by="", claimed_until=None)
