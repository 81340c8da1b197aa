"""Which process carries a move out."""

from datetime import timedelta

from dashboard.models import Cluster, Move
from dashboard.moves import begin, claims
from tests.dashboard.moves.conftest import NOW, OPERATOR, Begin, Carry

LATER = NOW + claims.LEASE


def test_one_process_at_a_time(begun: Begin) -> None:
    move = begun()
    assert claims.claimable(NOW) == [move.pk]
    assert claims.claim(move.pk, "a", NOW)
    assert not claims.claim(move.pk, "b", NOW)
    assert claims.claimable(NOW) == []
    claims.renew([move.pk], "a", LATER - timedelta(seconds=1))
    assert not claims.claim(move.pk, "b", LATER)
    assert claims.claim(move.pk, "b", LATER + claims.LEASE), "whoever does not renew it has lost it"
    claims.renew([move.pk], "a", LATER)
    claims.release("a", LATER)
    assert Move.objects.get().claimed_by == "b"
    claims.release("b", LATER)
    assert claims.claimable(LATER) == [move.pk]


def test_what_has_ended_is_nobodys(begun: Begin, carried_out: Carry) -> None:
    move = carried_out(begun())
    assert claims.claimable(LATER) == []
    assert not claims.claim(move.pk, "a", LATER)
    begin.undo(move, OPERATOR)
    assert claims.claimable(LATER) == [move.pk]


def test_a_cluster_that_is_not_known_any_more(begun: Begin, carried_out: Carry) -> None:
    move = begun()
    Cluster.objects.get(name="new").delete()
    assert carried_out(move).cause == "The cluster new is not known any more."
