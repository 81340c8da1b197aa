"""Prometheus' text format (0.0.4). prometheus_client's own writer takes up to a second for a thousand connectors
(docs/metrics.md); its parser is what the tests read this with."""

from collections.abc import Iterator, Mapping

from workers.metrics.catalogue import Metric

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_IN_LABELS = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


def labels(named: Mapping[str, str]) -> str:
    """`{name="value",…}`; any text may be a value."""
    return "{" + ",".join(f'{name}="{value.translate(_IN_LABELS)}"' for name, value in named.items()) + "}"


class Page:
    """Samples, gathered in any order and written metric by metric. `labels` come as `labels` made them: samples share them."""

    def __init__(self) -> None:
        self._lines: dict[Metric, list[str]] = {}

    def add(self, metric: Metric, labels: str, value: float) -> None:
        self._lines.setdefault(metric, []).append(f"{metric.name}{labels} {value}\n")

    def text(self) -> bytes:
        return "".join(self._written()).encode()

    def _written(self) -> Iterator[str]:
        for metric, lines in self._lines.items():
            yield f"# HELP {metric.name} {metric.help}\n# TYPE {metric.name} {metric.kind}\n"
            yield from lines
