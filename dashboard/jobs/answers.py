"""What comes after a cluster was asked for one connector: a decision over its answer."""

from dataclasses import dataclass

from connect_client import ConnectConflict, ConnectDenied, ConnectError, ConnectNotFound, ConnectRefused, ConnectUnusable
from dashboard.jobs.verbs import JobVerb, Options, repeatable

# 1, 2, 4, 8 and then every 15 seconds: some three minutes, which outlast a rebalance that does not wait for a lost worker.
CONFLICT_TRIES = 15
# For a server that fails, and for one that cannot be reached.
TRIES = 4
_FIRST, _LONGEST = 1.0, 15.0
# What was heard is seen by then, and what runs again is not asked for again.
_AFTER_LOST = 3.0


@dataclass(frozen=True, slots=True)
class Taken:
    """The cluster has taken it on. `lost`: or so it may be, for its answer was lost."""

    lost: bool = False


@dataclass(frozen=True, slots=True)
class Gone:
    """What was to be deleted is not there any more."""


@dataclass(frozen=True, slots=True)
class Again:
    """Ask again after so many seconds."""

    after: float
    cause: str


@dataclass(frozen=True, slots=True)
class Refused:
    cause: str


After = Taken | Gone | Again | Refused


def after(verb: JobVerb, options: Options, attempts: int, error: ConnectError | None) -> After:
    """`attempts`: how often it has been asked by now, this time included."""
    if error is None:
        return Taken()
    if isinstance(error, ConnectNotFound):
        return Gone() if verb is JobVerb.DELETE else Refused(str(error))
    if isinstance(error, ConnectConflict):
        # Nothing was changed: this may be asked again whatever it is.
        return Again(backoff(attempts), str(error)) if attempts < CONFLICT_TRIES else Refused(_tried(attempts, error))
    if isinstance(error, ConnectDenied | ConnectUnusable) or (isinstance(error, ConnectRefused) and error.status < 500):
        return Refused(str(error))
    if repeatable(verb, options):
        return Again(backoff(attempts), str(error)) if attempts < TRIES else Refused(_tried(attempts, error))
    return Refused(str(error)) if isinstance(error, ConnectRefused) else Taken(lost=True)


def after_lost(verb: JobVerb, options: Options, *, cancelled: bool) -> Taken | Again:
    """Whoever asked has ended before it could write down an answer. What may be asked again is, unless nothing more is to be."""
    if cancelled or not repeatable(verb, options):
        return Taken(lost=True)
    return Again(_AFTER_LOST, "The answer was lost")


def backoff(attempts: int) -> float:
    return float(min(_LONGEST, _FIRST * 2 ** (attempts - 1)))


def _tried(attempts: int, error: ConnectError) -> str:
    return f"{error} (asked {attempts} times)"
