"""Writing down what was decided, and the messages that follow from it, in one transaction.

Every write asks for the row to be as it was when it was decided over: of two control processes that decide the same, one does.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from dashboard.alerts.decide import Change, What
from dashboard.models import Alert, AlertDelivery, AlertRule

_BATCH = 200
#: How long alerts that have ended are kept.
KEPT = timedelta(days=90)


def record(changes: Sequence[Change], now: datetime) -> None:
    by: defaultdict[What, list[Change]] = defaultdict(list)
    for change in changes:
        by[change.what].append(change)
    with transaction.atomic():
        _begin(by[What.BEGINS], now)
        _wait(by[What.WAITS])
        _end(by[What.ENDS], now)
        Alert.objects.filter(pk__in=_ids(by[What.LAPSES]), began_at=None).delete()
        Alert.objects.filter(pk__in=_ids(by[What.CLEARS]), ended_at=None, clear_since=None).update(clear_since=now)
        Alert.objects.filter(pk__in=_ids(by[What.RETURNS]), ended_at=None).update(clear_since=None)


def forget(now: datetime) -> None:
    """What ended long ago, and the messages of it."""
    Alert.objects.filter(ended_at__lt=now - KEPT).delete()
    AlertDelivery.objects.filter(made_at__lt=now - KEPT, begun=None, ended_ones=None).delete()


def _wait(changes: Iterable[Change]) -> None:
    Alert.objects.bulk_create(map(_alert, changes), _BATCH, ignore_conflicts=True)


def _begin(changes: Sequence[Change], now: datetime) -> None:
    messages = _messages(changes, now, ended=False)
    fresh = []
    for change, message in zip(changes, messages, strict=True):
        if change.alert is None:
            alert = _alert(change)
            alert.began_at, alert.began_message = now, message
            fresh.append(alert)
        else:
            Alert.objects.filter(pk=change.alert, began_at=None).update(
                began_at=now, began_message=message, state=change.state, cause=change.cause
            )
    Alert.objects.bulk_create(fresh, _BATCH, ignore_conflicts=True)


def _end(changes: Sequence[Change], now: datetime) -> None:
    messages = _messages(changes, now, ended=True)
    for change, message in zip(changes, messages, strict=True):
        Alert.objects.filter(pk__in=_ids([change]), ended_at=None).update(
            ended_at=change.at, ended_message=message, why=change.why
        )


def _messages(changes: Sequence[Change], now: datetime, *, ended: bool) -> list[AlertDelivery]:
    """One for each change, in order. What begins or ends together is told together, but for PagerDuty, which keeps an incident
    for each."""
    rules = {change.key[0] for change in changes}
    apart = set(AlertRule.objects.filter(pk__in=rules, channel=AlertRule.Channel.PAGERDUTY).values_list("pk", flat=True))
    shared = {rule: _message(rule, now, ended) for rule in rules}
    messages = [_message(rule, now, ended) if (rule := change.key[0]) in apart else shared[rule] for change in changes]
    AlertDelivery.objects.bulk_create({message.pk: message for message in messages}.values(), _BATCH)
    return messages


def _message(rule: int, now: datetime, ended: bool) -> AlertDelivery:
    return AlertDelivery(rule_id=rule, ended=ended, made_at=now, next_try_at=now)


def _alert(change: Change) -> Alert:
    rule, cluster, connector = change.key
    return Alert(rule_id=rule, cluster=cluster, connector=connector, state=change.state, cause=change.cause, since=change.at)


def _ids(changes: Iterable[Change]) -> list[UUID]:
    return [change.alert for change in changes if change.alert]
