"""Failures that a caller is told about. Each carries its HTTP status; `connect_api.errors` makes the answer of it."""


class HerderError(Exception):
    """`message` is the answer's message, in Kafka Connect's own words where it has some."""

    status = 500

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        if status is not None:
            self.status = status


class BadRequest(HerderError):
    status = 400


class Forbidden(HerderError):
    status = 403


class NotFound(HerderError):
    status = 404


class Conflict(HerderError):
    status = 409


class Unavailable(HerderError):
    status = 503
