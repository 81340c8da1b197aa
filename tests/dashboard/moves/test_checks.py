"""What speaks for a move and what against it, as a table."""

from dataclasses import replace
from typing import Any

import pytest

from dashboard.moves.checks import Known, Outcome, Told, checks, possible, summary
from dashboard.moves.decide import Where
from dashboard.moves.plan import Mode, Options
from tests.dashboard.moves.paper import FILE_SOURCE

CONFIG = {"connector.class": FILE_SOURCE, "topics": "a"}
GOOD = Known(
    source=Where("old", "orders"),
    target=Where("new", "orders"),
    options=Options(),
    type="source",
    source_told=Told("4.3.0", "k1"),
    target_told=Told("0.9.0", "k1"),
    source_config=CONFIG,
    config=CONFIG,
    class_there=FILE_SOURCE,
)
COPY = Options(mode=Mode.COPY)


def test_nothing_speaks_against_it() -> None:
    found = checks(GOOD)
    assert {check.outcome for check in found} == {Outcome.GOOD}
    assert summary(found) == "It can be done."


@pytest.mark.parametrize(
    ("changed", "key", "outcome", "words"),
    [
        ({"target": Where("old", "x")}, "clusters", "bad", "from one cluster to another"),
        ({"may_edit_target": False}, "rights", "bad", "You need the role editor for orders in new"),
        ({"source_told": Told(error="It did not answer.")}, "source", "bad", "did not answer"),
        ({"target_told": Told(error="It did not answer.")}, "target", "bad", "did not answer"),
        ({"source_told": Told("3.4.0")}, "versions", "bad", "Kafka Connect has stopping as of 3.5; this cluster is 3.4.0."),
        ({"source_told": Told("3.5.0")}, "versions", "good", ""),
        ({"target_told": Told("3.5.1")}, "versions", "bad", "changing offsets as of 3.6"),
        ({"target_told": Told("3.6.0")}, "initial-state", "bad", "records may be read twice"),
        ({"target_told": Told("3.6.0"), "options": Options(unsafe_create=True)}, "initial-state", "mind", "may be read twice"),
        ({"source_config": None}, "connector", "bad", "no such connector"),
        ({"other_move": 7}, "connector", "bad", "Move 7"),
        ({"options": COPY}, "connector", "mind", "each record is written twice"),
        ({"options": COPY, "target_told": Told("4.3.0", "k2")}, "connector", "good", "It goes on as it is."),
        ({"name_taken": True}, "name", "bad", "Choose another"),
        ({"config": {**CONFIG, "db.password": "********"}}, "secrets", "bad", "old hides db.password"),
        ({"config": {**CONFIG, "db.password": "[hidden]"}}, "secrets", "bad", "old hides db.password"),
        ({"mask": "p: there is no stored secret to keep. Type its value."}, "secrets", "bad", "no stored secret"),
        ({"class_there": None}, "plugin", "bad", f"new has no {FILE_SOURCE}"),
        ({"version_here": "4.3.0", "version_there": "0.9.0"}, "plugin", "mind", "Version 0.9.0 there, 4.3.0 here."),
        ({"errors": {"file": ("is missing",)}}, "config", "bad", "file: is missing"),
        ({"refused": "It was out of time."}, "config", "bad", "out of time"),
        ({"options": Options(carry_offsets=False)}, "offsets", "mind", "left behind"),
        ({"type": "sink"}, "offsets", "good", "one and the same consumer group, connect-orders"),
        ({"type": "sink", "target": Where("new", "o2")}, "offsets", "good", "connect-o2 begins where connect-orders stands"),
        ({"type": "sink", "target_told": Told("4.3.0", "k2")}, "offsets", "mind", "different ones"),
        ({"type": "sink", "target_told": Told("4.3.0")}, "offsets", "mind", "do not tell"),
        ({"type": "sink", "config": {**CONFIG, "topics": "b"}}, "offsets", "mind", "other topics"),
        ({"type": "sink", "options": COPY}, "offsets", "bad", "another name"),
    ],
)
def test_one_thing_at_a_time(changed: dict[str, Any], key: str, outcome: str, words: str) -> None:
    found = checks(replace(GOOD, **changed))
    check = next(one for one in found if one.key == key)
    assert check.outcome == outcome
    assert words in check.text
    assert possible(found) is (outcome != "bad")


def test_old_clusters_need_no_offsets_where_none_are_carried() -> None:
    known = replace(GOOD, options=Options(carry_offsets=False), target_told=Told("3.5.0"))
    assert "versions" not in [check.key for check in checks(known) if check.outcome is Outcome.BAD]
