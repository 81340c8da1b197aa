"""When a refused call is made again."""

import pytest

from connect_client.retry import RetryPolicy, delay_before_retry

POLICY = RetryPolicy(attempts=4, first_delay=0.2, factor=2)


@pytest.mark.parametrize(
    ("attempt", "status", "retry_conflict", "delay"),
    [
        (1, 200, True, None),
        (1, 409, True, 0.2),
        (2, 409, True, 0.4),
        (3, 409, True, 0.8),
        (4, 409, True, None),
        (1, 409, False, None),
        (1, 500, True, None),
        (1, 404, True, None),
    ],
)
def test_delay(attempt: int, status: int, retry_conflict: bool, delay: float | None) -> None:
    assert delay_before_retry(POLICY, attempt, status, retry_conflict=retry_conflict) == delay
