"""From what is seen to what a receiver gets: whatever ends, fails or is done twice on the way."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dashboard.alerts import deliver, look, record
from dashboard.alerts.decide import Change, decide
from dashboard.alerts.send import send
from dashboard.alerts.watch import Alerts
from dashboard.follow.recorder import Recorder
from dashboard.models import Alert, AlertDelivery, AlertRule, AutoRestart, Cluster
from tests.dashboard.alerts.conftest import NOW, MakeRule
from tests.dashboard.alerts.receivers import Receiver
from tests.dashboard.conftest import PaperCluster


class Room:
    """A cluster that is followed and a control process, by a clock that the test moves."""

    def __init__(self, cluster: Cluster, paper: PaperCluster) -> None:
        self.paper, self.now = paper, NOW
        self.recorder = Recorder(cluster)
        self.watch = Alerts()

    def round(self, seconds: float = 0, watch: Alerts | None = None) -> int:
        """What is seen is written down, decided over, and told. How many messages were taken."""
        self.now += timedelta(seconds=seconds)
        self.recorder.listing(self.paper.entries, self.now)
        self.recorder.reached("4.3.0", self.now)
        return self.look(watch)

    def look(self, watch: Alerts | None = None) -> int:
        watch = watch or self.watch
        watch.step(self.now)
        return sum(watch.send(rule, self.now) for rule in deliver.due(self.now))

    def unreachable(self, seconds: float = 0) -> int:
        self.now += timedelta(seconds=seconds)
        self.recorder.unreachable("connection refused", self.now)
        return self.look()


@pytest.fixture
def world(cluster: Cluster, paper: PaperCluster) -> Room:
    return Room(cluster, paper)


def told(hook: Receiver) -> list[tuple[str, list[str]]]:
    return [(one["event"], [alert["connector"] or alert["cluster"] for alert in one["alerts"]]) for one in hook.got]


def test_it_is_told_when_it_begins_and_when_it_ends(world: Room, make_rule: MakeRule, hook: Receiver) -> None:
    make_rule(lasting_seconds=60)
    world.paper.put("orders", "RUNNING", "RUNNING", "FAILED")
    assert world.round() == 0
    assert world.round(60) == 1
    world.paper.put("orders", "RUNNING", "RUNNING", "RUNNING")
    assert world.round(10) == 0
    assert world.round(60) == 1
    assert told(hook) == [("began", ["orders"]), ("ended", ["orders"])]
    began, ended = hook.got
    assert (began["rule"], began["alerts"][0]["state"]) == ("failed", "DEGRADED")
    assert began["alerts"][0]["cause"] == "task 1: java.io.IOException: disk full"
    assert began["alerts"][0]["id"] == ended["alerts"][0]["id"]
    assert began["id"] != ended["id"]
    assert hook.headers[0]["X-Drover-Message"] == began["id"]
    assert ended["alerts"][0]["ended_at"] == (NOW + timedelta(seconds=70)).isoformat(timespec="milliseconds")
    assert ended["text"] == "Over: orders in eu was DEGRADED for 1 min\nRule: failed"


def test_what_begins_together_is_told_together(world: Room, make_rule: MakeRule, hook: Receiver) -> None:
    make_rule()
    for number in range(30):
        world.paper.put(f"c{number:02}", "FAILED", "FAILED")
    world.round()
    ((event, names),) = told(hook)
    assert (event, len(names)) == ("began", 30)
    assert hook.got[0]["text"].startswith("30 alerts of “failed”\nc00 in eu is FAILED: java.io.IOException: disk full\n")
    assert hook.got[0]["text"].endswith("and 10 more")


def test_pagerduty_has_an_incident_for_each(world: Room, make_rule: MakeRule, hook: Receiver) -> None:
    make_rule(channel="pagerduty", key="routing-key")
    for name in ("a", "b"):
        world.paper.put(name, "FAILED", "FAILED")
    world.round()
    world.paper.entries.clear()
    world.round(1)
    world.round(30)
    assert sorted(one["event_action"] for one in hook.got) == ["resolve", "resolve", "trigger", "trigger"]
    keys = [one["dedup_key"] for one in hook.got]
    assert len(set(keys)) == 2
    assert sorted(keys[:2]) == sorted(keys[2:]) == sorted(str(pk) for pk in Alert.objects.values_list("pk", flat=True))
    assert {one["routing_key"] for one in hook.got} == {"routing-key"}
    assert hook.got[0]["payload"]["severity"] == "critical"


def test_a_cluster_that_is_down_is_told_once(world: Room, make_rule: MakeRule, hook: Receiver) -> None:
    make_rule()
    for number in range(20):
        world.paper.put(f"c{number}", "RUNNING", "RUNNING")
    world.round()
    for _ in range(5):
        world.unreachable(10)
    assert [(one["event"], one["text"].splitlines()[0]) for one in hook.got] == [
        ("began", "cluster eu cannot be reached: connection refused")
    ]
    world.round(1)
    world.round(30)
    assert [one["event"] for one in hook.got] == ["began", "ended"]


@pytest.mark.parametrize("status", [500, 404, 302])
def test_a_receiver_that_does_not_take_it_is_asked_again(world: Room, make_rule: MakeRule, hook: Receiver, status: int) -> None:
    make_rule()
    hook.status, hook.body = status, b"  no\n service "
    world.paper.put("orders", "FAILED", "FAILED")
    assert world.round() == 0
    delivery = AlertDelivery.objects.get()
    assert (delivery.attempts, delivery.next_try_at, delivery.done_at) == (1, NOW + timedelta(seconds=5), None)
    assert delivery.error.startswith(f"127.0.0.1 answered {status}")
    assert delivery.error.endswith(": no service")
    assert "secret-path" not in delivery.error
    assert world.round(4) == 0
    assert len(hook.got) == 1
    hook.status = 200
    assert world.round(1) == 1
    assert world.round(600) == 0
    assert hook.got[0] == hook.got[1]
    delivery.refresh_from_db()
    assert (delivery.attempts, delivery.error) == (2, "")
    assert delivery.done_at is not None


def test_a_receiver_that_was_away_hears_everything_in_order(world: Room, make_rule: MakeRule, hook: Receiver) -> None:
    make_rule()
    hook.kill()
    world.paper.put("orders", "FAILED", "FAILED")
    world.round()
    assert "refused" in AlertDelivery.objects.get().error
    world.paper.entries.clear()
    world.round(1)
    world.round(30)
    back = Receiver(hook.port)
    try:
        assert world.round(600) == 2
        assert told(back) == [("began", ["orders"]), ("ended", ["orders"])]
        assert back.got[0]["alerts"][0]["ended_at"] is None
    finally:
        back.kill()


def test_it_is_given_up_after_hours_and_the_end_is_not_told_then(world: Room, make_rule: MakeRule, hook: Receiver) -> None:
    make_rule()
    hook.status = 503
    world.paper.put("orders", "FAILED", "FAILED")
    world.round()
    for _ in range(8):
        world.round(3000)
    delivery = AlertDelivery.objects.get()
    assert delivery.gave_up_at == NOW + timedelta(seconds=24_000)
    assert delivery.attempts == len(hook.got) == 9
    hook.status = 200
    world.paper.entries.clear()
    world.round(1)
    world.round(30)
    assert AlertDelivery.objects.filter(done_at=None).count() == 1
    assert len(hook.got) == delivery.attempts


def test_a_message_that_is_wrong_in_itself_does_not_hold_up_the_others_for_long(
    world: Room, make_rule: MakeRule, hook: Receiver
) -> None:
    make_rule()
    hook.status = 400
    world.paper.put("orders", "FAILED", "FAILED")
    for _ in range(deliver.HOPELESS_AFTER):
        world.round(60)
    assert AlertDelivery.objects.get().gave_up_at is not None


def test_one_receiver_that_hangs_holds_up_nobody_else(
    world: Room, make_rule: MakeRule, hook: Receiver, transactional_db: None
) -> None:
    slow = Receiver()
    slow.go.clear()
    try:
        make_rule("slow", slow.url)
        make_rule("quick")
        world.paper.put("orders", "FAILED", "FAILED")
        world.recorder.listing(world.paper.entries, world.now)
        world.recorder.reached("4.3.0", world.now)
        world.watch.step(world.now)
        world.watch.send_due()
        assert slow.came.acquire(timeout=10)
        assert hook.came.acquire(timeout=10)
        assert not AlertDelivery.objects.get(rule__name="slow").done_at
    finally:
        slow.kill()
        for thread in world.watch._sending.values():
            thread.join(10)
    assert AlertDelivery.objects.filter(done_at=None).count() == 0


def test_two_control_processes_send_it_once(world: Room, make_rule: MakeRule, hook: Receiver) -> None:
    rule = make_rule()
    other = Alerts()
    world.paper.put("orders", "FAILED", "FAILED")
    world.round()
    for _ in range(3):
        world.look(other)
    assert len(hook.got) == 1
    hook.status = 500
    world.paper.put("lake", "FAILED", "FAILED")
    world.round(1)
    assert deliver.claim(rule.pk, other.name, world.now)
    assert not deliver.claim(rule.pk, world.watch.name, world.now)
    hook.status = 200
    world.now += timedelta(seconds=10)
    assert world.look() == 0
    assert world.look(other) == 1


def test_two_that_decide_at_the_same_time_begin_it_once(world: Room, make_rule: MakeRule, hook: Receiver) -> None:
    make_rule()
    make_rule("later", lasting_seconds=60)
    world.paper.put("orders", "FAILED", "FAILED")
    world.recorder.listing(world.paper.entries, world.now)
    world.recorder.reached("4.3.0", world.now)

    def decided(now: datetime) -> list[Change]:
        rules = look.rules()
        return decide(rules, look.clusters(now), look.Connectors().seen(rules), look.open_alerts(), now)

    for seconds in (0, 60, 120):
        now = NOW + timedelta(seconds=seconds)
        world.recorder.reached("4.3.0", now)
        both = decided(now), decided(now)
        for changes in both:
            record.record(changes, now)
        world.now = now
        world.look()
        world.look(Alerts())
    assert sorted((one["rule"], one["event"]) for one in hook.got) == [("failed", "began"), ("later", "began")]
    assert Alert.objects.count() == 2


class Killed(BaseException):
    """As far as can be told from within: nothing that comes after it is done."""


@pytest.mark.parametrize("where", ["begun", "claimed", "sent", "noted"])
def test_it_arrives_whoever_is_killed_in_between(
    world: Room, make_rule: MakeRule, hook: Receiver, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    make_rule()
    world.paper.put("orders", "FAILED", "FAILED")

    def die(*_: Any, **__: Any) -> Any:
        raise Killed

    def after(real: Callable[..., Any]) -> Callable[..., Any]:
        def then_die(*args: Any, **kwargs: Any) -> Any:
            real(*args, **kwargs)
            raise Killed

        return then_die

    with monkeypatch.context() as patch:
        match where:
            case "begun":
                patch.setattr("dashboard.alerts.watch.record", after(record.record))
            case "claimed":
                patch.setattr("dashboard.alerts.deliver.next_of", die)
            case "sent":
                patch.setattr("dashboard.alerts.deliver.send", after(send))
            case "noted":
                patch.setattr("dashboard.alerts.deliver.deliver", after(deliver.deliver))
        with pytest.raises(Killed):
            world.round()
    successor = Alerts()
    world.round(1, successor)
    if where in ("claimed", "sent"):
        assert AlertDelivery.objects.get().done_at is None, "the claim has not lapsed yet"
    world.round(deliver.CLAIM.total_seconds(), successor)
    assert AlertDelivery.objects.get().done_at is not None
    assert len(hook.got) == (2 if where == "sent" else 1)
    assert len({one["id"] for one in hook.got}) == 1


def test_a_round_costs_the_same_however_much_there_is(world: Room, make_rule: MakeRule, hook: Receiver) -> None:
    counts = []
    for size in (1, 60):
        make_rule(f"rule {size}", text="DISK")
        make_rule(f"another {size}", states=["UNASSIGNED"])
        for number in range(size):
            world.paper.put(f"c{number}", "FAILED", "FAILED")
        world.round()
        with CaptureQueriesContext(connection) as queries:
            world.watch.step(world.now)
        counts.append(len(queries))
    assert counts == [4, 4]


def test_without_rules_it_asks_for_nothing_else(world: Room, django_assert_num_queries: Any) -> None:
    world.paper.put("orders", "FAILED", "FAILED")
    world.round()
    with django_assert_num_queries(1):
        assert not world.watch.step(world.now)


def test_the_text_of_a_failure(world: Room, make_rule: MakeRule, hook: Receiver) -> None:
    make_rule(text="Disk FULL")
    world.paper.put("full", "RUNNING", "RUNNING", "FAILED")
    world.paper.put("other", "FAILED", "FAILED", trace="Outer: o\nCaused by: java.io.IOException: no route")
    world.round()
    assert told(hook) == [("began", ["full"])]
    world.paper.put("other", "FAILED", "FAILED")
    world.round(1)
    assert told(hook)[1:] == [("began", ["other"])]


def test_a_rule_that_is_switched_off_says_that_it_is_over(world: Room, make_rule: MakeRule, hook: Receiver) -> None:
    rule = make_rule()
    world.paper.put("orders", "FAILED", "FAILED")
    world.round()
    AlertRule.objects.filter(pk=rule.pk).update(enabled=False)
    world.round(5)
    assert hook.got[1]["text"].splitlines()[0] == "Over: orders in eu was FAILED for 5 s (the rule was switched off)"
    assert world.round(5) == 0


def test_a_sealed_address_of_another_key_is_told_as_such(world: Room, make_rule: MakeRule, hook: Receiver) -> None:
    AlertRule.objects.filter(pk=make_rule().pk).update(address="nonsense")
    world.paper.put("orders", "FAILED", "FAILED")
    world.round()
    assert "DROVER_SECRET_KEY" in AlertDelivery.objects.get().error


def test_what_ended_long_ago_is_forgotten(world: Room, make_rule: MakeRule, hook: Receiver) -> None:
    make_rule()
    world.paper.put("orders", "FAILED", "FAILED")
    world.round()
    world.paper.entries.clear()
    world.round(1)
    world.round(30)
    world.round(timedelta(days=91).total_seconds())
    assert (Alert.objects.count(), AlertDelivery.objects.count()) == (0, 0)


@pytest.mark.django_db(transaction=True)
def test_the_thread_looks_and_sends(world: Room, make_rule: MakeRule, hook: Receiver) -> None:
    make_rule()
    world.paper.put("orders", "FAILED", "FAILED")
    world.now = datetime.now(UTC)
    world.recorder.listing(world.paper.entries, world.now)
    world.recorder.reached("4.3.0", world.now)
    world.watch.start()
    try:
        assert hook.came.acquire(timeout=20)
    finally:
        world.watch.stop()
        world.watch._rounds.stop(10)
        for thread in world.watch._sending.values():
            thread.join(10)


@pytest.mark.parametrize(("attempts", "seconds"), [(1, 5), (2, 10), (3, 20), (8, 600), (10_000, 600)])
def test_how_long_a_receiver_is_left_alone(attempts: int, seconds: int) -> None:
    assert deliver.wait_after(attempts) == timedelta(seconds=seconds)


def test_what_was_given_up_is_told(world: Room, make_rule: MakeRule, hook: Receiver, cluster: Cluster) -> None:
    """Only that, though it is not all that has failed."""
    make_rule(states=["GIVEN UP"])
    for name in ("orders", "lake", "mended"):
        world.paper.put(name, "RUNNING", "RUNNING" if name == "mended" else "FAILED")
    assert world.round() == 0
    for name in ("orders", "mended"):
        AutoRestart.objects.create(cluster=cluster, connector=name, count=6, gave_up_at=world.now)
    assert world.round(1) == 1
    assert told(hook) == [("began", ["orders"])]
    assert hook.got[0]["alerts"][0]["state"] == "GIVEN UP"
    # Somebody has restarted it; whether that helped is not known yet.
    AutoRestart.objects.all().delete()
    world.paper.put("orders", "RUNNING", "RUNNING")
    world.round(1)
    assert world.round(31) == 1
    assert told(hook)[1:] == [("ended", ["orders"])]


def test_it_is_one_alert_where_a_rule_is_about_both(world: Room, make_rule: MakeRule, hook: Receiver, cluster: Cluster) -> None:
    make_rule(states=["FAILED", "GIVEN UP"])
    world.paper.put("orders", "RUNNING", "FAILED")
    assert world.round() == 1
    AutoRestart.objects.create(cluster=cluster, connector="orders", count=6, gave_up_at=world.now)
    assert world.round(60) == 0
