"""What a verb means, whose turn it is, and what follows an answer: decisions over values."""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from connect_client import (
    ConnectConflict,
    ConnectDenied,
    ConnectError,
    ConnectNotFound,
    ConnectPartly,
    ConnectRefused,
    ConnectUnexpected,
    ConnectUnreachable,
    ConnectUnusable,
)
from connect_client.states import State
from dashboard.jobs.answers import Again, Gone, Refused, Taken, after, after_lost, backoff
from dashboard.jobs.preview import Candidate, Line, preview
from dashboard.jobs.turns import Ask, Later, Never, Over, due, holds_place, turn
from dashboard.jobs.verbs import JobVerb, Nothing, Options, What, what_of
from dashboard.jobs.watch import Sight
from dashboard.rights.roles import ADMIN_OF_ALL, Given, Rights, Role
from tests.dashboard.jobs.words import status

NOW = datetime(2026, 11, 22, 7, tzinfo=UTC)
FAILED_ONLY = Options()
ALL = Options(only_failed=False)
TASKS = Options(include_connector=False)
OWN = Options(include_tasks=False)
V = JobVerb


@pytest.mark.parametrize(
    ("verb", "options", "words", "expected"),
    [
        (V.RESTART, FAILED_ONLY, "RUNNING FAILED RUNNING FAILED", What(False, (0, 2))),
        (V.RESTART, FAILED_ONLY, "FAILED FAILED", What(True, (0,))),
        (V.RESTART, FAILED_ONLY, "FAILED", What(True)),
        (V.RESTART, FAILED_ONLY, "RUNNING RUNNING", "has nothing that failed"),
        (V.RESTART, FAILED_ONLY, "RUNNING RESTARTING", "has nothing that failed"),
        (V.RESTART, FAILED_ONLY, "PAUSED FAILED", What(False, (0,))),
        (V.RESTART, FAILED_ONLY, "STOPPED", "is stopped: resume it instead"),
        (V.RESTART, FAILED_ONLY, None, "has not told a state yet"),
        (V.RESTART, TASKS, "FAILED FAILED RUNNING", What(False, (0,))),
        (V.RESTART, TASKS, "FAILED RUNNING", "has nothing that failed"),
        (V.RESTART, OWN, "FAILED FAILED", What(True)),
        (V.RESTART, OWN, "RUNNING FAILED", "has nothing that failed"),
        (V.RESTART, ALL, "RUNNING RUNNING FAILED", What(True, (0, 1))),
        (V.RESTART, Options(only_failed=False, include_connector=False), "RUNNING RUNNING", What(False, (0,))),
        (V.RESTART, Options(only_failed=False, include_connector=False), "RUNNING", "has no tasks"),
        (V.RESTART, Options(only_failed=False, include_tasks=False), "RUNNING RUNNING", What(True)),
        (V.PAUSE, FAILED_ONLY, "RUNNING RUNNING", What(True, (0,))),
        (V.PAUSE, FAILED_ONLY, "RUNNING FAILED", What(True, (0,))),
        (V.PAUSE, FAILED_ONLY, "PAUSED PAUSED", "is paused already"),
        (V.PAUSE, FAILED_ONLY, "STOPPED", "is stopped"),
        (V.PAUSE, FAILED_ONLY, "FAILED", "has failed: restart or stop it instead"),
        (V.RESUME, FAILED_ONLY, "PAUSED PAUSED", What(True, (0,))),
        (V.RESUME, FAILED_ONLY, "STOPPED", What(True)),
        (V.RESUME, FAILED_ONLY, "RUNNING FAILED", "runs already"),
        (V.RESUME, FAILED_ONLY, "FAILED", "has failed: restart it instead"),
        (V.STOP, FAILED_ONLY, "FAILED FAILED", What(True, (0,))),
        (V.STOP, FAILED_ONLY, "STOPPED", "is stopped already"),
        (V.STOP, FAILED_ONLY, None, "has not told a state yet"),
        (V.DELETE, FAILED_ONLY, "STOPPED", What(True)),
        (V.DELETE, FAILED_ONLY, None, What(True)),
    ],
)
def test_what_a_verb_means(verb: JobVerb, options: Options, words: str | None, expected: What | str) -> None:
    found = what_of(verb, options, status(words))
    assert found == (Nothing(expected) if isinstance(expected, str) else expected)


NO_ANSWER = ConnectUnreachable("no answer")
REBALANCE = ConnectConflict(409, 409, "rebalance")
EXPECTED = ConnectConflict(500, 500, "Request cannot be completed because a rebalance is expected")
BROKEN = ConnectRefused(500, 500, "broken")


