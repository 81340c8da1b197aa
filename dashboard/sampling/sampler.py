"""Asking every cluster once a minute how much its connectors do, and writing it down."""

import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from connect_client import ConnectClient, ConnectError, ConnectNotFound
from dashboard.clusters import Access, access, connect
from dashboard.models import Cluster, ConnectorSnapshot, Readings, Sampling
from dashboard.sampling.exposition import Told, read
from dashboard.sampling.lags import GroupLags, Lags
from dashboard.sampling.rates import Flow, Standing, flows
from dashboard.sampling.series import COARSE, FINE, Point, thinned

_FINE_FOR = timedelta(hours=25)
_KEPT_FOR = timedelta(days=7, hours=1)
_BATCH = 500
_AT_ONCE = 4
# A scrape of thousands of tasks takes its time; a cluster that hangs must not hold up the next round.
_TIMEOUT = 20.0
_GROUP, _ELSEWHERE = "consumer.override.group.id", "consumer.override.bootstrap.servers"


@dataclass(frozen=True, slots=True)
class Round:
    """What a cluster told: by connector, and how it went. `tells_metrics` None: it could not be asked."""

    flows: Mapping[str, Flow] = field(default_factory=dict)
    lags: Mapping[str, int] = field(default_factory=dict)
    tells_metrics: bool | None = None
    metrics_error: str = ""
    lag_error: str = ""

    def points(self, seconds: int) -> dict[str, Point]:
        """By connector, as `Readings` has them."""
        nothing = Flow(0, 0)
        return {
            connector: [
                seconds,
                self.flows.get(connector, nothing).into if connector in self.flows else None,
                self.flows.get(connector, nothing).out if connector in self.flows else None,
                self.lags.get(connector),
            ]
            for connector in {*self.flows, *self.lags}
        }


class ClusterSampler:
    """Of one cluster: `ask` asks it and its Kafka, and needs no database."""

    def __init__(
        self,
        client: ConnectClient,
        bootstrap_servers: str = "",
        clock: Callable[[], float] = time.monotonic,
        group_lags: Callable[[str], GroupLags] = GroupLags,
    ) -> None:
        self._client = client
        self._group_lags = group_lags(bootstrap_servers) if bootstrap_servers else None
        self._clock = clock
        self._standing: Standing | None = None

    def ask(self, groups: Mapping[str, str]) -> Round:
        """`groups`: the consumer groups of the sinks whose lag Kafka may be asked for. What metrics tell goes before that: it
        is of the tasks' own last look."""
        tells, error, told = self._scrape()
        found, self._standing = flows(self._standing, told.counters, self._clock())
        unknown = {connector: group for connector, group in groups.items() if connector not in told.lags}
        from_kafka = self._group_lags.of(unknown) if self._group_lags and unknown else Lags({})
        return Round(found, {**from_kafka.lags, **told.lags}, tells, error, from_kafka.error)

    def close(self) -> None:
        self._client.close()

    def _scrape(self) -> tuple[bool | None, str, Told]:
        try:
            return True, "", read(self._client.metrics())
        except ConnectNotFound:
            return False, "", Told()
        except ConnectError as failure:
            return None, str(failure), Told()


class Sampler:
    """`step` is one round over all clusters. Belongs to one thread."""

    def __init__(self) -> None:
        self._samplers: dict[int, tuple[tuple[Access, str], ClusterSampler]] = {}
        self._hour: datetime | None = None
        self._points: dict[tuple[int, str], list[Point]] = {}

    def step(self, now: datetime) -> None:
        """Raises DatabaseError."""
        samplers = self._in_line()
        groups = _groups([cluster for cluster in samplers if cluster.bootstrap_servers])
        with ThreadPoolExecutor(max_workers=_AT_ONCE, thread_name_prefix="sample") as pool:
            rounds = pool.map(lambda one: one[1].ask(groups.get(one[0].pk, {})), samplers.items())
            for cluster, told in zip(samplers, rounds, strict=True):
                self._write(cluster, told, now)

    def close(self) -> None:
        for _, sampler in self._samplers.values():
            sampler.close()
        self._samplers = {}

    def _in_line(self) -> dict[Cluster, ClusterSampler]:
        """A sampler for each cluster, as the clusters now are. A Cluster is hashed by its key."""
        clusters = list(Cluster.objects.all())
        before, self._samplers = self._samplers, {}
        for cluster in clusters:
            reached = (access(cluster), cluster.bootstrap_servers)
            known, sampler = before.get(cluster.pk, (None, None))
            if sampler is None or known != reached:
                sampler = ClusterSampler(connect(reached[0], timeout=_TIMEOUT), cluster.bootstrap_servers)
            self._samplers[cluster.pk] = (reached, sampler)
        for _, sampler in before.values():
            if all(sampler is not kept for _, kept in self._samplers.values()):
                sampler.close()
        return {cluster: self._samplers[cluster.pk][1] for cluster in clusters}

    def _write(self, cluster: Cluster, told: Round, now: datetime) -> None:
        self._turn(now)
        assert self._hour is not None
        new = told.points(int((now - self._hour).total_seconds()))
        rows = []
        for connector, point in new.items():
            points = self._points.setdefault((cluster.pk, connector), [])
            points.append(point)
            rows.append(Readings(cluster=cluster, connector=connector, hour=self._hour, step=FINE, points=points))
        Readings.objects.bulk_create(
            rows,
            batch_size=_BATCH,
            update_conflicts=True,
            unique_fields=("cluster", "connector", "hour"),
            update_fields=("points", "step"),
        )
        how = {"at": now, "metrics_error": told.metrics_error, "lag_error": told.lag_error}
        if told.tells_metrics is not None:
            how["tells_metrics"] = told.tells_metrics
        Sampling.objects.update_or_create(cluster=cluster, defaults=how)

    def _turn(self, now: datetime) -> None:
        """The hour that is being written is held, and read when it is not."""
        hour = now.replace(minute=0, second=0, microsecond=0)
        if hour != self._hour:
            rows = Readings.objects.filter(hour=hour).values_list("cluster_id", "connector", "points")
            self._points = {(cluster, connector): points for cluster, connector, points in rows}
            self._hour = hour


def grow_old(now: datetime) -> bool:
    """Some of what is older than a day is made coarser, some of what is older than a week goes; whether there may be more."""
    gone = list(Readings.objects.filter(hour__lt=now - _KEPT_FOR).values_list("pk", flat=True)[:_BATCH])
    Readings.objects.filter(pk__in=gone).delete()
    fine = list(Readings.objects.filter(hour__lt=now - _FINE_FOR, step=FINE)[:_BATCH])
    for row in fine:
        row.points, row.step = thinned(row.points, COARSE), COARSE
    Readings.objects.bulk_update(fine, ("points", "step"), batch_size=100)
    return _BATCH in (len(gone), len(fine))


def _groups(clusters: Iterable[Cluster]) -> dict[int, dict[str, str]]:
    """The consumer groups of sinks, by cluster and connector. A sink that reads from another Kafka is not to be found in its
    cluster's."""
    found: dict[int, dict[str, str]] = {cluster.pk: {} for cluster in clusters}
    rows = ConnectorSnapshot.objects.filter(cluster__in=found).values_list("cluster_id", "name", "info")
    for cluster, name, info in rows:
        config = (info or {}).get("config") or {}
        if (info or {}).get("type") == "sink" and not config.get(_ELSEWHERE):
            found[cluster][name] = config.get(_GROUP) or f"connect-{name}"
    return found
