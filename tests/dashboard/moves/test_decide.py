"""Each step's look, as a table."""

import pytest

from connect_client import ConnectorStatus, PartitionOffset, Plugin
from dashboard.moves import decide
from dashboard.moves.classes import known_as
from dashboard.moves.decide import Ask, Failed, Reached, Wait, Where
from dashboard.moves.plan import Mode, Options, Step, steps, steps_back
from tests.dashboard.moves.paper import FILE_SOURCE

OLD, NEW = Where("old", "orders"), Where("new", "orders")
CONFIG = {"connector.class": "X", "topic": "t"}
THERE = {**CONFIG, "name": "orders"}


def status(own: str, *tasks: str) -> ConnectorStatus:
    told = [{"id": number, "state": state, "worker_id": "w"} for number, state in enumerate(tasks)]
    return ConnectorStatus.from_json({"name": "orders", "connector": {"state": own, "worker_id": "w"}, "tasks": told})


def at(position: int | None, file: str = "/a") -> PartitionOffset:
    return PartitionOffset({"filename": file}, None if position is None else {"position": position})


@pytest.mark.parametrize(
    ("found", "kind"),
    [
        (status("RUNNING", "RUNNING"), Ask),
        (status("FAILED"), Ask),
        (status("PAUSED", "PAUSED"), Ask),
        (status("STOPPED", "RUNNING"), Wait),
        (status("STOPPED"), Reached),
        (None, Failed),
    ],
)
def test_stop(found: ConnectorStatus | None, kind: type) -> None:
    assert isinstance(decide.stop(OLD, found), kind)


@pytest.mark.parametrize(
    ("config", "found", "asked", "unsafe", "kind"),
    [
        (None, None, False, False, Ask),
        (None, None, True, False, Ask),
        (THERE, status("STOPPED"), False, False, Failed),
        (THERE, status("STOPPED"), True, False, Reached),
        (THERE, status("STOPPED", "RUNNING"), True, False, Wait),
        (THERE, None, True, False, Wait),
        (THERE, status("RUNNING"), True, False, Wait),
        (THERE, status("RUNNING"), True, True, Ask),
        ({**THERE, "topic": "u"}, status("STOPPED"), True, False, Failed),
        ({**THERE, "more": "x"}, status("STOPPED"), True, True, Failed),
    ],
)
def test_create(
    config: dict[str, str | None] | None, found: ConnectorStatus | None, asked: bool, unsafe: bool, kind: type
) -> None:
    decided = decide.create(NEW, CONFIG, config, found, asked=asked, unsafe=unsafe)
    assert isinstance(decided, kind)
    assert not isinstance(decided, Ask) or decided.stop is (config is not None)


@pytest.mark.parametrize(
    ("found", "wanted", "kind"),
    [
        ((), (), Reached),
        ((at(8),), (at(8),), Reached),
        ((at(8), at(None, "/b")), (at(8),), Reached),
        ((), (at(8),), Ask),
        ((at(9),), (at(8),), Ask),
        ((at(8), at(1, "/b")), (at(8),), Ask),
        ((at(8),), (), Ask),
    ],
)
def test_write(found: decide.Offsets, wanted: decide.Offsets, kind: type) -> None:
    assert isinstance(decide.write(found, wanted), kind)
    changed = {str(one.partition): one.after for one in decide.differing(found, wanted)}
    merged = {str(one.partition): one.offset for one in decide.standing(found)} | changed
    assert {key: value for key, value in merged.items() if value} == {str(one.partition): one.offset for one in wanted}


@pytest.mark.parametrize(
    ("same_for", "mode", "kind"),
    [(0.0, Mode.MOVE, Wait), (5.9, Mode.MOVE, Wait), (6.0, Mode.MOVE, Reached), (0.0, Mode.COPY, Reached)],
)
def test_read(same_for: float, mode: Mode, kind: type) -> None:
    assert isinstance(decide.read((at(8),), same_for, 6.0, mode), kind)


@pytest.mark.parametrize(
    ("here", "there", "kind"),
    [
        (status("STOPPED"), status("STOPPED"), Ask),
        (status("STOPPED"), status("RUNNING"), Reached),
        (status("RUNNING"), status("STOPPED"), Failed),
        (status("STOPPED", "RUNNING"), status("STOPPED"), Failed),
        (status("STOPPED"), None, Failed),
        (None, status("STOPPED"), Ask),
    ],
)
def test_start(here: ConnectorStatus | None, there: ConnectorStatus | None, kind: type) -> None:
    assert isinstance(decide.start(OLD, here, NEW, there), kind)


