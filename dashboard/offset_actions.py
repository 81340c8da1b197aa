"""Changing where a connector stands, with a note of it: see `dashboard.actions`."""

from collections.abc import Sequence
from datetime import UTC, datetime

from connect_client import ConnectError, ConnectRefused, PartitionOffset
from dashboard.clusters import client
from dashboard.models import ConnectorSnapshot, OffsetChange
from dashboard.offsets.changes import Change
from dashboard.offsets.history import Deed, Outcome

# A status from here on does not say that nothing was changed.
_WENT_WRONG = 500


def change_offsets(snapshot: ConnectorSnapshot, deed: Deed, changes: Sequence[Change], by: str) -> OffsetChange:
    """Whether it came to pass is in the outcome. Noted before it is asked for, and again when there is an answer: whoever ends in
    between leaves its outcome unknown, as does a cluster that does not answer, or says that something went wrong on the way."""
    noted = OffsetChange.objects.create(
        cluster=snapshot.cluster,
        connector=snapshot.name,
        asked_at=datetime.now(UTC),
        by=by,
        deed=deed,
        before=[change.former.to_json() for change in changes],
        after=[change.wanted.to_json() for change in changes],
    )
    noted.outcome, noted.message = _ask(snapshot, deed, [change.wanted for change in changes])
    noted.save(update_fields=("outcome", "message"))
    return noted


def _ask(snapshot: ConnectorSnapshot, deed: Deed, wanted: Sequence[PartitionOffset]) -> tuple[Outcome, str]:
    to = client(snapshot.cluster)
    try:
        told = to.reset_offsets(snapshot.name) if deed is Deed.RESET else to.alter_offsets(snapshot.name, wanted)
    except ConnectRefused as error:
        outcome = Outcome.REFUSED if error.status < _WENT_WRONG else Outcome.UNKNOWN
        return outcome, f"{error.status}, {error}"
    except ConnectError as error:
        return Outcome.UNKNOWN, str(error)
    return Outcome.DONE, told
