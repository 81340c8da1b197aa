"""What begins to be worth telling and what ends: a decision over values and a clock.

An alert is of a rule and of a connector, or of a rule and of a cluster that cannot be reached. It waits until what it is about
has lasted for as long as the rule says, then it begins; it ends when that has been over for as long as it had to last, so that
what comes and goes meanwhile is one alert, not many. What is not known changes nothing: connectors of a cluster that is not
followed at the moment, and one that is being restarted, whose next state will tell.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from fnmatch import fnmatchcase
from uuid import UUID

from connect_client.states import State
from dashboard.fleet.clusters import Contact

#: A cluster's, where a rule has connectors' states besides.
UNREACHABLE = "UNREACHABLE"
#: A connector's that has failed, and is not restarted by itself any more (`dashboard.restarting`).
GIVEN_UP = "GIVEN UP"
STATES = (*State, GIVEN_UP, UNREACHABLE)
#: What a rule has to be over for at least, whatever it says.
QUIET = timedelta(seconds=30)

SWITCHED_OFF = "The rule was switched off"
CHANGED = "The rule was changed"
FORGOTTEN = "The cluster is not looked after any more"

#: Rule, cluster, connector; the connector is empty for the cluster itself.
Key = tuple[int, str, str]


@dataclass(frozen=True, slots=True)
class Rule:
    """`cluster` None: each. `text`: part of what a connector failed with, in any case of letters; empty: whatever that is."""

    id: int
    states: frozenset[str]
    enabled: bool = True
    cluster: str | None = None
    pattern: str = "*"
    lasting: timedelta = timedelta()
    text: str = ""

    def covers(self, cluster: str, connector: str) -> bool:
        if self.cluster not in (None, cluster):
            return False
        return fnmatchcase(connector, self.pattern) if connector else UNREACHABLE in self.states

    @property
    def quiet(self) -> timedelta:
        return max(self.lasting, QUIET)


@dataclass(frozen=True, slots=True)
class ClusterSeen:
    name: str
    contact: Contact
    since: datetime | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class ConnectorSeen:
    """One in a state that a rule names, or RESTARTING. `contains`: those of the rules' texts that it failed with."""

    cluster: str
    name: str
    state: str
    since: datetime | None = None
    cause: str = ""
    contains: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Open:
    """An alert that has not ended."""

    id: UUID
    key: Key
    since: datetime
    began_at: datetime | None = None
    clear_since: datetime | None = None


class What(StrEnum):
    WAITS = "waits"
    BEGINS = "begins"
    CLEARS = "clears"
    RETURNS = "returns"
    ENDS = "ends"
    #: It was over before it had lasted long enough: nobody is told.
    LAPSES = "lapses"


@dataclass(frozen=True, slots=True)
class Change:
    """`alert` None: a new one. `at`: since when it is so, or since when it is over."""

    what: What
    key: Key
    at: datetime
    alert: UUID | None = None
    state: str = ""
    cause: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class _Match:
    key: Key
    state: str
    since: datetime | None
    cause: str


def decide(
    rules: Sequence[Rule],
    clusters: Iterable[ClusterSeen],
    connectors: Sequence[ConnectorSeen],
    alerts: Sequence[Open],
    now: datetime,
) -> list[Change]:
    by_id = {rule.id: rule for rule in rules}
    contacts = {cluster.name: cluster for cluster in clusters}
    matches = {match.key: match for rule in rules if rule.enabled for match in _matches(rule, contacts, connectors)}
    open = {alert.key: alert for alert in alerts}
    restarting = {(one.cluster, one.name) for one in connectors if one.state == State.RESTARTING}
    changes = [change for match in matches.values() if (change := _is_so(by_id[match.key[0]], match, open.get(match.key), now))]
    for alert in alerts:
        if alert.key not in matches:
            changes += _is_not_so(by_id.get(alert.key[0]), alert, contacts, restarting, now)
    return changes


def _matches(rule: Rule, clusters: Mapping[str, ClusterSeen], connectors: Iterable[ConnectorSeen]) -> Iterator[_Match]:
    for cluster in clusters.values():
        if cluster.contact is Contact.UNREACHABLE and rule.covers(cluster.name, ""):
            yield _Match((rule.id, cluster.name, ""), UNREACHABLE, cluster.since, cluster.error)
    for one in connectors:
        if one.state not in rule.states or (rule.text and rule.text not in one.contains):
            continue
        followed = clusters.get(one.cluster)
        if followed is not None and followed.contact is Contact.LIVE and rule.covers(one.cluster, one.name):
            yield _Match((rule.id, one.cluster, one.name), one.state, one.since, one.cause)


def _is_so(rule: Rule, match: _Match, alert: Open | None, now: datetime) -> Change | None:
    if alert is not None and alert.began_at is not None:
        return None if alert.clear_since is None else Change(What.RETURNS, match.key, now, alert.id)
    since = alert.since if alert else (match.since or now)
    id = alert.id if alert else None
    if now - since >= rule.lasting:
        return Change(What.BEGINS, match.key, since, id, match.state, match.cause)
    return None if alert else Change(What.WAITS, match.key, since, None, match.state, match.cause)


def _is_not_so(
    rule: Rule | None,
    alert: Open,
    clusters: Mapping[str, ClusterSeen],
    restarting: set[tuple[str, str]],
    now: datetime,
) -> list[Change]:
    if rule is None:
        return []  # Deleted between two looks, and its alerts with it.
    _, name, connector = alert.key
    cluster = clusters.get(name)
    why = _given_up(rule, cluster, name, connector)
    if why:
        return [Change(What.ENDS if alert.began_at else What.LAPSES, alert.key, now, alert.id, why=why)]
    if cluster is None or cluster.contact is not Contact.LIVE:
        return []
    if (name, connector) in restarting and State.RESTARTING not in rule.states:
        return []
    if alert.began_at is None:
        return [Change(What.LAPSES, alert.key, now, alert.id)]
    if alert.clear_since is None:
        return [Change(What.CLEARS, alert.key, now, alert.id)]
    if now - alert.clear_since >= rule.quiet:
        return [Change(What.ENDS, alert.key, alert.clear_since, alert.id)]
    return []


def _given_up(rule: Rule, cluster: ClusterSeen | None, name: str, connector: str) -> str:
    """Why it is over whatever is seen."""
    if cluster is None:
        return FORGOTTEN
    if not rule.enabled:
        return SWITCHED_OFF
    return "" if rule.covers(name, connector) else CHANGED
