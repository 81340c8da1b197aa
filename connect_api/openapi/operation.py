"""What is said of one method of one path."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from connect_api.openapi import parameters

JSON = "application/json"
#: Status → what it means wherever it is answered; an operation adds a message of its own as the example.
ERRORS = {
    400: "Refused: something in the path, the query or the body cannot be. Nothing has changed.",
    403: "The worker's configuration does not allow it.",
    404: "There is no such thing.",
    406: "`Accept` names nothing that there is.",
    409: "Not at this moment, or not beside what there is. Nothing has changed; most of these can be tried again.",
    413: "The body is longer than this server reads.",
    415: "The content type is not `application/json`. A request without a body may name none.",
    500: "It did not come to be. The message says why.",
    503: "The worker is starting, or the queue to the leader cannot be reached. Nothing has changed.",
}
#: Of what every operation may be answered with that reads the snapshot, and that asks the leader for something.
READ = {
    500: "Request timed out",
    503: "This worker is still starting up and has not yet read the internal topics",
}
ASKED = {
    **READ,
    409: "Cannot complete request momentarily due to no known leader URL, likely because a rebalance was underway.",
}


def ref(kind: str, name: str) -> dict[str, str]:
    return {"$ref": f"#/components/{kind}/{name}"}


@dataclass(frozen=True)
class Answer:
    """`schema` names a component; without one there is no body. `links` as OpenAPI has them."""

    description: str
    schema: str | None = None
    example: object = None
    headers: Sequence[str] = ()
    media_type: str = JSON
    links: Mapping[str, object] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        made: dict[str, Any] = {"description": self.description}
        if self.schema:
            made["content"] = {self.media_type: _content(self.schema, self.example)}
        if self.headers:
            made["headers"] = {name: ref("headers", name) for name in self.headers}
        return {**made, "links": dict(self.links)} if self.links else made


@dataclass(frozen=True)
class Body:
    schema: str
    description: str
    examples: Mapping[str, object]

    def document(self) -> dict[str, Any]:
        examples = {name: {"value": value} for name, value in self.examples.items()}
        content = {JSON: {"schema": ref("schemas", self.schema), "examples": examples}}
        return {"description": self.description, "required": True, "content": content}


@dataclass(frozen=True)
class Operation:
    """`errors` holds an example's message for each status of ERRORS that may be answered."""

    id: str
    tag: str
    summary: str
    answers: Mapping[int, Answer]
    description: str = field(kw_only=True)
    errors: Mapping[int, str] = field(default_factory=dict)
    parameters: Sequence[str] = ()
    body: Body | None = None

    def document(self) -> dict[str, Any]:
        answers = {status: answer.document() for status, answer in self.answers.items()}
        # A status may be both, as that of `/health` is: then what is said of the answer counts.
        told = {**self._refusals(), **self.errors}
        errors = {status: _error(status, message) for status, message in told.items() if status not in answers}
        made: dict[str, Any] = {
            "operationId": self.id,
            "tags": [self.tag],
            "summary": self.summary,
            "description": self.description,
            "parameters": [ref("parameters", name) for name in self.parameters],
            "responses": {str(status): answer for status, answer in sorted({**errors, **answers}.items())},
        }
        return {**made, "requestBody": self.body.document()} if self.body else made

    def _refusals(self) -> dict[int, str]:
        """What may come of the request's form, whatever it is about."""
        refusals = {415: "HTTP 415 Unsupported Media Type"}
        if any(answer.media_type == JSON for answer in self.answers.values()):
            refusals[406] = "HTTP 406 Not Acceptable"
        if self.body:
            refusals[413] = "HTTP 413 Request Entity Too Large"
        if any(parameters.ALL[name]["in"] == "path" for name in self.parameters):
            refusals[400] = "Bad URI: it holds a control character"
        return refusals


def _error(status: int, message: str) -> dict[str, Any]:
    return Answer(ERRORS[status], "Error", {"error_code": status, "message": message}).document()


def _content(schema: str, example: object) -> dict[str, Any]:
    made: dict[str, Any] = {"schema": ref("schemas", schema)}
    return made if example is None else {**made, "example": example}
