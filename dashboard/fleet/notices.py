"""What a person is told of an action: what happened, what was not changed, and what to do."""

from dataclasses import dataclass

from connect_client import ConnectConflict, ConnectError, ConnectPartly, ConnectRefused, ConnectUnreachable
from dashboard.fleet.verbs import Verb

_DONE = {
    Verb.RESTART: "restarted",
    Verb.RESTART_FAILED: "restarted",
    Verb.PAUSE: "paused",
    Verb.RESUME: "resumed",
    Verb.STOP: "stopped",
}


@dataclass(frozen=True, slots=True)
class Notice:
    """`details` are lines of their own below the text."""

    text: str
    details: tuple[str, ...] = ()
    bad: bool = False


def refused(what: str, verb: Verb, error: ConnectError) -> Notice:
    """`what`: the connector or task that the verb was meant for."""
    done = _DONE[verb]
    if isinstance(error, ConnectUnreachable):
        return Notice(f"It is not known whether {what} was {done}: {error}", ("Watch its state before you try again.",), bad=True)
    if isinstance(error, ConnectPartly):
        return Notice(f"Not all of {what} was {done}: {error}", ("Press again for the rest.",), bad=True)
    if isinstance(error, ConnectConflict):
        advice = "The cluster is rebalancing. Nothing was changed; try again in a few seconds."
        return Notice(f"{what} was not {done}: {error}", (advice,), bad=True)
    answer = f"the cluster answered {error.status}, {error}" if isinstance(error, ConnectRefused) else str(error)
    return Notice(f"{what} was not {done}: {answer}", ("Nothing was changed.",), bad=True)
