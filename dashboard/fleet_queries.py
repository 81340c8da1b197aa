"""The fleet, from the index and the database to its page and to the API. Never asks a cluster."""

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, replace
from datetime import datetime

from connect_client.states import State
from dashboard import queries
from dashboard.fleet import page as fleet_page
from dashboard.fleet.clusters import ClusterView
from dashboard.fleet.entries import Entry
from dashboard.fleet.matching import Sifted, ordered, sift
from dashboard.fleet.order import Held, hold
from dashboard.fleet.overlay import LONGEST, Seen, restart_pending
from dashboard.fleet.page import FleetPage
from dashboard.fleet.query import PAGE_SIZE, FleetQuery
from dashboard.fleet.rows import Row, gone
from dashboard.fleet.sentence import Tally, summary
from dashboard.index import asked_to_restart, index
from dashboard.models import ConnectorSnapshot
from dashboard.restarting import look
from dashboard.restarting.shown import of_connectors
from dashboard.rights.roles import Rights, Role


@dataclass(frozen=True, slots=True)
class Fleet:
    """What somebody may see, and what of it a query means: in its order, all pages of it. `known`: clusters by id."""

    known: dict[int, ClusterView]
    entries: list[Entry]
    sifted: Sifted
    matching: list[Entry]


@dataclass(frozen=True, slots=True)
class Listed:
    """A page of the list for programs."""

    fleet: Fleet
    snapshots: tuple[ConnectorSnapshot, ...]
    pages: int


def find(query: FleetQuery, rights: Rights, now: datetime) -> Fleet:
    known = queries.clusters(now, rights)
    entries = [entry for entry in _current(known, now) if rights.may(Role.VIEWER, entry.cluster, entry.name)]
    sifted = sift(query, entries)
    return Fleet(known, entries, sifted, ordered(sifted.matching, query.sort))


def matching(query: FleetQuery, rights: Rights, now: datetime) -> list[int]:
    """The ids of all that a query means, however many pages they fill. Whoever is to do something to them looks at the query's
    `problems` first: what is left out of a filter makes it mean more."""
    return [entry.id for entry in find(query, rights, now).matching]


def page(query: FleetQuery, rights: Rights, now: datetime) -> FleetPage:
    fleet = find(query, rights, now)
    held = _held(query, [entry.id for entry in fleet.matching])
    return FleetPage(
        query=query,
        clusters=tuple(fleet.known.values()),
        summary=summary(entry.tally for entry in fleet.entries),
        restartable=summary(_restartable(fleet, rights)).failures,
        chips=fleet_page.chips(query, fleet.sifted.counts),
        menus=fleet_page.menus(query, fleet.sifted.counts),
        rows=tuple(_rows(held.ids, query.tall, fleet.known, rights, now)),
        matches=len(fleet.matching),
        changes=held.changes,
        pages=_pages(fleet),
        hidden=not fleet.known and queries.any_cluster(),
    )


def listed(query: FleetQuery, rights: Rights, now: datetime) -> Listed:
    fleet = find(query, rights, now)
    ids = _of_page(query, [entry.id for entry in fleet.matching])
    found = ConnectorSnapshot.objects.in_bulk(ids)
    return Listed(fleet, tuple(found[id] for id in ids if id in found), _pages(fleet))


def _current(known: dict[int, ClusterView], now: datetime) -> Iterator[Entry]:
    """With the answers to restarts laid over what was seen (`dashboard.fleet.overlay`), and with what was given up marked."""
    asked = {
        id: asked_at
        for id, cluster, changed_at, asked_at, answered_at in asked_to_restart(now - LONGEST)
        if cluster in known and restart_pending(Seen(changed_at, asked_at, answered_at, known[cluster].fetched_at), now)
    }
    given_up = look.given_up()
    for entry in index().entries({pk: cluster.name for pk, cluster in known.items()}):
        if entry.id in asked:
            yield replace(entry, tally=Tally(State.RESTARTING, 0, False), since=asked[entry.id])
        elif (entry.cluster, entry.name) in given_up and entry.tally.state in (State.FAILED, State.DEGRADED):
            yield replace(entry, gave_up=True)
        else:
            yield entry


def _restartable(fleet: Fleet, rights: Rights) -> Iterator[Tally]:
    dead = {cluster.name for cluster in fleet.known.values() if not cluster.reachable}
    for entry in fleet.matching:
        broken = entry.tally.state in (State.FAILED, State.DEGRADED)
        if broken and entry.cluster not in dead and rights.may(Role.OPERATOR, entry.cluster, entry.name):
            yield entry.tally


def _pages(fleet: Fleet) -> int:
    return max(1, -(-len(fleet.matching) // PAGE_SIZE))


def _of_page(query: FleetQuery, matching: list[int]) -> list[int]:
    start = (query.page - 1) * PAGE_SIZE
    return matching[start : start + PAGE_SIZE]


def _held(query: FleetQuery, matching: list[int]) -> Held:
    fresh = _of_page(query, matching)
    return hold(fresh, query.shown, PAGE_SIZE) if query.shown else Held(tuple(fresh), 0)


def _rows(ids: Iterable[int], tall: Set[int], known: dict[int, ClusterView], rights: Rights, now: datetime) -> Iterator[Row]:
    """Which ones are shown is told by the browser: whatever of those may not be seen is as good as gone."""
    found = ConnectorSnapshot.objects.in_bulk(list(ids))
    seen = {id: one for id, one in found.items() if one.cluster_id in known and _visible(one, known, rights)}
    failed = [one for one in seen.values() if one.connector_failed or one.tasks_failed]
    restarts = of_connectors(failed, known, now)
    for id in ids:
        if id in seen:
            automatic = restarts[id].in_a_row if id in restarts else None
            yield queries.one_row(seen[id], known[seen[id].cluster_id], now, tall=id in tall, automatic=automatic)
        else:
            yield gone(id)


def _visible(one: ConnectorSnapshot, known: dict[int, ClusterView], rights: Rights) -> bool:
    return rights.may(Role.VIEWER, known[one.cluster_id].name, one.name)
