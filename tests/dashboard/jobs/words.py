"""Statuses in words. Not a test module."""

from connect_client import ConnectorStatus
from connect_client.shapes import Json

TRACE = "Outer: o\nCaused by: java.io.IOException: disk full"


def status_json(words: str, *, name: str = "c", worker: str = "w1:8083", trace: str = TRACE) -> Json:
    """`FAILED RUNNING FAILED`: the connector's own state, then its tasks'."""

    def instance(state: str) -> Json:
        return {"state": state, "worker_id": worker} | ({"trace": trace} if state == "FAILED" else {})

    own, *tasks = words.split()
    told = [{"id": number, **instance(state)} for number, state in enumerate(tasks)]
    return {"name": name, "connector": instance(own), "tasks": told, "type": "sink"}


def status(words: str | None, *, worker: str = "w1:8083", trace: str = TRACE) -> ConnectorStatus | None:
    return None if words is None else ConnectorStatus.from_json(status_json(words, worker=worker, trace=trace))
