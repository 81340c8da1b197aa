"""Somebody has restarted it by hand: what was given up begins anew."""

from collections.abc import Iterable
from datetime import datetime

from dashboard.models import AutoRestart


def rearm(cluster: int, connectors: Iterable[str], now: datetime) -> None:
    """The time stays, for what is seen of before it tells nothing of what came of it."""
    given_up = AutoRestart.objects.filter(cluster=cluster, connector__in=connectors).exclude(gave_up_at=None)
    given_up.update(count=0, last_restart_at=now, healthy_seconds=0.0, looked_at=None, gave_up_at=None)
