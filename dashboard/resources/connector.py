"""One connector of a resource, brought to what is wanted of it: look, decide, do, and look again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import Q

from connect_client import ConnectConflict, ConnectUnreachable, ConnectUnusable
from dashboard.models import ResourceAnnotation, StateChange
from dashboard.resources import conditions, decide, deeds
from dashboard.resources.conditions import Condition
from dashboard.resources.config_maps import CannotUse
from dashboard.resources.decide import Change, Configure, Create, Deed, Memory, Obey, Seen, Settle, Standing
from dashboard.resources.deeds import Trouble, Work
from dashboard.resources.orders import ManageOffsets, Order, Restart, RestartTask
from dashboard.resources.spec import Remark
from dashboard.sealed import CannotUnseal

_S = ResourceAnnotation.State
#: What was asked for a moment ago is looked at again.
SOON = timedelta(seconds=2)
#: A cluster that rebalances or cannot be reached may do so no more.
AWAY = timedelta(seconds=10)
#: More deeds in one pass than there can be reasons for.
_MOST = 12
_UNKNOWN = "It is not known whether this was done: it was asked for, and no answer has come. Set the annotation anew."


@dataclass
class Came:
    """What has come of it. `trouble`: why it could not be looked at or not be brought about; `again`: when to look again."""

    seen: Seen = field(default_factory=lambda: Seen(None, None))
    trouble: Condition | None = None
    topics: Sequence[str] = ()
    again: timedelta = decide.CYCLE


class Bringing:
    """`annotations`: the rows of the resource's, by key; those that were carried out are taken out. Raises LostClaim and
    DatabaseError: then another pass goes on."""

    def __init__(self, work: Work, orders: Sequence[Order], annotations: dict[str, ResourceAnnotation]) -> None:
        self._work = work
        self._orders = [order for order in orders if order.connector == work.name]
        self._rows = annotations
        self._configured = False

    def bring(self) -> Came:
        came = Came()
        try:
            self._round(came)
            came.topics = deeds.topics(self._work) if came.seen.config is not None else ()
        except Trouble as trouble:
            came.trouble, came.again = trouble.condition, _patience(trouble)
        return came

    def _round(self, came: Came) -> None:
        for _ in range(_MOST):
            came.seen = deeds.look(self._work)
            deed = self._next(came.seen)
            if deed is None:
                break
            self._do(deed, came.seen)
        came.again = self._rest(came.seen)

    def _next(self, seen: Seen) -> Deed | None:
        owned = self._work.owned
        memory = Memory(owned.written, owned.told, owned.state_asked, owned.state_asked_at, self._configured)
        standings = [self._standing(order) for order in self._orders if order.keys[0] in self._rows]
        return decide.next_deed(self._work.wanted, seen, memory, standings, self._work.clock())

    def _standing(self, order: Order) -> Standing:
        row = self._rows[order.keys[0]]
        restarted = row.state == _S.ASKING and self._restarted(order, row.tried_at)
        return Standing(order, row.state, row.tried_at, restarted)

    def _rest(self, seen: Seen) -> timedelta:
        waiting = [row for order in self._orders if (row := self._rows.get(order.keys[0]))]
        if not decide.settled(self._work.wanted, seen) or (self._configured and waiting):
            return SOON
        if any(row.state == _S.ASKING for row in waiting):
            return decide.GRACE
        return decide.CYCLE

    def _do(self, deed: Deed, seen: Seen) -> None:
        self._work.hold()
        match deed:
            case Create():
                self._configured = True
                deeds.create(self._work)
            case Configure():
                self._configured = True
                deeds.configure(self._work, deed, seen.config or {})
            case Change():
                deeds.change(self._work, deed)
            case Obey(order):
                self._obey(order, seen)
            case Settle(order, done=True):
                self._done(order)
            case Settle(order):
                self._mark(order, _S.UNKNOWN, _UNKNOWN)

    # Annotations

    def _obey(self, order: Order, seen: Seen) -> None:
        """Written down before it is asked for: who comes after a crash does not restart it once more. A failure leaves the
        connector as it is, and all else goes on."""
        row = self._rows[order.keys[0]]
        if not self._mark(order, _S.ASKING, row.message):
            return
        try:
            match order.deed:
                case Restart():
                    deeds.restart(self._work, order.deed)
                case RestartTask():
                    deeds.restart_task(self._work, order.deed)
                case ManageOffsets():
                    deeds.manage_offsets(self._work, order.deed, seen)
        except Trouble as trouble:
            self._failed(order, _told(order, str(trouble)), known=_is_answer(trouble), verb=True)
        except (CannotUse, CannotUnseal) as error:
            self._failed(order, str(error))
        else:
            self._done(order)

    def _failed(self, order: Order, message: str, *, known: bool = True, verb: bool = False) -> None:
        if verb and message != self._rows[order.keys[0]].message:
            task = order.deed.task if isinstance(order.deed, RestartTask) else None
            kind = f"{order.deed.verb}-offsets" if isinstance(order.deed, ManageOffsets) else "restart"
            self._work.noted(kind, task=task, refused=message)
        self._mark(order, _S.FAILED if known else _S.ASKING, message)

    def _mark(self, order: Order, state: str, message: str) -> bool:
        """Whether it is still there, and as it was read."""
        row = self._rows[order.keys[0]]
        as_read = ResourceAnnotation.objects.filter(pk=row.pk, state=row.state)
        if not as_read.update(state=state, tried_at=self._work.clock(), message=message):
            del self._rows[order.keys[0]]
            return False
        row.state, row.tried_at, row.message = state, self._work.clock(), message
        return True

    def _done(self, order: Order) -> None:
        """Those that were read: what somebody has set anew meanwhile stays, and is another order."""
        ResourceAnnotation.objects.filter(pk__in=[self._rows[key].pk for key in order.keys if key in self._rows]).delete()
        for key in order.keys:
            self._rows.pop(key, None)

    def _restarted(self, order: Order, since: datetime | None) -> bool:
        """Whether the follower has seen it."""
        if since is None:
            return False
        changes = StateChange.objects.filter(cluster=self._work.cluster, connector=self._work.name, at__gte=since)
        if isinstance(order.deed, RestartTask):
            changes = changes.filter(task=order.deed.task)
        elif isinstance(order.deed, Restart) and not order.deed.include_tasks:
            changes = changes.filter(task=None)
        passing = ("RESTARTING", "UNASSIGNED")
        return changes.filter(Q(state__in=passing) | Q(was__in=(*passing, "FAILED"))).exclude(state="").exists()


def remarks(orders: Sequence[Order], annotations: Mapping[str, ResourceAnnotation]) -> list[Condition]:
    """What is to be said of annotations that are still there."""
    rows = [(order, annotations[order.keys[0]]) for order in orders if order.keys[0] in annotations]
    return [conditions.warning(Remark(order.deed.reason, row.message)) for order, row in rows if row.message]


def _told(order: Order, why: str) -> str:
    match order.deed:
        case Restart():
            return f"Failed to restart connector {order.connector}. {why}"
        case RestartTask(task):
            return f"Failed to restart connector task {order.connector}:{task}. {why}"
    return f"Failed to {order.deed.verb} the connector offsets. {why}"


def _is_answer(trouble: Trouble) -> bool:
    """Whether it is known that it was not done: the cluster said so, or was not asked at all."""
    return not isinstance(trouble.error, ConnectUnreachable) or not trouble.error.sent


def _patience(trouble: Trouble) -> timedelta:
    passes = isinstance(trouble.error, ConnectUnreachable | ConnectUnusable | ConnectConflict)
    return AWAY if passes else decide.CYCLE
