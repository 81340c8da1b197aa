"""What a document asks for: its spec as the connectors that are wanted. Nobody is asked, nothing is looked up."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dashboard.models import Resource

Kind = Resource.Kind
#: By path, as `spec.config.topic`.
Errors = dict[str, list[str]]

RUNNING, PAUSED, STOPPED = "running", "paused", "stopped"
STATES = (RUNNING, PAUSED, STOPPED)
#: What the fields of a spec say, so its config cannot.
FORBIDDEN = ("name", "connector.class", "tasks.max", "connector.plugin.version")
_MIRROR_PACKAGE = "org.apache.kafka.connect.mirror"
#: Of a mirror, the field and the class.
_MIRRORS = {
    "sourceConnector": "MirrorSourceConnector",
    "checkpointConnector": "MirrorCheckpointConnector",
    "heartbeatConnector": "MirrorHeartbeatConnector",
}
#: Records as they are, whatever the workers of a cluster have for connectors that name no converter: of its own they would make
#: texts of a mirror's bytes.
_BYTES = "org.apache.kafka.connect.converters.ByteArrayConverter"
_AS_THEY_ARE = {f"{part}.converter": _BYTES for part in ("key", "value", "header")}
_PATTERNS = {
    "topicsPattern": "topics",
    "topicsExcludePattern": "topics.exclude",
    "topicsBlacklistPattern": "topics.exclude",
    "groupsPattern": "groups",
    "groupsExcludePattern": "groups.exclude",
    "groupsBlacklistPattern": "groups.exclude",
}
_COMMON = ("tasksMax", "version", "config", "state", "pause", "autoRestart", "listOffsets", "alterOffsets")
_CLUSTER = ("alias", "bootstrapServers", "config")
_TARGET = (*_CLUSTER, "groupId", "configStorageTopic", "offsetStorageTopic", "statusStorageTopic")


@dataclass(frozen=True, slots=True)
class AutoRestart:
    """`max_restarts` None: as many as it takes."""

    enabled: bool = True
    max_restarts: int | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """A connector as a document wants it. `config` is all of what Kafka Connect gets; `state` one of STATES. `list_to` and
    `alter_from` name ConfigMaps, empty where there is none; `offsets_key` is the place in them."""

    name: str
    config: Mapping[str, str] = field(hash=False)
    state: str = RUNNING
    list_to: str = ""
    alter_from: str = ""
    offsets_key: str = "offsets.json"
    auto_restart: AutoRestart | None = None

    @property
    def tasks_max(self) -> int | None:
        return int(self.config["tasks.max"]) if "tasks.max" in self.config else None


@dataclass(frozen=True, slots=True)
class Remark:
    """What is worth a condition of type Warning."""

    reason: str
    message: str


@dataclass
class Reading:
    """What was understood of a spec. With `errors` nothing else of it counts."""

    connectors: list[Wanted] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    errors: Errors = field(default_factory=dict)

    def wrong(self, path: str, message: str) -> None:
        self.errors.setdefault(path, []).append(message)


def read(kind: str, name: str, spec: Any) -> Reading:
    """`name`: the document's own, which is the connector's of a KafkaConnector."""
    reading = Reading()
    if not isinstance(spec, dict):
        reading.wrong("spec", "This has to be an object.")
    elif kind == Kind.CONNECTOR:
        _unknown(spec, ("class", *_COMMON), "spec", reading)
        if class_name := _text(spec, "class", "spec", reading, needed=True):
            _connector(_Source(name, class_name, spec, "spec"), reading)
    else:
        _mirror_maker(spec, reading)
    return reading


# --- one connector ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a connector is read from: part of a spec, its path, and what the document says of the config besides: `above` counts
    more than the connector's own, `beneath` less."""

    name: str
    class_name: str
    spec: Mapping[str, Any]
    path: str
    offsets_key: str = "offsets.json"
    beneath: Mapping[str, str] = field(default_factory=dict)
    above: Mapping[str, str] = field(default_factory=dict)


