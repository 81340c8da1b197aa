"""Whether and when a refused call is made again: a decision over values, no clock and no socket in it."""

from dataclasses import dataclass

CONFLICT = 409


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Connect answers 409 in bursts, while its workers rebalance; five tries over three seconds outlive the usual one."""

    attempts: int = 5
    first_delay: float = 0.2
    factor: float = 2.0


def delay_before_retry(policy: RetryPolicy, attempt: int, status: int, *, retry_conflict: bool) -> float | None:
    """Seconds to wait after the given attempt (the first is 1) was answered with `status`; None: do not ask again."""
    if status != CONFLICT or not retry_conflict or attempt >= policy.attempts:
        return None
    return float(policy.first_delay * policy.factor ** (attempt - 1))