@pytest.mark.parametrize(
    ("verb", "options", "attempts", "error", "expected"),
    [
        (V.RESTART, FAILED_ONLY, 1, None, Taken()),
        (V.RESTART, FAILED_ONLY, 1, REBALANCE, Again(1, "rebalance")),
        (V.RESTART, FAILED_ONLY, 3, EXPECTED, Again(4, str(EXPECTED))),
        # A 409 has changed nothing: also what must not be done twice is asked again.
        (V.RESTART, ALL, 14, REBALANCE, Again(15, "rebalance")),
        (V.RESTART, ALL, 15, REBALANCE, Refused("rebalance (asked 15 times)")),
        (V.RESTART, FAILED_ONLY, 1, BROKEN, Again(1, "broken")),
        (V.RESTART, FAILED_ONLY, 4, BROKEN, Refused("broken (asked 4 times)")),
        (V.RESTART, ALL, 1, BROKEN, Refused("broken")),
        (V.RESTART, FAILED_ONLY, 1, NO_ANSWER, Again(1, "no answer")),
        (V.RESTART, FAILED_ONLY, 4, NO_ANSWER, Refused("no answer (asked 4 times)")),
        (V.RESTART, ALL, 1, NO_ANSWER, Taken(lost=True)),
        (V.RESTART, ALL, 1, ConnectUnexpected("a proxy"), Taken(lost=True)),
        (V.PAUSE, ALL, 1, NO_ANSWER, Again(1, "no answer")),
        (V.PAUSE, FAILED_ONLY, 1, ConnectRefused(400, 400, "no"), Refused("no")),
        (V.STOP, FAILED_ONLY, 1, ConnectNotFound(404, 404, "nobody"), Refused("nobody")),
        (V.STOP, FAILED_ONLY, 1, ConnectDenied("who?"), Refused("who?")),
        (V.RESTART, ALL, 1, ConnectUnusable("no key"), Refused("no key")),
        (V.RESTART, FAILED_ONLY, 1, ConnectPartly("1 of 2"), Again(1, "1 of 2")),
        (V.RESTART, ALL, 1, ConnectPartly("1 of 2"), Taken(lost=True)),
        (V.DELETE, FAILED_ONLY, 2, ConnectNotFound(404, 404, "nobody"), Gone()),
    ],
)
def test_after_an_answer(verb: JobVerb, options: Options, attempts: int, error: ConnectError | None, expected: object) -> None:
    assert after(verb, options, attempts, error) == expected


@pytest.mark.parametrize(
    ("verb", "options", "cancelled", "expected"),
    [
        (V.RESTART, FAILED_ONLY, False, Again(3, "The answer was lost")),
        (V.PAUSE, ALL, False, Again(3, "The answer was lost")),
        (V.RESTART, ALL, False, Taken(lost=True)),
        (V.RESTART, FAILED_ONLY, True, Taken(lost=True)),
    ],
)
def test_after_a_process_was_killed(verb: JobVerb, options: Options, cancelled: bool, expected: object) -> None:
    assert after_lost(verb, options, cancelled=cancelled) == expected


def test_backoff() -> None:
    assert [backoff(attempts) for attempts in (1, 2, 3, 4, 5, 99)] == [1, 2, 4, 8, 15, 15]


@dataclass
class Item:
    cluster_name: str
    number: int
    next_try_at: datetime | None = None


@pytest.mark.parametrize(
    ("waiting", "taken", "expected"),
    [
        ("a1 a2 a3 b4", {}, [1, 2, 4]),
        ("a1 a2 b3", {"a": 2}, [3]),
        ("a1 b2", {"a": 1, "b": 5}, [1]),
        # One that waits for its next try holds no place.
        ("a1+ a2 a3 a4", {}, [2, 3]),
        ("", {}, []),
    ],
)
def test_places(waiting: str, taken: dict[str, int], expected: list[int]) -> None:
    items = [
        Item(word[0], int(word[1]), NOW + timedelta(seconds=1) if word.endswith("+") else NOW - timedelta(seconds=1))
        for word in waiting.split()
    ]
    assert [item.number for item in due(items, Counter(taken), 2, NOW)] == expected


@pytest.mark.parametrize(
    ("asked", "back_after", "expected"), [(1, None, True), (4, None, False), (1, 0.5, False), (None, None, False)]
)
def test_who_holds_a_place(asked: int | None, back_after: float | None, expected: bool) -> None:
    assert holds_place(None if asked is None else NOW - timedelta(seconds=asked), back_after, NOW) is expected


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("verb", "options", "what", "sight", "expected"),
    [
        (
            V.RESTART,
            FAILED_ONLY,
            What(False, (0, 1)),
            Sight(True, status("RUNNING FAILED FAILED FAILED")),
            Ask(What(False, (0, 1))),
        ),
        (V.RESTART, FAILED_ONLY, What(True, (0,)), Sight(True, status("RUNNING FAILED")), Ask(What(False, (0,)))),
        (
            V.RESTART,
            FAILED_ONLY,
            What(False, (0,)),
            Sight(True, status("RUNNING RUNNING FAILED")),
            Over("What had failed of it has not failed any more"),
        ),
        (V.RESTART, FAILED_ONLY, What(False, (0,)), Sight(True, status("RUNNING RUNNING")), Over("It has nothing that failed")),
        (V.RESTART, FAILED_ONLY, What(False, (0,)), Sight(False), Never("It has been deleted meanwhile")),
        (V.PAUSE, ALL, What(True, (0,)), Sight(True, status("PAUSED PAUSED")), Over("It is paused already")),
        (V.PAUSE, ALL, What(True), Sight(True, status("RUNNING RUNNING")), Ask(What(True, (0,)))),
        (V.DELETE, ALL, What(True), Sight(False), Over("It is deleted already")),
        (V.DELETE, ALL, What(True), Sight(True, None), Ask(What(True))),
        (V.STOP, ALL, What(True), Sight(True, status("RUNNING"), dead_since=ago(20)), Later()),
        (
            V.STOP,
            ALL,
            What(True),
            Sight(True, status("RUNNING"), dead_since=ago(31)),
            Never("Its cluster cannot be reached. It was not asked for"),
        ),
    ],
)
def test_whose_turn_it_is(verb: JobVerb, options: Options, what: What, sight: Sight, expected: object) -> None:
    assert turn(verb, options, what, sight, ago(100), NOW) == expected


