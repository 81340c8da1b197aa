"""Which process carries a move out."""

from datetime import timedelta

from dashboard.control import leases
from dashboard.models import Cluster, Move
from dashboard.moves import begin, claims
from tests.dashboard.moves.conftest import NOW, OPERATOR, Begin, Carry

LATER = NOW + leases.LEASE


def test_one_process_at_a_time(begun: Begin) -> None:
    move = begun()
    mine = claims.rows([move.pk])
    assert claims.claimable(NOW) == [move.pk]
    assert leases.claim(mine, "a", NOW)
    assert not leases.claim(mine, "b", NOW)
    assert claims.claimable(NOW) == []
    leases.renew(mine, "a", LATER - timedelta(seconds=1))
    assert not leases.claim(mine, "b", LATER)
    assert leases.claim(mine, "b", LATER + leases.LEASE), "whoever does not renew it has lost it"
    leases.renew(mine, "a", LATER)
    leases.release(claims.rows(), "a")
    assert Move.objects.get().claimed_by == "b"
    leases.release(claims.rows(), "b")
    assert claims.claimable(LATER) == [move.pk]


def test_what_has_ended_is_nobodys(begun: Begin, carried_out: Carry) -> None:
    move = carried_out(begun())
    assert claims.claimable(LATER) == []
    assert not leases.claim(claims.rows([move.pk]), "a", LATER)
    begin.undo(move, OPERATOR)
    assert claims.claimable(LATER) == [move.pk]


def test_a_cluster_that_is_not_known_any_more(begun: Begin, carried_out: Carry) -> None:
    move = begun()
    Cluster.objects.get(name="new").delete()
    assert carried_out(move).cause == "The cluster new is not known any more."