@pytest.mark.parametrize(
    ("found", "steady", "kind"),
    [
        (status("RUNNING", "RUNNING"), 4.0, Wait),
        (status("RUNNING", "RUNNING"), 5.0, Reached),
        (status("RUNNING"), 5.0, Wait),
        (status("RUNNING"), 30.0, Reached),
        (status("RUNNING", "RUNNING", "FAILED"), 5.0, Failed),
        (status("FAILED"), 0.0, Failed),
        (status("RUNNING", "UNASSIGNED"), 0.0, Wait),
        (None, 0.0, Failed),
    ],
)
def test_watch(found: ConnectorStatus | None, steady: float, kind: type) -> None:
    assert isinstance(decide.watch(NEW, found, steady, 5.0), kind)


@pytest.mark.parametrize(
    ("found", "kind"),
    [(None, Reached), (status("STOPPED"), Ask), (status("RUNNING"), Failed), (status("STOPPED", "RUNNING"), Failed)],
)
def test_delete(found: ConnectorStatus | None, kind: type) -> None:
    assert isinstance(decide.delete(OLD, found, asked=True), kind)


@pytest.mark.parametrize(
    ("config", "made", "kind"),
    [
        (None, True, Reached),
        (THERE, True, Ask),
        (THERE, False, Ask),
        ({**THERE, "x": "y"}, True, Failed),
        ({**THERE, "x": "y"}, False, Reached),
    ],
)
def test_remove(config: dict[str, str | None] | None, made: bool, kind: type) -> None:
    assert isinstance(decide.remove(NEW, CONFIG, config, made=made), kind)


@pytest.mark.parametrize(
    ("found", "former", "kind"),
    [
        (status("STOPPED"), "RUNNING", Ask),
        (status("STOPPED"), "PAUSED", Ask),
        (status("STOPPED"), "STOPPED", Reached),
        (status("RUNNING"), "RUNNING", Reached),
        (None, "RUNNING", Failed),
    ],
)
def test_restore(found: ConnectorStatus | None, former: str, kind: type) -> None:
    assert isinstance(decide.restore(OLD, found, former), kind)


C, S, R, M, W, T, L, D = (
    Step.CHECK,
    Step.STOP,
    Step.READ,
    Step.CREATE,
    Step.WRITE,
    Step.START,
    Step.WATCH,
    Step.DELETE,
)
BACK = (Step.STOP_NEW, Step.READ_NEW, Step.WRITE_BACK)


@pytest.mark.parametrize(
    ("options", "plan"),
    [
        (Options(), (C, S, R, M, W, T, L)),
        (Options(delete_source=True), (C, S, R, M, W, T, L, D)),
        (Options(start=False), (C, S, R, M, W)),
        (Options(carry_offsets=False), (C, S, M, T, L)),
        (Options(mode=Mode.COPY), (C, R, M, W, T, L)),
        (Options(mode=Mode.COPY, carry_offsets=False, start=False), (C, M)),
    ],
)
def test_steps(options: Options, plan: tuple[Step, ...]) -> None:
    assert steps(options) == plan
    assert Options.from_json(options.to_json()) == options


@pytest.mark.parametrize(
    ("options", "asked", "plan"),
    [
        (Options(), (), ()),
        (Options(), (S,), (Step.RESTORE,)),
        (Options(), (S, M), (Step.REMOVE, Step.RESTORE)),
        (Options(), (S, M, W), (Step.REMOVE, Step.RESTORE)),
        (Options(), (S, M, W, T), (*BACK, Step.REMOVE, Step.RESTORE)),
        (Options(), (M, W, T), (*BACK, Step.REMOVE)),
        (Options(carry_offsets=False), (S, M, T), (Step.REMOVE, Step.RESTORE)),
        (Options(unsafe_create=True), (S, M), (Step.REMOVE, Step.RESTORE)),
        (Options(mode=Mode.COPY), (M, W, T), (Step.REMOVE,)),
    ],
)
def test_steps_back(options: Options, asked: tuple[Step, ...], plan: tuple[Step, ...]) -> None:
    assert steps_back(options, asked) == plan


@pytest.mark.parametrize(
    ("wanted", "there", "name"),
    [
        (FILE_SOURCE, [FILE_SOURCE], FILE_SOURCE),
        ("FileStreamSource", [FILE_SOURCE], "FileStreamSource"),
        ("FileStreamSourceConnector", [FILE_SOURCE], "FileStreamSourceConnector"),
        (FILE_SOURCE, ["acme.files.FileStreamSourceConnector"], "acme.files.FileStreamSourceConnector"),
        (FILE_SOURCE, ["a.FileStreamSource", "b.FileStreamSourceConnector"], None),
        (FILE_SOURCE, ["org.x.Other"], None),
        ("", [FILE_SOURCE], None),
    ],
)
def test_known_as(wanted: str, there: list[str], name: str | None) -> None:
    assert known_as(wanted, [Plugin(one, "source", "1") for one in there]) == name
