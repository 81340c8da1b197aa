"""The offsets tab as values, ready for its template."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from connect_client import PartitionOffset, calls
from connect_client.calls import Call
from connect_client.features import Feature, lacking
from connect_client.states import State
from dashboard.fleet.clusters import ClusterView
from dashboard.fleet.connector_page import Curl, curl
from dashboard.fleet.notices import Notice
from dashboard.fleet.sentence import count
from dashboard.offsets.changes import Change
from dashboard.offsets.entries import packed
from dashboard.offsets.history import Deed, Past
from dashboard.offsets.table import Table
from dashboard.offsets.trouble import Trouble

STOPPED, MOVING, DEAD = "offsets-stopped", "offsets-moving", "offsets-dead"
# Fewer are looked through faster than a filter is typed.
_FILTER_FROM = 20


def panel_key(state: State) -> str:
    """What is typed into a panel, and what a cluster was asked for it, is kept until it is of another key."""
    return STOPPED if state is State.STOPPED else MOVING


@dataclass(frozen=True, slots=True)
class Place:
    """Whose offsets: the connector, and its own state (that of its tasks does not count here)."""

    cluster: ClusterView
    name: str
    state: State

    @property
    def stopped(self) -> bool:
        return self.state is State.STOPPED

    @property
    def fixed(self) -> str:
        """Why no state of the connector would let them be changed; empty where one does."""
        return lacking(self.cluster.version, Feature.CHANGE_OFFSETS)

    @property
    def editable(self) -> bool:
        return self.stopped and not self.fixed


@dataclass(frozen=True, slots=True)
class Review:
    """What is about to be asked for. `moved`: what somebody else has changed since the form was made; `typed`: what is to be in
    the form again on the way back."""

    deed: Deed
    known: tuple[PartitionOffset, ...]
    changes: tuple[Change, ...]
    moved: tuple[Change, ...] = ()
    typed: tuple[PartitionOffset, ...] = ()

    @property
    def title(self) -> str:
        number = count(len(self.changes), "change")
        return f"Review: {number}" if self.deed is Deed.ALTER else f"Review: reset {self._all}"

    @property
    def button(self) -> str:
        return f"Apply {count(len(self.changes), 'change')}" if self.deed is Deed.ALTER else f"Reset {self._all}"

    @property
    def _all(self) -> str:
        return f"all {count(len(self.changes), 'offset')}" if len(self.changes) > 1 else "the only offset"

    @property
    def packed(self) -> str:
        return packed(self.typed)

    @property
    def packed_known(self) -> str:
        return packed(self.known)


@dataclass(frozen=True, slots=True)
class Typed:
    """What a form is drawn with again."""

    time: str = ""
    time_error: str = ""
    confirm: str = ""
    confirm_error: str = ""


NOTHING_TYPED = Typed()
NO_PARTITIONS = Table(())


@dataclass(frozen=True, slots=True)
class OffsetsPanel:
    """Shows one of: trouble, a review, the table. Of one that is `kept` nothing is drawn: what is on the screen stays there.
    `notice` is what came of the step before, and goes with it."""

    place: Place
    key: str
    kept: bool = False
    trouble: Trouble | None = None
    #: When the cluster told what the table shows; None for a form that has been on a screen before.
    asked_at: datetime | None = None
    table: Table = NO_PARTITIONS
    review: Review | None = None
    typed: Typed = NOTHING_TYPED
    notice: Notice | None = None
    result: Past | None = None
    #: That the connector has used since it was created.
    topics: tuple[str, ...] = ()
    history: tuple[Past, ...] = ()
    curls: tuple[Curl, ...] = ()

    @property
    def known(self) -> str:
        return packed(line.at for line in self.table.lines)

    @property
    def filtered(self) -> bool:
        return len(self.table.lines) > _FILTER_FROM

    @property
    def first_error(self) -> int | None:
        return next((line.number for line in self.table.lines if line.error), None)


def curls(place: Place, table: Table, review: Review | None, history: Iterable[Past]) -> tuple[Curl, ...]:
    """What the panel's buttons send."""
    name = place.name
    found = [Curl("Offsets", _curl(place, calls.offsets(name)))]
    if table.reaches:
        found.append(Curl("Earliest, latest, lag", _curl(place, calls.positions(name))))
    if place.fixed:
        return tuple(found)
    if not place.stopped:
        return (*found, Curl("Stop", _curl(place, calls.stop(name))))
    if review and review.deed is Deed.ALTER:
        found.append(Curl(review.button, alteration(place, [change.wanted for change in review.changes])))
    if (review and review.deed is Deed.RESET) or (review is None and table.committed):
        found.append(Curl("Reset all", _curl(place, calls.reset_offsets(name))))
    newest = next((past for past in history if past.can_be_put_back), None)
    if newest and review is None:
        found.append(Curl(f"Put back what was before: {newest.title.lower()}", alteration(place, newest.former)))
    return (*found, Curl("Resume", _curl(place, calls.resume(name))))


def alteration(place: Place, wanted: Sequence[PartitionOffset]) -> str:
    return _curl(place, calls.alter_offsets(place.name, wanted))


def _curl(place: Place, call: Call) -> str:
    return curl(place.cluster.url, call, place.cluster.flags)
