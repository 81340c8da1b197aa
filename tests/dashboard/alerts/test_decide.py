"""What begins and what ends, by a clock of its own."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from dashboard.alerts.decide import (
    CHANGED,
    FORGOTTEN,
    SWITCHED_OFF,
    UNREACHABLE,
    Change,
    ClusterSeen,
    ConnectorSeen,
    Key,
    Open,
    Rule,
    What,
    decide,
)
from dashboard.fleet.clusters import Contact

START = datetime(2026, 11, 22, 3, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
FAILED = Rule(1, frozenset({"FAILED", "DEGRADED", UNREACHABLE}), lasting=MINUTE)


class Story:
    """A rule, what is seen by and by, and what comes of it: alerts are kept as `dashboard.alerts.record` does."""

    def __init__(self, *rules: Rule) -> None:
        self.rules = list(rules)
        self.clusters = {"eu": ClusterSeen("eu", Contact.LIVE)}
        self.connectors: dict[str, ConnectorSeen] = {}
        self.open: dict[Key, Open] = {}
        self.now = START

    def seen(self, seconds: float = 0, **states: str) -> list[str]:
        """After so many seconds these connectors of `eu` are in these states, the rest is healthy. What changes, in words."""
        self.now += timedelta(seconds=seconds)
        before, self.connectors = self.connectors, {}
        for name, state in states.items():
            known = before.get(name)
            since = known.since if known and known.state == state else self.now
            self.connectors[name] = ConnectorSeen("eu", name, state, since, f"{name} broke")
        return [f"{change.key[2] or change.key[1]} {change.what}" for change in self.look()]

    def look(self) -> list[Change]:
        changes = decide(self.rules, self.clusters.values(), list(self.connectors.values()), list(self.open.values()), self.now)
        for change in changes:
            known = self.open.get(change.key)
            match change.what:
                case What.WAITS:
                    self.open[change.key] = Open(uuid4(), change.key, change.at)
                case What.BEGINS:
                    self.open[change.key] = Open(known.id if known else uuid4(), change.key, change.at, self.now)
                case What.CLEARS | What.RETURNS:
                    assert known
                    since = change.at if change.what is What.CLEARS else None
                    self.open[change.key] = replace(known, clear_since=since)
                case What.ENDS | What.LAPSES:
                    del self.open[change.key]
        return changes

    def contact(self, contact: Contact, seconds: float = 0) -> list[str]:
        self.now += timedelta(seconds=seconds)
        since = self.clusters["eu"].since if self.clusters["eu"].contact is contact else self.now
        self.clusters["eu"] = ClusterSeen("eu", contact, since, "refused")
        return [f"{change.key[2] or change.key[1]} {change.what}" for change in self.look()]


def test_it_begins_when_it_has_lasted_long_enough() -> None:
    story = Story(FAILED)
    assert story.seen(0, a="FAILED") == ["a waits"]
    assert story.seen(59, a="FAILED") == []
    assert story.seen(1, a="FAILED") == ["a begins"]
    assert story.seen(600, a="FAILED") == []


def test_what_is_over_before_that_is_told_to_nobody() -> None:
    story = Story(FAILED)
    story.seen(0, a="FAILED")
    assert story.seen(59) == ["a lapses"]
    assert story.seen(1, a="FAILED") == ["a waits"]


def test_one_wrong_state_after_another_is_one_time() -> None:
    story = Story(FAILED)
    story.seen(0, a="DEGRADED")
    assert story.seen(50, a="FAILED") == []
    assert story.seen(10, a="DEGRADED") == ["a begins"]


def test_what_has_been_so_for_long_begins_at_once() -> None:
    story = Story()
    story.seen(0, a="FAILED")
    story.seen(60, a="FAILED")
    story.rules.append(FAILED)
    assert story.seen(0, a="FAILED") == ["a begins"]


def test_what_nobody_knows_since_when_begins_to_count_now() -> None:
    story = Story(FAILED)
    story.connectors["a"] = ConnectorSeen("eu", "a", "FAILED", None)
    assert [(change.what, change.at) for change in story.look()] == [(What.WAITS, START)]


def test_it_ends_when_it_has_been_over_for_as_long() -> None:
    story = Story(FAILED)
    story.seen(0, a="FAILED")
    story.seen(60, a="FAILED")
    assert story.seen(10) == ["a clears"]
    over = story.now
    assert story.seen(59) == []
    story.now += timedelta(seconds=1)
    ended = story.look()
    assert [(change.what, change.at, change.why) for change in ended] == [(What.ENDS, over, "")]
    assert story.open == {}


@pytest.mark.parametrize(("lasting", "quiet"), [(0, 30), (10, 30), (300, 300)])
def test_what_comes_and_goes_is_one_alert(lasting: int, quiet: int) -> None:
    story = Story(replace(FAILED, lasting=timedelta(seconds=lasting)))
    story.seen(0, a="FAILED")
    story.seen(lasting, a="FAILED")
    (first,) = story.open.values()
    for _ in range(20):
        assert story.seen(1) == ["a clears"]
        assert story.seen(quiet - 1, a="FAILED") == ["a returns"]
    assert [alert.id for alert in story.open.values()] == [first.id]
    story.seen(1)
    assert story.seen(quiet) == ["a ends"]


def test_a_restart_is_neither() -> None:
    story = Story(FAILED)
    story.seen(0, a="FAILED", b="FAILED")
    assert story.seen(60, a="FAILED", b="RESTARTING") == ["a begins"]
    assert story.seen(5, a="RESTARTING", b="FAILED") == ["b begins"]
    assert story.seen(600, a="RESTARTING", b="FAILED") == []
    assert story.seen(1, b="FAILED") == ["a clears"]


def test_unless_that_is_what_the_rule_is_about() -> None:
    story = Story(Rule(1, frozenset({"RESTARTING"}), lasting=MINUTE))
    story.seen(0, a="RESTARTING")
    assert story.seen(60, a="RESTARTING") == ["a begins"]


@pytest.mark.parametrize("contact", [Contact.UNREACHABLE, Contact.UNFOLLOWED, Contact.AWAITED])
def test_connectors_of_a_cluster_that_does_not_answer_stay_as_they_are(contact: Contact) -> None:
    story = Story(replace(FAILED, states=frozenset({"FAILED", "UNASSIGNED"})))
    names = [f"c{number}" for number in range(500)]
    story.seen(0, **dict.fromkeys(names[:250], "FAILED"))
    story.seen(60, **dict.fromkeys(names[:250], "FAILED"))
    story.connectors |= {name: ConnectorSeen("eu", name, "UNASSIGNED", START) for name in names[250:]}
    assert story.contact(contact, 5) == []
    story.connectors = {}
    assert story.contact(contact, 600) == []
    assert len(story.open) == 250


def test_a_cluster_that_does_not_answer_is_one_alert() -> None:
    story = Story(FAILED)
    assert story.contact(Contact.UNREACHABLE) == ["eu waits"]
    assert story.contact(Contact.UNREACHABLE, 60) == ["eu begins"]
    assert story.contact(Contact.UNFOLLOWED, 600) == []
    assert story.contact(Contact.LIVE) == ["eu clears"]
    assert story.contact(Contact.LIVE, 60) == ["eu ends"]


def test_what_failed_meanwhile_is_told_when_the_cluster_is_back() -> None:
    story = Story(replace(FAILED, states=frozenset({"FAILED"})))
    story.seen(0, a="FAILED")
    story.contact(Contact.UNREACHABLE, 10)
    assert story.contact(Contact.LIVE, 600) == ["a begins"]


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (FAILED, True),
        (replace(FAILED, cluster="eu"), True),
        (replace(FAILED, cluster="us"), False),
        (replace(FAILED, pattern="orders-*"), True),
        (replace(FAILED, pattern="lake-*"), False),
        (replace(FAILED, states=frozenset({"DEGRADED"})), False),
        (replace(FAILED, states=frozenset({UNREACHABLE})), False),
        (replace(FAILED, text="disk full"), True),
        (replace(FAILED, text="no route"), False),
        (replace(FAILED, enabled=False), False),
    ],
)
def test_which_rule_is_about_what(rule: Rule, told: bool) -> None:
    story = Story(rule)
    story.connectors["a"] = ConnectorSeen("eu", "orders-1", "FAILED", START, "why", frozenset({"disk full"}))
    assert bool(story.look()) is told


def test_a_pattern_has_nothing_to_do_with_clusters() -> None:
    story = Story(replace(FAILED, pattern="orders-*"))
    assert story.contact(Contact.UNREACHABLE) == ["eu waits"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"enabled": False}, SWITCHED_OFF),
        ({"pattern": "b*"}, CHANGED),
        ({"cluster": "us"}, CHANGED),
    ],
)
def test_a_rule_that_is_changed_ends_what_it_is_not_about_any_more(change: dict[str, object], why: str) -> None:
    story = Story(FAILED)
    story.seen(0, a="FAILED")
    story.seen(60, a="FAILED", aa="FAILED")
    story.rules = [replace(FAILED, **change)]  # type: ignore[arg-type]
    ended = story.look()
    assert sorted((one.key[2], one.what, one.why) for one in ended) == [("a", What.ENDS, why), ("aa", What.LAPSES, why)]


def test_a_cluster_that_is_removed_takes_its_alerts_along() -> None:
    story = Story(FAILED)
    story.seen(0, a="FAILED")
    story.seen(60, a="FAILED")
    story.clusters, story.connectors = {}, {}
    assert [(one.what, one.why) for one in story.look()] == [(What.ENDS, FORGOTTEN)]


def test_two_rules_are_two_alerts() -> None:
    story = Story(replace(FAILED, lasting=timedelta()), replace(FAILED, id=2))
    assert story.seen(0, a="FAILED") == ["a begins", "a waits"]


def test_what_it_is_told_with() -> None:
    story = Story(replace(FAILED, lasting=timedelta()))
    story.seen(0)
    story.connectors["a"] = ConnectorSeen("eu", "a", "FAILED", START, "disk full")
    (change,) = story.look()
    assert (change.key, change.at, change.state, change.cause) == ((1, "eu", "a"), START, "FAILED", "disk full")
