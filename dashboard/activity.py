"""Noting what somebody did. Called after it was done or refused, by whatever carries it out; never by the follower."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings

from dashboard.live.messages import ACTIVITY
from dashboard.live.publisher import publisher
from dashboard.models import Activity

# A table that grows by hand needs no clock to be kept short.
_LET_GO_EVERY = 100


@dataclass(frozen=True, slots=True)
class Who:
    """`via`: `ui`, `api` or `automation`."""

    name: str
    via: str = "ui"


def note(
    who: Who,
    verb: str,
    *,
    cluster: str = "",
    connector: str = "",
    task: int | None = None,
    job: int | None = None,
    before: Any = None,
    after: Any = None,
    refused: str = "",
    tell: bool = True,
) -> Activity:
    """`before` and `after` must have no secrets in them (`connect_client.secrets`). `refused`: why it was not done. `tell`:
    the open pages; of many at once whoever notes them tells once."""
    made = Activity.objects.create(
        at=datetime.now(UTC),
        by=who.name,
        via=who.via,
        verb=verb,
        cluster=cluster,
        connector=connector,
        task=task,
        job=job,
        before=before,
        after=after,
        outcome="refused" if refused else "done",
        message=refused,
    )
    if tell:
        publisher().publish(ACTIVITY)
    if made.pk % _LET_GO_EVERY == 0:
        let_go(made.at)
    return made


def let_go(now: datetime) -> None:
    """Of what is older than DROVER_ACTIVITY_DAYS."""
    Activity.objects.filter(at__lt=now - timedelta(days=settings.ACTIVITY_DAYS)).delete()
