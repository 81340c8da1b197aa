"""What a cluster can do, by the version that it tells (`GET /`). Decisions over texts; nobody is asked."""

import re
from enum import StrEnum

Release = tuple[int, int]


class Feature(StrEnum):
    """What has not always been there, in words that go with "has"."""

    #: `GET /connectors?expand=info&expand=status` (KIP-465).
    EXPAND = "states in one request"
    #: `/admin/loggers` (KIP-495).
    LOGGERS = "log levels"
    #: `/connectors/{c}/topics` (KIP-558).
    TOPICS = "the topics of a connector"
    #: `?includeTasks=…&onlyFailed=…` (KIP-745).
    RESTART_IN_ONE_CALL = "a restart together with tasks"
    #: `/connector-plugins?connectorsOnly=false`, `/connector-plugins/{p}/config` (KIP-769).
    PLUGIN_CONFIGS = "the config definitions of all plug-ins"
    #: `PUT /connectors/{c}/stop`, the state STOPPED, `GET /connectors/{c}/offsets` (KIP-875, its first half).
    STOP = "stopping"
    OFFSETS = "offsets"
    #: `PATCH` and `DELETE /connectors/{c}/offsets` (KIP-875, its second half).
    CHANGE_OFFSETS = "changing offsets"
    #: `initial_state` of a creation (KIP-980).
    INITIAL_STATE = "an initial state"
    #: `PUT /admin/loggers/{l}?scope=cluster` (KIP-976).
    CLUSTER_LOGGERS = "log levels of all workers at once"
    #: `PATCH /connectors/{c}/config` (KIP-477).
    PATCH_CONFIG = "changing single keys of a config"
    #: `/health` (KIP-1017).
    HEALTH = "a health check"
    #: `connector.plugin.version` (KIP-891).
    PLUGIN_VERSIONS = "several versions of a plug-in"


SINCE: dict[Feature, Release] = {
    Feature.EXPAND: (2, 3),
    Feature.LOGGERS: (2, 4),
    Feature.TOPICS: (2, 5),
    Feature.RESTART_IN_ONE_CALL: (3, 0),
    Feature.PLUGIN_CONFIGS: (3, 2),
    Feature.STOP: (3, 5),
    Feature.OFFSETS: (3, 5),
    Feature.CHANGE_OFFSETS: (3, 6),
    Feature.INITIAL_STATE: (3, 7),
    Feature.CLUSTER_LOGGERS: (3, 7),
    Feature.PATCH_CONFIG: (3, 8),
    Feature.HEALTH: (3, 9),
    Feature.PLUGIN_VERSIONS: (4, 1),
}
_NUMBERS = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?(?:\.(\d+))?")
_CONFLUENT = re.compile(r"-(?:ccs|ce)\b")


def release(version: str) -> Release | None:
    """The Apache Kafka release that a version stands for; None: it cannot be told.

    Confluent's builds (`-ccs`, `-ce`) count for themselves: 5.x is Kafka 2.x, 6.x is 2.6 and on, 7.x is 3.x, 8.x is 4.x.
    """
    found = _NUMBERS.match(version.strip())
    if found is None or is_drover(version):
        return None
    major, minor = int(found[1]), int(found[2])
    if not _CONFLUENT.search(version):
        return major, minor
    match major:
        case 5:
            return 2, minor
        case 6:
            return 2, 6 + minor
    return (major - 4, minor) if major > 6 else (2, 0)


def is_drover(version: str) -> bool:
    """Kafka of a 0 in front had four numbers: 0.11.0.3."""
    found = _NUMBERS.match(version.strip())
    return found is not None and found[1] == "0" and found[4] is None


def supports(version: str, feature: Feature) -> bool:
    """A cluster that does not tell, or not in a way that is known, is given the benefit of the doubt: it can still say no."""
    known = release(version)
    return known is None or known >= SINCE[feature]


def lacking(version: str, feature: Feature) -> str:
    """Why it cannot be had, as a sentence; empty where it can."""
    if supports(version, feature):
        return ""
    return f"Kafka Connect has {feature} as of {'.'.join(map(str, SINCE[feature]))}; this cluster is {version}."
