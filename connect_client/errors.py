"""What a call can end in besides an answer. Every message is a sentence for an operator."""


class ConnectError(Exception):
    """Any call that did not give what was asked for."""


class ConnectUnreachable(ConnectError):
    """No answer at all: refused, unresolved, dropped or out of time. Whether the request was carried out is unknown, unless
    `sent` is false: then it certainly did not get to a worker."""

    def __init__(self, message: str, *, sent: bool = True) -> None:
        super().__init__(message)
        self.sent = sent


class ConnectDenied(ConnectError):
    """401 or 403: who asks is not known there, or may not. Nothing was changed."""


class ConnectUnusable(ConnectError):
    """Nobody was asked: what it takes to reach the cluster cannot be used."""


class ConnectPartly(ConnectError):
    """Of what took several requests some were carried out before one was not."""


class ConnectUnexpected(ConnectError):
    """An answer that is not Kafka Connect's: a proxy's page, a body of another shape."""


class ConnectRefused(ConnectError):
    """The server said no: `{"error_code": …, "message": …}`.

    `error_code` is the body's, or the status again where the body is not in that shape (Jetty's own error pages).
    """

    def __init__(self, status: int, error_code: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.error_code = error_code
        self.message = message


class ConnectNotFound(ConnectRefused):
    """404: no such connector, task or plug-in; or no status of it yet."""


class ConnectConflict(ConnectRefused):
    """409, or a 500 in the same words: a rebalance was under way, or, on creation, the name is taken. Nothing was changed."""
