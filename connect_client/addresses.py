"""The addresses of one cluster, in order: whoever answered last is asked first, and the next one where nobody did."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import httpx
import orjson

from connect_client.calls import Call
from connect_client.errors import ConnectUnreachable
from connect_client.security import reason

#: Of an attempt: an answer, or how it failed.
Attempt = httpx.Response | httpx.HTTPError | httpx.InvalidURL


class Fate(Enum):
    """What became of a request."""

    ANSWERED = "answered"
    #: It certainly did not get to a worker.
    NOT_SENT = "not sent"
    #: It may have been carried out.
    LOST = "lost"


_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol, httpx.InvalidURL)
# A worker that begins to listen before it knows its paths (Jetty's page), and a gateway that has no worker to ask.
_NO_WORKER = (httpx.codes.NOT_FOUND, httpx.codes.SERVICE_UNAVAILABLE)
_BROKEN_GATEWAY = (httpx.codes.BAD_GATEWAY, httpx.codes.GATEWAY_TIMEOUT)


def fate(attempt: Attempt) -> Fate:
    if not isinstance(attempt, httpx.Response):
        return Fate.NOT_SENT if isinstance(attempt, _NOT_SENT) else Fate.LOST
    if attempt.status_code in _NO_WORKER and not _is_object(attempt):
        return Fate.NOT_SENT
    return Fate.LOST if attempt.status_code in _BROKEN_GATEWAY and not _is_object(attempt) else Fate.ANSWERED


def goes_on(fate: Fate, call: Call, lost_before: int) -> bool:
    """Whether the next address is tried. What may have been carried out is not said twice, unless saying it twice is saying it
    once; and silence, which costs a whole time-out, is put up with once."""
    return fate is Fate.NOT_SENT or (fate is Fate.LOST and call.repeatable and lost_before == 0)


@dataclass(frozen=True, slots=True)
class Address:
    """`url` is for people, `base` for requests: they differ where it is a socket."""

    url: str
    base: str
    http: httpx.Client

    def attempt(self, call: Call, content: bytes | None, headers: Mapping[str, str], timeout: httpx.Timeout) -> Attempt:
        try:
            return self.http.request(call.method, self.base + call.target, content=content, headers=headers, timeout=timeout)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return error


class Addresses:
    """Safe to share between threads: which one answered last is a hint."""

    def __init__(self, urls: Sequence[str], open: Callable[[str], Address]) -> None:
        self._all = tuple(open(url) for url in urls)
        self._first = 0

    def close(self) -> None:
        for address in self._all:
            address.http.close()

    def send(
        self, call: Call, content: bytes | None, headers: Mapping[str, str], timeout: httpx.Timeout, *, patient: bool = True
    ) -> httpx.Response:
        """Without `patience` a lost answer is not asked for again at another address, only by the next call. Raises
        ConnectUnreachable."""
        failures: list[tuple[Address, Attempt]] = []
        lost = 0 if patient else 1
        first = self._first
        for place in (*range(first, len(self._all)), *range(first)):
            address = self._all[place]
            attempt = address.attempt(call, content, headers, timeout)
            became = fate(attempt)
            if became is Fate.ANSWERED and isinstance(attempt, httpx.Response):
                self._first = place
                return attempt
            failures.append((address, attempt))
            # Whoever asks next begins with another.
            self._first = (place + 1) % len(self._all)
            if not goes_on(became, call, lost):
                break
            lost += became is Fate.LOST
        return _answer(failures, timeout)


def _answer(failures: Sequence[tuple[Address, Attempt]], timeout: httpx.Timeout) -> httpx.Response:
    """The last one's, if it is one at all."""
    _, attempt = failures[-1]
    if isinstance(attempt, httpx.Response):
        return attempt
    sent = any(fate(one) is Fate.LOST for _, one in failures)
    raise ConnectUnreachable(" ".join(_told(address, one, timeout) for address, one in failures), sent=sent) from attempt


def _told(address: Address, attempt: Attempt, timeout: httpx.Timeout) -> str:
    if isinstance(attempt, httpx.Response):
        return f"{address.url} answered {attempt.status_code} {attempt.reason_phrase}."
    if isinstance(attempt, httpx.ConnectTimeout):
        return f"{address.url} cannot be reached: no connection within {timeout.connect:g} s."
    if isinstance(attempt, httpx.TimeoutException):
        return f"{address.url} did not answer within {timeout.read:g} s."
    return f"{address.url} cannot be reached: {reason(attempt)}."


def _is_object(response: httpx.Response) -> bool:
    """Kafka Connect's own answers of these kinds are."""
    try:
        return isinstance(orjson.loads(response.content), dict)
    except orjson.JSONDecodeError:
        return False
