"""A move from its first step to its last, and everything that can come in between."""

import json
from collections.abc import Callable

import pytest

from dashboard.models import Activity, ConfigVersion, Move
from dashboard.moves import begin, log
from dashboard.moves.plan import Mode, Options, Step
from tests.dashboard.moves.conftest import OPERATOR, Begin, Carry, Clock
from tests.dashboard.moves.paper import FILE_SINK, Memory

AT = json.dumps({"filename": "/in"})


class Killed(BaseException):
    """As kill -9: nothing behind it is carried out."""


def steps(move: Move, phase: int = 0) -> list[str]:
    return [f"{one.step} {one.outcome}" for one in log.entries(move.log) if one.phase == phase]


def test_a_connector_moves_with_its_offsets(begun: Begin, carried_out: Carry, old: Memory, new: Memory) -> None:
    move = carried_out(begun())
    assert (move.state, move.cause) == ("done", "")
    assert steps(move) == [f"{step} done" for step in ("check", "stop", "read", "create", "write", "start", "watch")]
    assert old.writes == ["PUT /connectors/orders/stop"]
    assert new.writes == ["POST /connectors", "PATCH /connectors/orders/offsets", "PUT /connectors/orders/resume"]
    assert (old.connectors["orders"].state, new.connectors["orders"].state) == ("STOPPED", "RUNNING")
    assert new.offsets["orders"] == {AT: {"position": 8}}
    assert new.connectors["orders"].config == old.connectors["orders"].config
    noted = [(one.verb, one.cluster, one.by, one.outcome) for one in Activity.objects.order_by("pk")]
    assert [verb for verb, *_ in noted] == ["move", "stop", "create", "offsets", "resume"]
    assert {by for _, _, by, _ in noted} == {"operator"}
    assert ConfigVersion.objects.get(cluster__name="new").note == "from orders in old"
    assert "geheim" not in move.config + move.source_config + str(move.log)


def test_another_name_and_other_keys(begun: Begin, carried_out: Carry, new: Memory) -> None:
    move = carried_out(begun(new_name="orders 2", topic="other"))
    assert move.state == "done"
    assert new.connectors["orders 2"].config["topic"] == "other"
    assert new.connectors["orders 2"].config["name"] == "orders 2"


def test_the_old_one_is_deleted_when_the_new_one_runs(begun: Begin, carried_out: Carry, old: Memory, clock: Clock) -> None:
    before = clock.now
    move = carried_out(begun(Options(delete_source=True)))
    assert move.state == "done"
    assert old.writes == ["PUT /connectors/orders/stop", "DELETE /connectors/orders"]
    assert (clock.now - before).total_seconds() >= 5
    assert begin.why_not_undo(move) == "orders in old was deleted: move orders in new to there instead."


def test_a_copy_leaves_the_source_alone(begun: Begin, carried_out: Carry, old: Memory, new: Memory) -> None:
    move = carried_out(begun(Options(mode=Mode.COPY, start=False)))
    assert steps(move) == [f"{step} done" for step in ("check", "read", "create", "write")]
    assert old.writes == []
    assert new.connectors["orders"].state == "STOPPED"
    begin.undo(move, OPERATOR)
    assert carried_out(move).state == "undone"
    assert (old.writes, new.connectors) == ([], {})


def test_offsets_may_stay_behind(begun: Begin, carried_out: Carry, new: Memory) -> None:
    move = carried_out(begun(Options(carry_offsets=False)))
    assert move.state == "done"
    assert new.offsets.get("orders", {}) == {}


def test_what_a_former_connector_left_there_is_reset(begun: Begin, carried_out: Carry, new: Memory) -> None:
    new.offsets["orders"] = {json.dumps({"filename": "/other"}): {"position": 3}, AT: {"position": 99}}
    assert carried_out(begun()).state == "done"
    assert new.offsets["orders"] == {AT: {"position": 8}}


def test_nothing_was_ever_committed(begun: Begin, carried_out: Carry, old: Memory, new: Memory) -> None:
    old.offsets["orders"] = {}
    assert carried_out(begun()).state == "done"
    assert new.writes == ["POST /connectors", "PUT /connectors/orders/resume"]


@pytest.mark.parametrize(
    ("says", "where", "waits"),
    [
        (("PUT stop", 409, "rebalance"), "old", True),
        (("GET status", 500, "Request timed out"), "old", True),
        (("POST connectors", 409, "rebalance"), "new", True),
        (("PATCH offsets", 500, "zombie sink tasks"), "new", True),
        (("PUT resume", 409, "rebalance"), "new", True),
        (("PUT stop", 403, "not you"), "old", True),
        (("POST connectors", 400, "Connector configuration is invalid: geheim"), "new", False),
        (("PATCH offsets", 400, "The 'position' is wrong"), "new", False),
    ],
)
def test_a_refusal_is_waited_out_or_ends_it(
    begun: Begin, carried_out: Carry, old: Memory, new: Memory, says: tuple[str, int, str], where: str, waits: bool
) -> None:
    (old if where == "old" else new).says.append(says)
    move = carried_out(begun())
    assert move.state == ("done" if waits else "failed")
    assert "geheim" not in move.cause
    if not waits:
        assert move.cause.startswith("Answered 400: ")
        assert Activity.objects.filter(outcome="refused").count() == 1