def test_a_job_that_has_just_begun_waits_for_a_cluster_that_is_long_dead() -> None:
    sight = Sight(True, status("FAILED"), dead_since=ago(1000))
    assert turn(V.RESTART, FAILED_ONLY, What(True), sight, ago(10), NOW) == Later()


def candidate(name: str, words: str, cluster: str = "eu", reachable: bool = True) -> Candidate:
    return Candidate(hash(name) % 1000, cluster, reachable, name, State.FAILED, status(words))


OPERATOR_OF_ORDERS = Rights((Given(Role.OPERATOR, None, "orders-*"), Given(Role.VIEWER)))


def test_a_preview_says_what_and_what_not() -> None:
    those = [
        candidate("orders-1", "RUNNING FAILED FAILED RUNNING FAILED"),
        candidate("orders-2", "FAILED", "us"),
        candidate("orders-3", "RUNNING RUNNING"),
        candidate("orders-4", "FAILED", "ap", reachable=False),
        candidate("lake", "FAILED"),
    ]
    found = preview(V.RESTART, FAILED_ONLY, those, OPERATOR_OF_ORDERS)
    assert [(line.candidate.name, line.words) for line in found.lines] == [
        ("orders-1", "tasks 0, 1 and 3"),
        ("orders-2", "the connector"),
    ]
    assert [(out.reason, [one.name for one in out.candidates]) for out in found.left_out] == [
        ("has nothing that failed", ["orders-3"]),
        ("is in cluster ap, which cannot be reached", ["orders-4"]),
        ("needs the role operator", ["lake"]),
    ]
    assert (found.connectors, found.tasks, found.instances, found.clusters) == (2, 3, 4, (("eu", 1), ("us", 1)))
    assert (found.button, found.about, found.typed) == ("Restart 4 failed", "Restart 4 failed in 2 connectors", "")


@pytest.mark.parametrize(
    ("verb", "options", "button", "typed"),
    [
        (V.PAUSE, FAILED_ONLY, "Pause 1 connector", ""),
        (V.RESTART, ALL, "Restart 1 connector", ""),
        (V.DELETE, FAILED_ONLY, "Delete 1 connector", "delete 1 connector"),
    ],
)
def test_words_of_a_preview(verb: JobVerb, options: Options, button: str, typed: str) -> None:
    found = preview(verb, options, [candidate("orders", "RUNNING RUNNING")], ADMIN_OF_ALL)
    assert (found.button, found.about, found.typed) == (button, button, typed)


def test_an_old_cluster_cannot_stop() -> None:
    old = Candidate(1, "eu", True, "lake", State.RUNNING, status("RUNNING"), "2.8.1")
    assert [out.reason for out in preview(V.STOP, ALL, [old], ADMIN_OF_ALL).left_out] == [
        "cannot be stopped. Kafka Connect has stopping as of 3.5; this cluster is 2.8.1"
    ]


def test_deleting_takes_an_editor() -> None:
    found = preview(V.DELETE, FAILED_ONLY, [candidate("orders-1", "RUNNING")], OPERATOR_OF_ORDERS)
    assert [out.reason for out in found.left_out] == ["needs the role editor"]


@pytest.mark.parametrize(
    ("what", "words"),
    [
        (What(True, (0,)), "the connector, task 0"),
        (What(False, (0, 1)), "tasks 0 and 1"),
        (What(False, tuple(range(60))), "60 tasks"),
        (What(True), "the connector"),
    ],
)
def test_words_of_a_line(what: What, words: str) -> None:
    assert Line(candidate("orders", "FAILED"), what).words == words


def test_options_and_what_travel_as_json() -> None:
    assert Options.from_json(TASKS.to_json()) == TASKS
    assert Options.from_json({}) == FAILED_ONLY
    assert What.from_json(What(False, (1, 2)).to_json()) == What(False, (1, 2))
