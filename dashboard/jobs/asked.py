"""Asking a cluster for one connector of a job. Runs in a thread of its own: a cluster that does not answer holds up nobody."""

from dataclasses import dataclass

from connect_client import ConnectClient, ConnectError, ConnectorStatus, ConnectUnexpected
from connect_client.features import Feature, supports
from dashboard.jobs.verbs import JobVerb, Options, What


@dataclass(frozen=True, slots=True)
class Asked:
    """How it was answered. `status`: what will be restarted, if that is told; `tasks`: those that were asked for one by one."""

    item: int
    status: ConnectorStatus | None = None
    tasks: tuple[int, ...] = ()
    error: ConnectError | None = None


def ask(item: int, to: ConnectClient, version: str, name: str, verb: JobVerb, options: Options, what: What) -> Asked:
    """Never raises: whoever waits for an answer gets one. `version` is what the cluster tells to be."""
    tasks: list[int] = []
    try:
        if verb is JobVerb.RESTART:
            in_one_call = supports(version, Feature.RESTART_IN_ONE_CALL)
            return Asked(item, _restart(to, name, options, what, tasks, in_one_call=in_one_call), tuple(tasks))
        _ASKS[verb](to, name)
    except ConnectError as error:
        return Asked(item, None, tuple(tasks), error)
    except Exception as error:
        return Asked(item, None, tuple(tasks), ConnectUnexpected(str(error)))
    return Asked(item)


_ASKS = {
    JobVerb.PAUSE: ConnectClient.pause,
    JobVerb.RESUME: ConnectClient.resume,
    JobVerb.STOP: ConnectClient.stop,
    JobVerb.DELETE: ConnectClient.delete,
}


def _restart(
    to: ConnectClient, name: str, options: Options, what: What, tasks: list[int], *, in_one_call: bool
) -> ConnectorStatus | None:
    if options.include_connector and options.include_tasks:
        return to.restart(name, only_failed=options.only_failed, in_one_call=in_one_call)
    if options.include_connector:
        to.restart_connector(name, only_failed=options.only_failed)
    for task in what.tasks:
        # Kafka Connect has no request for tasks alone.
        to.restart_task(name, task)
        tasks.append(task)
    return None