def test_one_that_does_not_stop(begun: Begin, carried_out: Carry, old: Memory, new: Memory) -> None:
    old.slow = 10_000
    move = carried_out(begun())
    assert (move.state, new.writes) == ("failed", [])
    assert move.cause == "It did not get on for 120 s. orders in old is RUNNING."


def test_a_dead_cluster_is_waited_for(begun: Begin, carried_out: Carry, new: Memory, clock: Clock) -> None:
    move = begun()
    carried_out(move, until=lambda move: bool(log.entries(move.log)[-1].step is Step.READ))
    new.down = True
    before = clock.now
    carried_out(move, until=lambda _: (clock.now - before).total_seconds() > 600)
    assert move.state == "running"
    assert "http://new cannot be reached" in move.waiting_for
    new.down = False
    assert carried_out(move).state == "done"


def test_cancelled_while_it_waits(begun: Begin, carried_out: Carry, old: Memory, new: Memory) -> None:
    move = begun()
    carried_out(move, until=lambda move: log.entries(move.log)[-1].step is Step.READ)
    new.down = True
    assert begin.cancel(move, OPERATOR)
    carried_out(move)
    assert (move.state, steps(move)[-1]) == ("cancelled", "read cancelled")
    new.down = False
    begin.undo(move, OPERATOR)
    assert carried_out(move).state == "undone"
    assert old.connectors["orders"].wanted == "RUNNING"
    assert new.writes == []


@pytest.mark.parametrize("meanwhile", ["config", "taken", "gone"])
def test_what_was_checked_is_not_so_any_more(begun: Begin, carried_out: Carry, old: Memory, new: Memory, meanwhile: str) -> None:
    move = begun()
    if meanwhile == "config":
        old.connectors["orders"].config = {**old.connectors["orders"].config, "topic": "else"}
    elif meanwhile == "taken":
        new.put("orders")
    else:
        del old.connectors["orders"]
    assert carried_out(move).state == "failed"
    assert old.writes + new.writes == []
    assert begin.why_not_undo(move) == "It has changed nothing."


def test_a_name_that_is_taken_in_between_is_not_touched(begun: Begin, carried_out: Carry, old: Memory, new: Memory) -> None:
    move = begun()
    carried_out(move, until=lambda move: log.entries(move.log)[-1].step is Step.READ)
    new.put("orders", "RUNNING", topic="somebody's")
    assert carried_out(move).cause == "There is orders in new already. It was not touched."
    begin.undo(move, OPERATOR)
    assert carried_out(move).state == "undone"
    assert new.writes == []
    assert old.connectors["orders"].wanted == "RUNNING"


def test_somebody_starts_the_source_again(begun: Begin, carried_out: Carry, old: Memory, new: Memory) -> None:
    move = begun()
    carried_out(move, until=lambda move: log.entries(move.log)[-1].step is Step.WRITE)
    old.client().resume("orders")
    old.slow = 0
    move = carried_out(move)
    assert "Somebody has started orders in old again" in move.cause
    assert new.connectors["orders"].state == "STOPPED"


def test_the_new_one_fails_and_all_is_put_back(begun: Begin, carried_out: Carry, old: Memory, new: Memory) -> None:
    new.fails = "disk full"
    move = carried_out(begun(Options(delete_source=True)))
    assert move.cause == "orders in new has FAILED: java.io.IOException: disk full"
    assert "orders" in old.connectors
    new.fails = ""
    new.offsets["orders"] = {AT: {"position": 20}}
    begin.undo(move, OPERATOR)
    move = carried_out(move)
    assert move.state == "undone"
    assert steps(move, 1) == [f"{step} done" for step in ("stop-new", "read-new", "write-back", "remove", "restore")]
    assert (old.connectors["orders"].wanted, new.connectors) == ("RUNNING", {})
    assert old.offsets["orders"] == {AT: {"position": 20}}, "what was read there is not read again"


@pytest.mark.parametrize(("former", "writes"), [("PAUSED", ["stop", "pause"]), ("STOPPED", []), ("FAILED", ["stop", "resume"])])
def test_put_back_in_the_state_it_had(
    begun: Begin, carried_out: Carry, old: Memory, new: Memory, former: str, writes: list[str]
) -> None:
    old.put("orders", former)
    move = carried_out(begun())
    assert move.state == "done"
    begin.undo(move, OPERATOR)
    assert carried_out(move).state == "undone"
    assert [line.rpartition("/")[2] for line in old.writes if "offsets" not in line] == writes
    assert new.connectors == {}


