"""What annotations ask for: each a request for one deed, of one connector."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dashboard.models import Resource
from dashboard.resources.spec import Remark

RESTART = "strimzi.io/restart"
RESTART_TASK = "strimzi.io/restart-task"
RESTART_CONNECTOR = "strimzi.io/restart-connector"
RESTART_CONNECTOR_TASK = "strimzi.io/restart-connector-task"
OFFSETS = "strimzi.io/connector-offsets"
MIRROR_CONNECTOR = "strimzi.io/mirrormaker-connector"
PAUSE = "strimzi.io/pause-reconciliation"
CLUSTER = "strimzi.io/cluster"
RESTARTS = (RESTART, RESTART_TASK, RESTART_CONNECTOR, RESTART_CONNECTOR_TASK)

_ARGUMENTS = {"includetasks", "onlyfailed"}
_TASK_OF = re.compile(r"(?P<connector>.+):(?P<task>\d+)")
_FORMAT = "Invalid annotation format"


@dataclass(frozen=True, slots=True)
class Restart:
    include_tasks: bool = False
    only_failed: bool = False

    reason = "RestartConnector"


@dataclass(frozen=True, slots=True)
class RestartTask:
    task: int

    reason = "RestartConnectorTask"


@dataclass(frozen=True, slots=True)
class ManageOffsets:
    """`verb`: list, alter or reset."""

    verb: str

    @property
    def reason(self) -> str:
        return f"{self.verb.capitalize()}Offsets"


Deed = Restart | RestartTask | ManageOffsets


@dataclass(frozen=True, slots=True)
class Order:
    """`keys`: the annotations that go when it was carried out; the first one is what it is known by."""

    connector: str
    deed: Deed
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Orders:
    orders: tuple[Order, ...] = ()
    remarks: tuple[Remark, ...] = ()


def is_paused(annotations: Mapping[str, str]) -> bool:
    return annotations.get(PAUSE, "").strip().lower() == "true"


def restart(value: str) -> Restart | Remark | None:
    """None: no restart is asked for. Strimzi's values, in any case of letters and with blanks around."""
    words = [word.strip().lower() for word in value.split(",")]
    if words in ([""], ["false"]):
        return None
    if words == ["true"]:
        return Restart()
    if not set(words) <= _ARGUMENTS:
        return Remark(Restart.reason, _FORMAT)
    return Restart("includetasks" in words, "onlyfailed" in words)


def read(kind: str, annotations: Mapping[str, str], connectors: Sequence[str]) -> Orders:
    """Offsets before restarts, as they are carried out. `connectors`: the names of those that the document wants."""
    found: list[Order | Remark] = []
    if kind == Resource.Kind.CONNECTOR:
        found += _offsets(annotations.get(OFFSETS), connectors[0], (OFFSETS,))
        found += _restart(annotations.get(RESTART, ""), connectors[0], RESTART)
        found += _restart_task(annotations.get(RESTART_TASK), connectors[0], RESTART_TASK)
    else:
        found += _mirror_offsets(annotations, connectors)
        # The proposal's own examples have them without `connector`.
        for key in (RESTART_CONNECTOR, RESTART):
            found += _mirror_restart(annotations.get(key), connectors, key)
        for key in (RESTART_CONNECTOR_TASK, RESTART_TASK):
            found += _mirror_task(annotations.get(key), connectors, key)
    remarks = tuple(one for one in found if isinstance(one, Remark))
    return Orders(tuple(one for one in found if isinstance(one, Order)), remarks)


def mirror_restart(value: str, connector: str) -> Restart | Remark | None:
    """Of `<connector>` or `<connector>:includeTasks,onlyFailed`. None: it is not about this connector."""
    text = value.strip()
    if text != connector and not text.startswith(f"{connector}:"):
        return None
    if value != value.lstrip():
        return Remark(Restart.reason, _FORMAT)
    if text == connector:
        return Restart()
    found = restart(text[len(connector) + 1 :])
    return found if isinstance(found, Restart) and found != Restart() else Remark(Restart.reason, _FORMAT)


def _restart(value: str, connector: str, key: str) -> list[Order | Remark]:
    found = restart(value)
    return [Order(connector, found, (key,))] if isinstance(found, Restart) else [found] if found else []


def _restart_task(value: str | None, connector: str, key: str) -> list[Order | Remark]:
    if value is None:
        return []
    text = value.strip()
    if not (text.isascii() and text.isdigit()):
        return [Remark(RestartTask.reason, f"{_FORMAT}: {value} is no number of a task")]
    return [Order(connector, RestartTask(int(text)), (key,))]


def _offsets(value: str | None, connector: str, keys: tuple[str, ...]) -> list[Order | Remark]:
    verb = (value or "none").strip().lower()
    if verb == "none":
        return []
    if verb not in ("list", "alter", "reset"):
        return [Remark("ManageOffsets", f"{OFFSETS} has to be list, alter or reset, not {value}")]
    return [Order(connector, ManageOffsets(verb), keys)]


def _mirror_offsets(annotations: Mapping[str, str], connectors: Sequence[str]) -> list[Order | Remark]:
    given, other = OFFSETS in annotations, MIRROR_CONNECTOR in annotations
    if given != other:
        has, lacks = (OFFSETS, MIRROR_CONNECTOR) if given else (MIRROR_CONNECTOR, OFFSETS)
        return [Remark("ManageOffsets", f"Annotation {has} is missing annotation {lacks}")]
    if not given:
        return []
    name = annotations[MIRROR_CONNECTOR].strip()
    if name not in connectors:
        return [Remark("ManageOffsets", f"There is no connector {name} in this resource")]
    return _offsets(annotations[OFFSETS], name, (OFFSETS, MIRROR_CONNECTOR))


def _mirror_restart(value: str | None, connectors: Sequence[str], key: str) -> list[Order | Remark]:
    if value is None or not value.strip():
        return []
    for name in connectors:
        found = mirror_restart(value, name)
        if found is not None:
            return [Order(name, found, (key,)) if isinstance(found, Restart) else found]
    return [Remark(Restart.reason, f"{key} names no connector of this resource: {value}")]


def _mirror_task(value: str | None, connectors: Sequence[str], key: str) -> list[Order | Remark]:
    if value is None or not value.strip():
        return []
    found = _TASK_OF.fullmatch(value.strip())
    if found is None:
        return [Remark(RestartTask.reason, f"{_FORMAT}: {key} has to be <connector>:<task>, not {value}")]
    if found["connector"] not in connectors:
        return [Remark(RestartTask.reason, f"{key} names no connector of this resource: {value}")]
    return [Order(found["connector"], RestartTask(int(found["task"])), (key,))]
