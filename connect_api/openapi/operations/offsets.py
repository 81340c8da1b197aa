"""`/connectors/{name}/offsets` (KIP-875)."""

from connect_api.openapi import examples
from connect_api.openapi.operation import ASKED, Answer, Body, Operation

_NOT_FOUND = {404: "Connector orders not found"}
_NOT_STOPPED = (
    "Connectors must be in the STOPPED state before their offsets can be modified. This can be done for the specified connector "
    "by issuing a 'PUT' request to the '/connectors/orders/stop' endpoint"
)


def _done(what: str) -> Answer:
    return Answer("Done.", "Message", {"message": f"The offsets for this connector have been {what} successfully"})


OPERATIONS = {
    ("GET", "/connectors/{name}/offsets"): Operation(
        "getConnectorOffsets",
        "Offsets",
        "Where a connector stands",
        {200: Answer("What is committed.", "Offsets", examples.SINK_OFFSETS)},
        {**ASKED, **_NOT_FOUND},
        parameters=("name",),
        description="In any state. A sink's are those of its consumer group, a source's those that it has committed.",
    ),
    ("PATCH", "/connectors/{name}/offsets"): Operation(
        "alterConnectorOffsets",
        "Offsets",
        "Change where a connector stands",
        {200: _done("altered")},
        {**ASKED, **_NOT_FOUND, 400: _NOT_STOPPED},
        parameters=("name",),
        body=Body(
            "OffsetsToAlter",
            "What is not named stays; an offset of null resets its partition.",
            {"sink": examples.SINK_OFFSETS, "source": examples.OFFSETS},
        ),
        description="For a stopped connector. Its next start begins exactly there.",
    ),
    ("DELETE", "/connectors/{name}/offsets"): Operation(
        "resetConnectorOffsets",
        "Offsets",
        "Forget where a connector stands",
        {200: _done("reset")},
        {**ASKED, **_NOT_FOUND, 400: _NOT_STOPPED},
        parameters=("name",),
        description="For a stopped connector. Its next start begins anew.",
    ),
}
