"""Messages on their way: each at least once, in order for each rule, whatever ends or fails in between.

A message is done when that is written down, which is after the receiver took it: if its sender is killed between the two, it is
sent again, with the same id. A rule's messages are sent by whoever holds its claim, which lapses with its process.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet

from dashboard.alerts.messages import Message, Told
from dashboard.alerts.send import LONGEST, Answer, send
from dashboard.control import leases
from dashboard.models import Alert, AlertDelivery, AlertRule

CLAIM = timedelta(seconds=LONGEST + 40)
FIRST, LONGEST_WAIT = timedelta(seconds=5), timedelta(minutes=10)
GIVE_UP = timedelta(hours=6)
HOPELESS_AFTER = 4

_UNDER_WAY = {"done_at": None, "gave_up_at": None}


def wait_after(attempts: int) -> timedelta:
    """Before the next, after so many that failed."""
    return min(LONGEST_WAIT, FIRST * (1 << min(attempts - 1, 20)))


def worth_it(made_at: datetime, next_try_at: datetime, attempts: int, *, hopeless: bool) -> bool:
    """Whether it is tried again. What a receiver calls wrong in itself must not hold up what comes after it for hours."""
    return next_try_at - made_at <= GIVE_UP and not (hopeless and attempts >= HOPELESS_AFTER)


def due(now: datetime) -> list[int]:
    """Rules whose next message is to be sent now."""
    heads: dict[int, datetime] = {}
    for rule, next_try_at in _in_order(AlertDelivery.objects.filter(**_UNDER_WAY)).values_list("rule_id", "next_try_at"):
        heads.setdefault(rule, next_try_at)
    return [rule for rule, next_try_at in heads.items() if next_try_at <= now]


def claim(rule: int, by: str, now: datetime) -> bool:
    """Of several that try at once, one succeeds; whoever holds it prolongs it."""
    free = leases.free(now, CLAIM) | Q(claimed_by=by)
    return bool(AlertRule.objects.filter(free, pk=rule).update(claimed_by=by, claimed_until=now + CLAIM))


def release(rule: int, by: str) -> None:
    leases.release(AlertRule.objects.filter(pk=rule), by)


def next_of(rule: int, now: datetime) -> AlertDelivery | None:
    """The first that is under way, if its time has come."""
    head = _in_order(AlertDelivery.objects.select_related("rule").filter(rule=rule, **_UNDER_WAY)).first()
    return head if head is not None and head.next_try_at <= now else None


def deliver(delivery: AlertDelivery, now: datetime) -> Answer:
    """One attempt, and what came of it."""
    message = _message(delivery)
    answer = send(delivery.rule, message) if message else Answer(True, "")
    own = AlertDelivery.objects.filter(pk=delivery.pk)
    if answer.taken:
        own.update(done_at=now, attempts=F("attempts") + (1 if message else 0), error="")
        return answer
    attempts = delivery.attempts + 1
    next_try_at = now + wait_after(attempts)
    gave_up_at = None if worth_it(delivery.made_at, next_try_at, attempts, hopeless=answer.hopeless) else now
    own.update(attempts=attempts, next_try_at=next_try_at, gave_up_at=gave_up_at, error=answer.text)
    return answer


def _message(delivery: AlertDelivery) -> Message | None:
    """None where there is nothing to tell: another process was quicker, or nobody was told of the beginning."""
    alerts = delivery.ended_ones.exclude(began_message__done_at=None) if delivery.ended else delivery.begun.all()
    told = tuple(told_of(alert) for alert in alerts.order_by("cluster", "connector"))
    if not delivery.ended:
        # As it was when it began, though it may be over by the time that somebody takes it.
        told = tuple(replace(one, ended_at=None, why="") for one in told)
    event = "ended" if delivery.ended else "began"
    return Message(str(delivery.pk), event, delivery.rule.name, told, delivery.made_at) if told else None


def told_of(alert: Alert) -> Told:
    return Told(
        str(alert.pk),
        alert.cluster,
        alert.connector,
        alert.state,
        alert.cause,
        alert.since,
        alert.began_at or alert.since,
        alert.ended_at,
        alert.why,
    )


def _in_order(deliveries: QuerySet[AlertDelivery]) -> QuerySet[AlertDelivery]:
    return deliveries.order_by("made_at", "pk")