def _connector(source: _Source, reading: Reading) -> None:
    spec, path = source.spec, source.path
    own = _config(spec.get("config"), f"{path}.config", reading)
    config = {**source.beneath, **own, **source.above, "name": source.name, "connector.class": source.class_name}
    if (tasks := _whole(spec, "tasksMax", path, reading, least=1)) is not None:
        config["tasks.max"] = str(tasks)
    if version := _text(spec, "version", path, reading):
        config["connector.plugin.version"] = version
    wanted = Wanted(
        source.name,
        config,
        _state(spec, path, reading),
        _config_map(spec, "listOffsets", "toConfigMap", path, reading),
        _config_map(spec, "alterOffsets", "fromConfigMap", path, reading),
        source.offsets_key,
        _auto_restart(spec, "autoRestart", path, reading),
    )
    reading.connectors.append(wanted)


def _config(given: Any, path: str, reading: Reading) -> dict[str, str]:
    """As texts, which is all that Kafka Connect knows; without what the fields of the spec say."""
    config: dict[str, str] = {}
    dropped = []
    for key, value in _object(given, path, reading).items():
        if key.lower() in FORBIDDEN:
            dropped.append(key)
        elif value is None:
            reading.wrong(f"{path}.{key}", "A null value is not allowed for this key")
        elif isinstance(value, dict | list):
            reading.wrong(f"{path}.{key}", f"Unsupported type {'object' if isinstance(value, dict) else 'list'}")
        else:
            config[key] = as_text(value)
    if dropped:
        told = f"{path} has keys that the fields of the spec stand for; they are left out: {', '.join(sorted(dropped))}"
        reading.remarks.append(Remark("ForbiddenConfigKeys", told))
    return config


def as_text(value: Any) -> str:
    """A scalar as Kafka Connect reads it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _state(spec: Mapping[str, Any], path: str, reading: Reading) -> str:
    """`pause` is of v1beta2; `state` counts more."""
    state = spec.get("state")
    if state is None:
        return PAUSED if spec.get("pause") is True else RUNNING
    if state not in STATES:
        reading.wrong(f"{path}.state", f"This has to be one of {', '.join(STATES)}.")
    return str(state)


def _config_map(spec: Mapping[str, Any], field: str, inner: str, path: str, reading: Reading) -> str:
    """The name of a ConfigMap; empty where there is none."""
    if spec.get(field) is None:
        return ""
    outer = _object(spec[field], f"{path}.{field}", reading)
    reference = _object(outer.get(inner), f"{path}.{field}.{inner}", reading)
    return _text(reference, "name", f"{path}.{field}.{inner}", reading, needed=True)


def _auto_restart(spec: Mapping[str, Any], name: str, path: str, reading: Reading) -> AutoRestart | None:
    if spec.get(name) is None:
        return None
    block = _object(spec[name], f"{path}.{name}", reading)
    enabled = block.get("enabled", True)
    if not isinstance(enabled, bool):
        reading.wrong(f"{path}.{name}.enabled", "This has to be true or false.")
    return AutoRestart(bool(enabled), _whole(block, "maxRestarts", f"{path}.{name}", reading, least=0))


# --- MirrorMaker 2 ----------------------------------------------------------------------------------------------------


def _mirror_maker(spec: Mapping[str, Any], reading: Reading) -> None:
    """`target` and `mirrors[].source` as of Strimzi's v1, or `clusters`, which mirrors name by their aliases, as before."""
    taken_up = ("connectCluster", "clusters", "target", "mirrors", "autoRestartConnectorsAndTasks")
    _unknown(spec, taken_up, "spec", reading)
    mirrors = spec.get("mirrors")
    if not isinstance(mirrors, list) or not mirrors:
        reading.wrong("spec.mirrors", "This has to be a list with at least one mirror.")
        return
    clusters = dict(_clusters(spec, reading))
    for number, mirror in enumerate(mirrors):
        _mirror(_object(mirror, f"spec.mirrors[{number}]", reading), f"spec.mirrors[{number}]", spec, clusters, reading)
    default = _auto_restart(spec, "autoRestartConnectorsAndTasks", "spec", reading)
    reading.connectors = [replace(wanted, auto_restart=wanted.auto_restart or default) for wanted in reading.connectors]
    names = [wanted.name for wanted in reading.connectors]
    for name in sorted({name for name in names if names.count(name) > 1}):
        reading.wrong("spec.mirrors", f"There are several connectors {name}.")


def _clusters(spec: Mapping[str, Any], reading: Reading) -> Iterator[tuple[str, tuple[Mapping[str, Any], str]]]:
    """By alias, each with its path."""
    given = spec.get("clusters") or []
    if not isinstance(given, list):
        reading.wrong("spec.clusters", "This has to be a list.")
        return
    for number, one in enumerate(given):
        path = f"spec.clusters[{number}]"
        cluster = _object(one, path, reading)
        yield _text(cluster, "alias", path, reading, needed=True), (cluster, path)


