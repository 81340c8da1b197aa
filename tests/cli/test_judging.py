"""What has become of what was asked for: decisions over what is seen, second by second."""

import pytest

from cli import judging
from cli.judging import asked, judged, why_not
from cli.values import Item, ItemState, Options, Ref, Verb
from tests.dashboard.jobs.words import status

ALONE = Options(only_failed=False, include_tasks=False)
WHOLE = Options(only_failed=False)
FAILED = Options()
DISK = "java.io.IOException: disk full"
GOES_ON = ("under way", "", None)
Looks = list[tuple[float, str | None]]
End = tuple[str, str, float | None]


def ended(verb: Verb, options: Options, before: str, looks: Looks) -> End:
    """The first item that is an end, and when it was seen."""
    of = asked(Ref("", "c"), verb, options, status(before), 0.0)
    item = Item(of.ref, ItemState.WAITING)
    for at, words in looks:
        of, item = judged(of, status(words), at)
        if item.state.ended:
            return item.state.value, item.cause, at
    return item.state.value, item.cause, None


@pytest.mark.parametrize(
    ("options", "before", "looks", "expected"),
    [
        # Seen to move, and to stay.
        (
            FAILED,
            "RUNNING FAILED",
            [(1, "RUNNING RESTARTING"), (3, "RUNNING RUNNING"), (4, "RUNNING RUNNING")],
            ("under way", "", None),
        ),
        (FAILED, "RUNNING FAILED", [(1, "RUNNING RUNNING"), (2, "RUNNING RUNNING"), (3, "RUNNING RUNNING")], ("done", "", 3)),
        # As it was: not seen yet, and after a while it has failed again.
        (FAILED, "RUNNING FAILED", [(1, "RUNNING FAILED"), (5, "RUNNING FAILED")], GOES_ON),
        (FAILED, "RUNNING FAILED", [(1, "RUNNING FAILED"), (6, "RUNNING FAILED")], ("failed again", f"task 0: {DISK}", 6)),
        (FAILED, "FAILED", [(1, "FAILED"), (7, "FAILED")], ("failed again", DISK, 7)),
        # Seen in between: at once.
        (FAILED, "RUNNING FAILED", [(1, "RUNNING RESTARTING"), (2, "RUNNING FAILED")], ("failed again", f"task 0: {DISK}", 2)),
        (FAILED, "RUNNING FAILED", [(1, "RUNNING RUNNING"), (2, "RUNNING FAILED")], ("failed again", f"task 0: {DISK}", 2)),
        # It ran for a moment, and is on its way again.
        (
            FAILED,
            "RUNNING FAILED",
            [(1, "RUNNING RUNNING"), (2, "RUNNING UNASSIGNED"), (4, "RUNNING RUNNING")],
            ("under way", "", None),
        ),
        # One of two.
        (
            FAILED,
            "RUNNING FAILED FAILED",
            [(1, "RUNNING RUNNING FAILED"), (5, "RUNNING RUNNING FAILED")],
            ("under way", "", None),
        ),
        (FAILED, "RUNNING FAILED FAILED", [(7, "RUNNING RUNNING FAILED")], ("failed again", f"task 1: {DISK}", 7)),
        # A restart that was over between two looks.
        (WHOLE, "RUNNING RUNNING", [(1, "RUNNING RUNNING"), (6, "RUNNING RUNNING")], GOES_ON),
        (WHOLE, "RUNNING RUNNING", [(6, "RUNNING RUNNING"), (8, "RUNNING RUNNING")], ("done", "", 8)),
        # Of the connector alone: what its tasks do is another matter.
        (ALONE, "FAILED FAILED", [(1, "RUNNING FAILED"), (3, "RUNNING FAILED")], ("done", "", 3)),
        # A paused connector's tasks are paused when they are well.
        (FAILED, "PAUSED FAILED", [(1, "PAUSED PAUSED"), (3, "PAUSED PAUSED")], ("done", "", 3)),
        (FAILED, "RUNNING FAILED", [(1, None)], ("unknown", "It has been deleted meanwhile", 1)),
        (FAILED, "RUNNING FAILED", [(301, "RUNNING RESTARTING")], ("unknown", "After 5 minutes it is RUNNING still", 301)),
    ],
)
def test_restarts(options: Options, before: str, looks: Looks, expected: End) -> None:
    assert ended(Verb.RESTART, options, before, looks) == expected


