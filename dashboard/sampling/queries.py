"""From the database to the figures of a connector."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from dashboard.history.windows import Window
from dashboard.models import Cluster, ConnectorSnapshot, Readings, Sampling
from dashboard.sampling.charts import Chart, Source, charts
from dashboard.sampling.series import COARSE, FINE, laid_out


@dataclass(frozen=True, slots=True)
class Figures:
    """`points`: `[ms since 1970, in per second, out per second, lag]` every `step` seconds; null is not known."""

    step: int
    points: list[list[float | None]]
    charts: tuple[Chart, ...]


def of_connector(snapshot: ConnectorSnapshot, window: Window, now: datetime) -> Figures:
    step = COARSE if window is Window.WEEK else FINE
    points = _points(snapshot.cluster, snapshot.name, window, now, step)
    sampling = Sampling.objects.filter(cluster=snapshot.cluster).first()
    type = (snapshot.info or {}).get("type") or ""
    return Figures(step, points, charts(type, points, _source(snapshot.cluster, sampling)))


def _points(cluster: Cluster, connector: str, window: Window, now: datetime, step: int) -> list[list[float | None]]:
    start = window.start(now)
    rows = Readings.objects.filter(cluster=cluster, connector=connector, hour__gt=start - timedelta(hours=1)).order_by("hour")
    return laid_out(rows.values_list("hour", "points"), start, now, step)


def _source(cluster: Cluster, sampling: Sampling | None) -> Source:
    return Source(
        cluster=cluster.name,
        sampled=sampling is not None,
        tells_metrics=sampling.tells_metrics if sampling else None,
        metrics_error=sampling.metrics_error if sampling else "",
        bootstrap_servers=bool(cluster.bootstrap_servers),
        lag_error=sampling.lag_error if sampling else "",
    )
