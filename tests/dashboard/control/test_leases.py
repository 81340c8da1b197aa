"""Who is at a row."""

from datetime import UTC, datetime, timedelta

import pytest

from dashboard.control import leases
from dashboard.control.leases import LEASE
from dashboard.jobs import claims
from dashboard.models import Job

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
A_MOMENT = timedelta(milliseconds=1)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("until", "held"),
    [
        (None, False),
        (NOW - LEASE, False),
        (NOW, False),
        (NOW + A_MOMENT, True),
        (NOW + LEASE, True),
        # The clock was set back since.
        (NOW + 4 * LEASE + A_MOMENT, False),
    ],
)
def test_of_a_row_and_in_the_database(until: datetime | None, held: bool) -> None:
    job = Job.objects.create(verb="pause", by="ann", asked_at=NOW, claimed_by="other", claimed_until=until)
    assert leases.is_held(until, NOW) is held
    assert leases.claim(claims.rows([job.pk]), "me", NOW) is not held
