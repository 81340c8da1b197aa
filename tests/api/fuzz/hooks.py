"""For schemathesis, which loads this in a process of its own: what there is while it asks, and what it may not be answered."""

import re
from typing import Any

import requests
import schemathesis

SOURCE = {"connector.class": "FileStreamSource", "file": "/nonexistent/in.txt", "topic": "t"}
GIVEN: dict[str, dict[str, str]] = {
    "source": SOURCE,
    "stopped": SOURCE,
    "sink": {"connector.class": "FileStreamSink", "file": "/nonexistent/out.txt", "topics": "t"},
}
#: Where a connector refuses offsets, Kafka Connect says 500, and so does Drover: tests/conformance/test_offsets.py.
REFUSED_OFFSETS = re.compile(
    r"Offsets may only contain primitive types as values, but field .* contains (MAP|ARRAY)"
    r"|Offset objects should either be null or contain the key 'position'"
    r"|Partition objects (cannot be null|should contain the key 'filename')"
    r"|The value for the 'position' key in the offset (is expected to be a Long|should be a non-negative) value",
    re.DOTALL,
)


@schemathesis.hook
def before_call(context: schemathesis.HookContext, case: schemathesis.Case[Any], kwargs: dict[str, Any]) -> None:
    """Whatever was asked before, those of GIVEN are there; and configs that may be right mostly name their plug-in's keys."""
    name = case.path_parameters.get("name")
    if name in GIVEN and "/connectors/" in case.path:
        _make(str(case.operation.base_url).rstrip("/") + f"/connectors/{name}", str(name))
    body = case.body.get("config") if isinstance(case.body, dict) and "config" in case.body else case.body
    positive = case.meta is not None and case.meta.generation.mode.is_positive
    if positive and case.path.endswith(("/connectors", "/config", "/validate")) and isinstance(body, dict) and len(body) % 2:
        body.update(SOURCE)


def _make(url: str, name: str) -> None:
    if requests.get(url, timeout=10).status_code == 404:
        requests.put(f"{url}/config", json=GIVEN[name], timeout=10).raise_for_status()
    if name == "stopped":
        requests.put(f"{url}/stop", timeout=10).raise_for_status()


@schemathesis.check
def fails_in_kafka_connects_words(
    ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case[Any]
) -> None:
    if response.status_code == 500 and case.operation.definition.raw["operationId"] in (
        "createConnector",
        "alterConnectorOffsets",
    ):
        message = response.json()["message"]
        assert REFUSED_OFFSETS.fullmatch(message), message
