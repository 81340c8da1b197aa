"""One reconciliation of a resource: what is wanted is compared with what is there, connector by connector, and told."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from dashboard import queries
from dashboard.control import leases
from dashboard.live.messages import RESOURCES
from dashboard.live.publisher import publisher
from dashboard.models import Cluster, Resource, ResourceAnnotation, ResourceConnector
from dashboard.resources import claims, conditions, connector, decide, deeds, documents, orders, restarting, spec, status
from dashboard.resources.conditions import Condition
from dashboard.resources.connector import AWAY, Bringing, Came
from dashboard.resources.deeds import Trouble, Work
from dashboard.resources.orders import Orders
from dashboard.resources.spec import Reading, Wanted
from dashboard.sealed import CannotUnseal


@dataclass
class Result:
    conditions: list[Condition] = field(default_factory=list)
    came: dict[str, Came] = field(default_factory=dict)
    again: timedelta = decide.CYCLE
    #: Nothing was looked at: what is told of connectors is not of this moment.
    paused: bool = False


class Pass:
    """Of a resource that `by` has claimed. Belongs to one thread. Raises LostClaim and DatabaseError: then another one goes on
    from what is written."""

    def __init__(self, resource: int, by: str, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._by = by
        self._clock = clock
        found = Resource.objects.prefetch_related("annotations", "connectors").filter(pk=resource).first()
        if found is None:
            raise leases.LostClaim
        self._resource = found
        self._rows: dict[str, ResourceAnnotation] = {row.key: row for row in found.annotations.all()}
        self._asked = frozenset(self._rows)

    def work(self) -> None:
        if self._resource.deleted_at:
            self._delete()
        else:
            self._tell(self._bring())

    def _hold(self) -> None:
        leases.hold(claims.rows([self._resource.pk]), self._by, self._clock())

    # Bringing about

    def _bring(self) -> Result:
        if orders.is_paused({key: row.value for key, row in self._rows.items()}):
            return Result([conditions.PAUSED], paused=True)
        try:
            reading = spec.read(self._resource.kind, self._resource.name, documents.body_of(self._resource))
        except CannotUnseal as error:
            return Result([conditions.not_ready("CannotUnseal", str(error))])
        if reading.errors:
            told = "; ".join(f"{path}: {' '.join(text)}" for path, text in reading.errors.items())
            return Result([conditions.not_ready("InvalidResourceException", told)])
        if not self._resource.cluster_name:
            return Result([conditions.no_label()])
        cluster = _cluster(self._resource.cluster_name)
        if cluster is None:
            return Result([conditions.no_cluster(self._resource.cluster_name, self._resource.namespace)])
        return self._all(reading, cluster)

    def _all(self, reading: Reading, cluster: Cluster) -> Result:
        asked = orders.read(
            self._resource.kind, {key: row.value for key, row in self._rows.items()}, [one.name for one in reading.connectors]
        )
        result = Result()
        for wanted in reading.connectors:
            came = self._one(wanted, cluster, asked)
            result.came[wanted.name] = came
            result.again = min(result.again, came.again)
        ready = status.readiness(self._resource.kind, reading.connectors, result.came)
        warnings = [conditions.warning(one) for one in (*reading.remarks, *asked.remarks)]
        result.conditions = [ready, *warnings, *connector.remarks(asked.orders, self._rows)]
        result.again = min(result.again, self._sweep(reading.connectors))
        return result

    def _one(self, wanted: Wanted, cluster: Cluster, asked: Orders) -> Came:
        self._hold()
        owned, _ = ResourceConnector.objects.select_related("resource").get_or_create(
            cluster_name=cluster.name, connector=wanted.name, defaults={"resource": self._resource}
        )
        if owned.resource_id != self._resource.pk:
            return Came(trouble=conditions.taken(wanted.name, cluster.name, str(owned.resource)))
        restarting.keep(cluster, wanted)
        if away := self._away(cluster):
            return Came(trouble=away, again=AWAY)
        return Bringing(self._work(owned, wanted, cluster), asked.orders, self._rows).bring()

    def _work(self, owned: ResourceConnector, wanted: Wanted, cluster: Cluster) -> Work:
        return Work(self._resource, owned, wanted, cluster, self._hold, self._clock)

    def _away(self, cluster: Cluster) -> Condition | None:
        """A cluster that the follower does not reach is not asked: it would cost a time-out each time."""
        view = queries.cluster_view(cluster, self._clock())
        return None if view.reachable else conditions.not_ready("ConnectTimeoutException", view.error)

    # Taking away

    def _sweep(self, wanted: Sequence[Wanted]) -> timedelta:
        """What the document wanted once, there or in another cluster. Tells when to try again what was not done."""
        kept = {(self._resource.cluster_name, one.name) for one in wanted}
        own = self._resource.connectors.order_by("pk")
        gone = [self._remove(row) for row in own if (row.cluster_name, row.connector) not in kept]
        return decide.CYCLE if all(gone) else AWAY

    def _remove(self, owned: ResourceConnector) -> bool:
        """A cluster that is not known any more has its connectors to itself."""
        self._hold()
        cluster = _cluster(owned.cluster_name)
        if cluster is not None:
            if self._away(cluster):
                return False
            try:
                deeds.delete(self._work(owned, Wanted(owned.connector, {}), cluster))
            except Trouble:
                return False
            restarting.forget(cluster, owned.connector)
        owned.delete()
        return True

    def _delete(self) -> None:
        gone = [self._remove(row) for row in self._resource.connectors.order_by("pk")]
        if all(gone):
            self._hold()
            self._resource.delete()
            publisher().publish(RESOURCES)
            return
        # Not as they were loaded: what was refused just now is written in them.
        rows = self._resource.connectors.order_by("pk")
        told = " ".join(row.refused or f"{row.connector} in {row.cluster_name} is still to be deleted." for row in rows)
        self._tell(Result([conditions.not_ready("Deleting", told)], again=AWAY, paused=True))

    # Telling

    def _tell(self, result: Result) -> None:
        self._hold()
        now = self._clock()
        before = self._resource.status.get("conditions", ())
        told: dict[str, Any] = {"conditions": conditions.told(result.conditions, before, now)}
        if result.paused:
            told["observedGeneration"] = self._resource.status.get("observedGeneration", 0)
        else:
            told["observedGeneration"] = self._resource.generation
            told |= status.of(self._resource, result.came) | restarting.status(self._resource, list(result.came))
        if told != self._resource.status:
            Resource.objects.filter(pk=self._resource.pk, claimed_by=self._by).update(status=told, observed_at=now)
        claims.release(self._resource.pk, self._by, self._resource.wake, now + result.again)
        # An annotation that was carried out need not change the status.
        if told != self._resource.status or self._asked != self._rows.keys():
            publisher().publish(RESOURCES)


def _cluster(name: str) -> Cluster | None:
    return Cluster.objects.select_related("snapshot").filter(name=name).first()