@pytest.mark.parametrize(
    ("verb", "before", "looks", "expected"),
    [
        (Verb.PAUSE, "RUNNING RUNNING", [(1, "RUNNING RUNNING"), (2, "PAUSED RUNNING"), (3, "PAUSED PAUSED")], ("done", "", 3)),
        (Verb.PAUSE, "RUNNING RUNNING FAILED", [(7, "PAUSED PAUSED FAILED")], ("failed again", f"task 1: {DISK}", 7)),
        (Verb.STOP, "RUNNING RUNNING", [(1, "STOPPED RUNNING"), (2, "STOPPED")], ("done", "", 2)),
        (Verb.STOP, "RUNNING FAILED", [(1, "STOPPED FAILED"), (9, "STOPPED FAILED"), (10, "STOPPED")], ("done", "", 10)),
        (Verb.RESUME, "STOPPED", [(1, "RUNNING"), (2, "RUNNING RUNNING"), (3, "RUNNING RUNNING")], ("done", "", 3)),
        (Verb.RESUME, "STOPPED", [(1, "RUNNING"), (2, "RUNNING FAILED")], ("failed again", f"task 0: {DISK}", 2)),
        (Verb.DELETE, "RUNNING RUNNING", [(1, "RUNNING RUNNING"), (2, None)], ("done", "", 2)),
    ],
)
def test_targets(verb: Verb, before: str, looks: Looks, expected: End) -> None:
    assert ended(verb, Options(), before, looks) == expected


@pytest.mark.parametrize(
    ("verb", "options", "words", "reason", "already"),
    [
        (Verb.RESTART, FAILED, "RUNNING FAILED", None, False),
        (Verb.RESTART, FAILED, "RUNNING RUNNING", "has nothing that failed", True),
        (Verb.RESTART, WHOLE, "RUNNING RUNNING", None, False),
        (Verb.RESTART, WHOLE, "STOPPED", "is stopped: resume it instead", False),
        (Verb.RESTART, FAILED, None, "has not told a state yet", False),
        (Verb.PAUSE, FAILED, "PAUSED", "is PAUSED already", True),
        (Verb.PAUSE, FAILED, "FAILED", "has failed: restart or stop it instead", False),
        (Verb.PAUSE, FAILED, "STOPPED", "is stopped", False),
        (Verb.RESUME, FAILED, "RUNNING", "is RUNNING already", True),
        (Verb.RESUME, FAILED, "FAILED", "has failed: restart it instead", False),
        (Verb.RESUME, FAILED, "STOPPED", None, False),
        (Verb.STOP, FAILED, "FAILED", None, False),
        (Verb.STOP, FAILED, "STOPPED", "is STOPPED already", True),
        (Verb.DELETE, FAILED, None, None, False),
    ],
)
def test_what_is_left_out(verb: Verb, options: Options, words: str | None, reason: str | None, already: bool) -> None:
    out = why_not(verb, options, status(words))
    assert (None if out is None else out.cause) == reason
    assert (out is not None and out.already) == already


def test_how_long_it_took() -> None:
    of = asked(Ref("", "c"), Verb.RESTART, FAILED, status("RUNNING FAILED"), 10.0)
    of, _ = judged(of, status("RUNNING RUNNING"), 11.5)
    _, item = judged(of, status("RUNNING RUNNING"), 11.5 + judging.DWELL)
    assert (item.state, item.back_after) == (ItemState.DONE, 1.5)
