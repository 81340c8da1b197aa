"""Changing where a connector stands, with a note of it: see `dashboard.actions`."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from connect_client import ConnectError, ConnectRefused, PartitionOffset
from dashboard.activity import Who, note
from dashboard.clusters import client
from dashboard.models import ConnectorSnapshot, OffsetChange
from dashboard.offsets.changes import Change
from dashboard.offsets.history import Deed, Outcome, ended

# A status from here on does not say that nothing was changed.
_WENT_WRONG = 500


@dataclass(frozen=True, slots=True)
class Asked:
    """`error`: what it was answered with, where it was not done, or may not have been."""

    noted: OffsetChange
    error: ConnectError | None


def change_offsets(snapshot: ConnectorSnapshot, deed: Deed, changes: Sequence[Change], who: Who) -> Asked:
    """Whether it came to pass is in the outcome. Noted before it is asked for, and again when there is an answer: whoever ends in
    between leaves its outcome unknown, as does a cluster that does not answer, or says that something went wrong on the way."""
    noted = OffsetChange.objects.create(
        cluster=snapshot.cluster,
        connector=snapshot.name,
        asked_at=datetime.now(UTC),
        by=who.name,
        deed=deed,
        before=[change.former.to_json() for change in changes],
        after=[change.wanted.to_json() for change in changes],
    )
    error: ConnectError | None = None
    try:
        noted.outcome, noted.message = Outcome.DONE, _ask(snapshot, deed, [change.wanted for change in changes])
    except ConnectRefused as refused:
        noted.outcome = Outcome.REFUSED if refused.status < _WENT_WRONG else Outcome.UNKNOWN
        noted.message, error = f"{refused.status}, {refused}", refused
    except ConnectError as unanswered:
        noted.outcome, noted.message, error = Outcome.UNKNOWN, str(unanswered), unanswered
    noted.save(update_fields=("outcome", "message"))
    note(
        who,
        deed.verb,
        cluster=snapshot.cluster.name,
        connector=snapshot.name,
        before={change.name: change.before for change in changes},
        after={change.name: change.after for change in changes},
        refused="" if noted.outcome == Outcome.DONE else ended(Outcome(noted.outcome), noted.message),
    )
    return Asked(noted, error)


def _ask(snapshot: ConnectorSnapshot, deed: Deed, wanted: Sequence[PartitionOffset]) -> str:
    """Raises ConnectError."""
    to = client(snapshot.cluster)
    return to.reset_offsets(snapshot.name) if deed is Deed.RESET else to.alter_offsets(snapshot.name, wanted)
