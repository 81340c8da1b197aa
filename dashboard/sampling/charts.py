"""What charts a connector has, and why it has not others. Decisions over values."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dashboard.sampling.series import Point

_SOON = "Figures come once a minute; the first of them are still to come."


@dataclass(frozen=True, slots=True)
class Source:
    """Where figures could come from. `sampled`: whether the control process has been there at all."""

    cluster: str
    sampled: bool
    tells_metrics: bool | None
    metrics_error: str
    bootstrap_servers: bool
    lag_error: str


@dataclass(frozen=True, slots=True)
class Chart:
    """`columns`: of a point's, by their names. `missing`: why there is nothing to draw, empty if there is; `settings`: it can be
    changed where the cluster is."""

    title: str
    unit: str
    columns: tuple[tuple[str, int], ...]
    caption: str
    missing: str = ""
    settings: bool = False

    @property
    def labels(self) -> str:
        return ",".join(name for name, _ in self.columns)

    @property
    def places(self) -> str:
        return ",".join(str(place) for _, place in self.columns)


def charts(type: str, points: Sequence[Point], source: Source) -> tuple[Chart, ...]:
    """A source has no lag. `points`: `[ms, in, out, lag]`, in order."""
    flow = _chart("Throughput", "records/s", (("in", 1), ("out", 2)), points, _no_flow(source))
    if type == "source":
        return (flow,)
    lag = _chart("Lag", "records", (("lag", 3),), points, _no_lag(source))
    return (replace(lag, settings=bool(lag.missing) and not source.bootstrap_servers), flow)


def _chart(title: str, unit: str, columns: tuple[tuple[str, int], ...], points: Sequence[Point], missing: str) -> Chart:
    told = [(name, [value for point in points if (value := point[place]) is not None]) for name, place in columns]
    if not any(values for _, values in told):
        return Chart(title, unit, columns, "", missing)
    parts = [
        f"{name} {number(values[-1])}, at most {number(max(values))}" if len(columns) > 1 else _alone(values)
        for name, values in told
        if values
    ]
    return Chart(title, unit, columns, f"{'; '.join(parts)} {unit}")


def _alone(values: Sequence[float]) -> str:
    return f"{number(values[-1])}, at most {number(max(values))}"


def number(value: float) -> str:
    """Three digits say enough of a rate; a lag is told to the record."""
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"


def _no_flow(source: Source) -> str:
    if not source.sampled:
        return _SOON
    if source.metrics_error:
        return f"No throughput: the metrics of cluster {source.cluster} cannot be read. {source.metrics_error}"
    if source.tells_metrics is False:
        return "No throughput: Kafka Connect tells it by JMX only, a Drover at its REST API."
    return f"No throughput: no worker has told any for this connector. {_SOON}"


def _no_lag(source: Source) -> str:
    if not source.sampled:
        return _SOON
    if source.lag_error:
        return f"No lag: the Kafka of cluster {source.cluster} does not tell it. {source.lag_error}"
    if source.tells_metrics and not source.bootstrap_servers:
        return f"No lag: no task has told any. {_SOON}"
    if not source.bootstrap_servers:
        return f"No lag: cluster {source.cluster} has no bootstrap servers given."
    return "No lag: its consumer group has committed no offsets."