def _mirror(
    mirror: Mapping[str, Any],
    path: str,
    spec: Mapping[str, Any],
    clusters: Mapping[str, tuple[Mapping[str, Any], str]],
    reading: Reading,
) -> None:
    _unknown(mirror, ("sourceCluster", "targetCluster", "source", *_MIRRORS, *_PATTERNS), path, reading)

    def side(own: Any, own_path: str, named: str, allowed: tuple[str, ...]) -> tuple[str, dict[str, str]]:
        if own is not None:
            return _kafka(_object(own, own_path, reading), own_path, allowed, reading)
        alias = _text(mirror, named, path, reading, needed=True)
        if alias and alias not in clusters:
            reading.wrong(f"{path}.{named}", f"There is no cluster {alias} in spec.clusters.")
        return _kafka(*clusters[alias], _CLUSTER, reading) if alias in clusters else (alias, {})

    source_alias, source = side(mirror.get("source"), f"{path}.source", "sourceCluster", _CLUSTER)
    target_alias, target = side(spec.get("target"), "spec.target", "targetCluster", _TARGET)
    beneath = _AS_THEY_ARE | {f"target.cluster.{key}": value for key, value in target.items()}
    beneath |= {f"source.cluster.{key}": value for key, value in source.items()}
    above = {key: pattern for name, key in _PATTERNS.items() if (pattern := _text(mirror, name, path, reading))}
    for name, kind in _MIRRORS.items():
        if mirror.get(name) is None:
            continue
        at = f"{path}.{name}"
        own = _object(mirror[name], at, reading)
        _unknown(own, _COMMON, at, reading)
        connector, key = f"{source_alias}->{target_alias}.{kind}", f"{source_alias}--{target_alias}.{kind}.json"
        _connector(_Source(connector, f"{_MIRROR_PACKAGE}.{kind}", own, at, key, beneath, above), reading)


def _kafka(cluster: Mapping[str, Any], path: str, allowed: tuple[str, ...], reading: Reading) -> tuple[str, dict[str, str]]:
    """The alias of a Kafka, and what a mirror's config says of it behind its prefix."""
    for secret in ("tls", "authentication"):
        if cluster.get(secret) is not None:
            told = (
                "There are no secrets of Kubernetes here: put security.protocol, sasl.… and ssl.… into config, secrets as ${…}."
            )
            reading.wrong(f"{path}.{secret}", told)
    _unknown(cluster, (*allowed, "tls", "authentication"), path, reading)
    alias = _text(cluster, "alias", path, reading, needed=True)
    servers = _text(cluster, "bootstrapServers", path, reading, needed=True)
    config = _config(cluster.get("config"), f"{path}.config", reading)
    return alias, {"alias": alias, "bootstrap.servers": servers, "security.protocol": "PLAINTEXT", **config}


# --- fields -----------------------------------------------------------------------------------------------------------


def _object(given: Any, path: str, reading: Reading) -> Mapping[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, dict) or not all(isinstance(key, str) for key in given):
        reading.wrong(path, "This has to be an object.")
        return {}
    return given


def _text(spec: Mapping[str, Any], field: str, path: str, reading: Reading, *, needed: bool = False) -> str:
    value = spec.get(field)
    if value is None or value == "":
        if needed:
            reading.wrong(f"{path}.{field}", "This is needed.")
        return ""
    if isinstance(value, dict | list | bool):
        reading.wrong(f"{path}.{field}", "This has to be a text.")
        return ""
    return str(value)


def _whole(spec: Mapping[str, Any], field: str, path: str, reading: Reading, *, least: int) -> int | None:
    value = spec.get(field)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        reading.wrong(f"{path}.{field}", f"This has to be a whole number, {least} at least.")
        return None
    return value


def _unknown(spec: Mapping[str, Any], known: tuple[str, ...], path: str, reading: Reading) -> None:
    found = sorted(str(field) for field in spec if field not in known)
    if found:
        kind = "unknown property" if len(found) == 1 else "unknown properties"
        reading.remarks.append(Remark("UnknownFields", f"Contains object at path {path} with {kind}: {', '.join(found)}"))
