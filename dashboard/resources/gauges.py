"""How many resources there are and how they are, in Prometheus' text format (0.0.4)."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from dashboard.models import Resource
from dashboard.resources import documents, orders
from dashboard.resources.documents import Kind

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
#: Those that are reconciled.
_KINDS = (Kind.CONNECTOR, Kind.MIRROR_MAKER)
_IN_LABELS = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


@dataclass(frozen=True, slots=True)
class Gauge:
    """`of`: what one resource adds to it."""

    name: str
    help: str
    of: Callable[[Resource], int]


def _restarts(resource: Resource) -> int:
    told = resource.status
    several = told.get("autoRestartStatuses") or told.get("autoRestartConnectorsAndTasks") or ()
    return sum(one["count"] for one in (*several, *([told["autoRestart"]] if "autoRestart" in told else [])))


GAUGES = (
    Gauge("drover_room_resources", "Resources", lambda _: 1),
    Gauge(
        "drover_room_resources_paused",
        "Resources whose reconciliation is paused",
        lambda one: orders.is_paused(documents.annotations_of(one)),
    ),
    Gauge(
        "drover_room_resources_not_ready",
        "Resources that are NotReady",
        lambda one: any(told["type"] == "NotReady" for told in one.status.get("conditions", ())),
    ),
    Gauge("drover_room_resources_auto_restarts", "Automatic restarts that are counted in their statuses", _restarts),
)


def text(found: Iterable[Resource], clusters: Iterable[str]) -> str:
    """By kind and cluster, 0 also where these clusters have none."""
    groups: defaultdict[tuple[str, str], list[Resource]] = defaultdict(list)
    for cluster in clusters:
        groups |= {(kind.value, cluster): [] for kind in _KINDS}
    for one in found:
        if one.kind in _KINDS:
            groups[one.kind, one.cluster_name].append(one)
    return "".join(line for gauge in GAUGES for line in _lines(gauge, groups))


def _lines(gauge: Gauge, groups: dict[tuple[str, str], list[Resource]]) -> Iterator[str]:
    yield f"# HELP {gauge.name} {gauge.help}\n# TYPE {gauge.name} gauge\n"
    for (kind, cluster), found in sorted(groups.items()):
        labels = f'kind="{documents.KINDS[kind]}",cluster="{cluster.translate(_IN_LABELS)}"'
        yield f"{gauge.name}{{{labels}}} {sum(map(gauge.of, found))}\n"
