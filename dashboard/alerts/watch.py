"""Looking, deciding and sending, again and again, in a thread of the control process; each step callable without it."""

import logging
import threading
from datetime import UTC, datetime, timedelta

from django.db import connections

from dashboard.alerts import deliver, look
from dashboard.alerts.decide import decide
from dashboard.alerts.record import forget, record
from dashboard.control import leases
from dashboard.control.rounds import Rounds
from dashboard.live.messages import ALERTS_CHANGED
from dashboard.live.publisher import publisher

logger = logging.getLogger(__name__)

_EVERY = 2.0
_FORGET_EVERY = timedelta(hours=1)
# Receivers that hang at the same time hold up one another only beyond this.
_AT_ONCE = 8


class Alerts:
    """`step` looks once and sends what is due, each rule's messages in a thread of their own."""

    def __init__(self) -> None:
        self.name = leases.new_name()
        self._connectors = look.Connectors()
        self._forgot_at: datetime | None = None
        self._sending: dict[int, threading.Thread] = {}
        self._rounds = Rounds("alerts", self._round, _EVERY, purpose="looking after alerts")

    def start(self) -> None:
        self._rounds.start()

    def stop(self) -> None:
        """At once: what is on its way is sent again by whoever comes next, unless it was taken and noted."""
        self._rounds.stop()

    def step(self, now: datetime | None = None) -> bool:
        """Whether there is anything to look after: nothing more is asked of the database where there are no rules."""
        moment = now or _now()
        rules = look.rules()
        if not rules:
            return False
        alerts = look.open_alerts()
        if alerts or any(rule.enabled for rule in rules):
            changes = decide(rules, look.clusters(moment), self._connectors.seen(rules), alerts, moment)
            if changes:
                record(changes, moment)
                publisher().publish(ALERTS_CHANGED)
        self._forget_sometimes(moment)
        return True

    def send_due(self) -> None:
        """Returns at once; a rule's messages are not waited for."""
        self._sending = {rule: thread for rule, thread in self._sending.items() if thread.is_alive()}
        for rule in deliver.due(_now()):
            if rule not in self._sending and len(self._sending) < _AT_ONCE:
                thread = threading.Thread(target=self._send, args=(rule,), name=f"alerts-{rule}", daemon=True)
                self._sending[rule] = thread
                thread.start()

    def send(self, rule: int, now: datetime | None = None) -> int:
        """The rule's messages that are due, unless another process is at them. How many were taken."""
        taken = 0
        while not self._rounds.stopped.is_set() and deliver.claim(rule, self.name, now or _now()):
            delivery = deliver.next_of(rule, now or _now())
            if delivery is None:
                deliver.release(rule, self.name)
                break
            answer = deliver.deliver(delivery, now or _now())
            publisher().publish(ALERTS_CHANGED)
            if not answer.taken:
                # The next attempt is at a time of its own.
                logger.warning("message %s of alert rule %s was not taken: %s", delivery.pk, delivery.rule, answer.text)
                continue
            taken += 1
        return taken

    def _forget_sometimes(self, now: datetime) -> None:
        if self._forgot_at is None or now - self._forgot_at >= _FORGET_EVERY:
            forget(now)
            self._forgot_at = now

    def _round(self) -> None:
        if self.step():
            self.send_due()

    def _send(self, rule: int) -> None:
        try:
            self.send(rule)
        except Exception:
            # The claim lapses; what was under way is sent again.
            logger.exception("sending the messages of alert rule %s failed", rule)
        finally:
            connections.close_all()


def _now() -> datetime:
    return datetime.now(UTC)