def test_what_somebody_has_changed_since_is_not_deleted(begun: Begin, carried_out: Carry, new: Memory, old: Memory) -> None:
    move = carried_out(begun(Options(start=False)))
    new.connectors["orders"].config["topic"] = "else"
    begin.undo(move, OPERATOR)
    move = carried_out(move)
    assert (move.state, "orders" in new.connectors) == ("failed", True)
    assert "Delete it yourself, then put back again." in move.cause
    del new.connectors["orders"]
    begin.undo(move, OPERATOR)
    assert carried_out(move).state == "undone"
    assert (steps(move, 2), old.connectors["orders"].wanted) == (["remove done", "restore done"], "RUNNING")


def test_before_initial_states_it_is_stopped_at_once(begun: Begin, carried_out: Carry, new: Memory) -> None:
    move = carried_out(begun(Options(unsafe_create=True)))
    assert move.state == "done"
    assert new.writes[:2] == ["POST /connectors", "PUT /connectors/orders/stop"]
    assert new.offsets["orders"] == {AT: {"position": 8}}


def test_a_sink_in_the_same_consumer_group(begun: Begin, carried_out: Carry, old: Memory, new: Memory) -> None:
    group = {json.dumps({"kafka_partition": 0, "kafka_topic": "t"}): {"kafka_offset": 5}}
    old.put("orders", offsets=group, **{"connector.class": FILE_SINK})
    new.offsets["orders"] = dict(group)
    assert carried_out(begun()).state == "done"
    assert not [line for line in new.writes if line.startswith("PATCH")], "they are there already"


def requests(kill: Callable[[int, bool], None]) -> Callable[[str, str, bool], None]:
    seen = 0

    def hook(_method: str, _path: str, after: bool) -> None:
        nonlocal seen
        seen += not after
        kill(seen, after)

    return hook


def survive(carry: Carry, move: Move) -> tuple[Move, int]:
    """Goes on with a new runner after each kill; and how often that was."""
    for kills in range(10):
        try:
            return carry(move), kills
        except Killed:
            Move.objects.filter(pk=move.pk).update(claimed_until=None)
    raise AssertionError("killed too often")


@pytest.mark.parametrize("back", [False, True], ids=["move", "put back"])
@pytest.mark.parametrize("after", [False, True], ids=["before", "behind"])
def test_killed_at_each_request(
    begun: Begin, carried_out: Carry, old: Memory, new: Memory, after: bool, back: bool, clock: Clock
) -> None:
    """Before a request gets there, and when it is carried out but not answered."""
    at = 0
    while True:
        at += 1
        old.put("orders")
        old.asked, new.asked, new.connectors, new.offsets = [], [], {}, {}

        def kill(seen: int, behind: bool, at: int = at) -> None:
            if seen == at and behind is after:
                raise Killed

        move = begun(Options(delete_source=not back))
        if back:
            move = carried_out(move)
            new.offsets["orders"] = {AT: {"position": 20}}
            begin.undo(move, OPERATOR)
        old.hook = new.hook = requests(kill)
        old.asked, new.asked = [], []
        move, kills = survive(carried_out, move)
        old.hook = new.hook = lambda *_: None
        if back:
            assert (move.state, new.connectors, old.connectors["orders"].wanted) == ("undone", {}, "RUNNING"), (at, move.cause)
            assert old.offsets["orders"] == {AT: {"position": 20}}
        else:
            assert (move.state, list(old.connectors), list(new.connectors)) == ("done", [], ["orders"]), (at, move.cause)
            assert new.offsets["orders"] == {AT: {"position": 8}}
            made = [line for line in new.asked if line == "POST /connectors"]
            assert len(made) == 1 or not after
        if not kills:
            assert at > 15
            return


def test_killed_at_each_write(
    begun: Begin, carried_out: Carry, old: Memory, new: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between what was found and its being written down."""
    from dashboard.moves.run import Run

    write = Run._write
    at = 0
    while True:
        at += 1
        old.put("orders")
        new.connectors, new.offsets, new.asked = {}, {}, []
        seen = 0

        def killing(self: Run, at: int = at, **fields: object) -> None:
            nonlocal seen
            seen += 1
            if seen == at:
                raise Killed
            write(self, **fields)

        move = begun(Options(delete_source=True))
        monkeypatch.setattr(Run, "_write", killing)
        move, kills = survive(carried_out, move)
        monkeypatch.setattr(Run, "_write", write)
        assert (move.state, list(old.connectors), list(new.connectors)) == ("done", [], ["orders"]), (at, move.cause)
        assert new.offsets["orders"] == {AT: {"position": 8}}
        assert new.asked.count("POST /connectors") == 1
        if not kills:
            return


def test_another_process_has_it_by_now(begun: Begin, carried_out: Carry, old: Memory) -> None:
    from dashboard.control.leases import LostClaim

    move = begun()

    def steal(move: Move) -> bool:
        Move.objects.filter(pk=move.pk).update(claimed_by="another")
        return False

    with pytest.raises(LostClaim):
        carried_out(move, until=steal)
    assert old.writes == []
