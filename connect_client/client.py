"""The client: one method per operation, every answer a value of `shapes`, every other end an exception of `errors`."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx
import orjson

from connect_client import calls, listing
from connect_client.calls import Call
from connect_client.errors import ConnectConflict, ConnectNotFound, ConnectRefused, ConnectUnexpected, ConnectUnreachable
from connect_client.listing import Listing, Unchanged
from connect_client.retry import RetryPolicy, delay_before_retry
from connect_client.shapes import Connector, ConnectorInfo, ConnectorStatus, Group, Health, Plugin, ServerInfo

T = TypeVar("T")

_REFUSALS: dict[int, type[ConnectRefused]] = {404: ConnectNotFound, 409: ConnectConflict}


class ConnectClient:
    """Bound to one base URL, which may carry a path. Safe to share between threads; keeps its connections open.

    `timeout` is seconds without a byte of answer. Connect itself gives up on a request after 90 s, but nobody waits so long in
    front of a button. Proxies of the environment are not used: where a cluster is reached is for its URL alone to say.
    """

    def __init__(
        self,
        url: str,
        *,
        timeout: float = 15.0,
        connect_timeout: float = 3.0,
        retry: RetryPolicy | None = None,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = url.rstrip("/")
        self._timeout = httpx.Timeout(timeout, connect=connect_timeout)
        self._retry = retry or RetryPolicy()
        self._sleep = sleep
        self._http = httpx.Client(
            timeout=self._timeout,
            transport=transport,
            trust_env=False,
            headers={"Accept": "application/json", "User-Agent": "drover"},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def root(self) -> ServerInfo:
        return self._value(calls.root(), ServerInfo.from_json)

    def health(self) -> Health:
        """Answered also where the worker is starting (503) or stuck (500): that is what is being asked."""
        response = self._send(calls.health(), {})
        body = _json(response)
        if isinstance(body, dict) and "status" in body:
            return Health.from_json(body)
        raise _refusal(response)

    def workers(self, etag: str | None = None) -> Group | Unchanged:
        """The worker group, or Unchanged if it is still what was answered with `etag`. Raises ConnectNotFound where the server is
        no Drover: Kafka Connect does not tell."""
        response = self._send(calls.workers(), listing.preferences(etag, 0))
        if response.status_code == httpx.codes.NOT_MODIFIED:
            return Unchanged(holds=False)
        body = _body(response)
        return replace(self._read(calls.workers(), Group.from_json, body), etag=response.headers.get("ETag"))

    def connectors(self) -> dict[str, Connector]:
        """Every connector with its info and status, in one request."""
        return listing.read(*self._answer(calls.connectors())).connectors()

    def changes(self, etag: str | None, wait: int) -> Listing | Unchanged:
        """The list as it now is, or Unchanged. A server that can holds the request for up to `wait` seconds while it is."""
        headers = listing.preferences(etag, wait)
        response = self._send(calls.connectors(), headers, extra_time=wait)
        if response.status_code == httpx.codes.NOT_MODIFIED:
            return Unchanged(listing.holds(response))
        return listing.read(response, _body(response))

    def connector(self, name: str) -> ConnectorInfo:
        return self._value(calls.connector(name), ConnectorInfo.from_json)

    def status(self, name: str) -> ConnectorStatus:
        return self._value(calls.status(name), ConnectorStatus.from_json)

    def config(self, name: str) -> dict[str, str | None]:
        return self._value(calls.config(name), dict)

    def create(self, name: str, config: Mapping[str, str]) -> ConnectorInfo:
        return self._value(calls.create(name, config), ConnectorInfo.from_json)

    def put_config(self, name: str, config: Mapping[str, str]) -> ConnectorInfo:
        return self._value(calls.put_config(name, config), ConnectorInfo.from_json)

    def delete(self, name: str) -> None:
        self._answer(calls.delete(name))

    def pause(self, name: str) -> None:
        self._answer(calls.pause(name))

    def resume(self, name: str) -> None:
        self._answer(calls.resume(name))

    def stop(self, name: str) -> None:
        self._answer(calls.stop(name))

    def restart(self, name: str, *, only_failed: bool) -> ConnectorStatus:
        """The status with RESTARTING in place of everything that will be restarted; the rest as it was."""
        return self._value(calls.restart(name, only_failed=only_failed), ConnectorStatus.from_json)

    def restart_task(self, name: str, task: int) -> None:
        self._answer(calls.restart_task(name, task))

    def plugins(self, *, connectors_only: bool = True) -> list[Plugin]:
        return self._value(calls.plugins(connectors_only=connectors_only), lambda body: [Plugin.from_json(item) for item in body])

    def _value(self, call: Call, read: Callable[[Any], T]) -> T:
        _, body = self._answer(call)
        return self._read(call, read, body)

    def _read(self, call: Call, read: Callable[[Any], T], body: Any) -> T:
        try:
            return read(body)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ConnectUnexpected(f"{self.url}{call.path} answered in a shape that is not Kafka Connect's.") from error

    def _answer(self, call: Call) -> tuple[httpx.Response, Any]:
        response = self._send(call, {})
        return response, _body(response)

    def _send(self, call: Call, headers: Mapping[str, str], *, extra_time: int = 0) -> httpx.Response:
        attempt = 1
        while True:
            response = self._send_once(call, headers, extra_time)
            delay = delay_before_retry(self._retry, attempt, response.status_code, retry_conflict=call.retry_conflict)
            if delay is None:
                return response
            self._sleep(delay)
            attempt += 1

    def _send_once(self, call: Call, headers: Mapping[str, str], extra_time: int) -> httpx.Response:
        read = (self._timeout.read or 0) + extra_time
        timeout = httpx.Timeout(self._timeout.connect, read=read)
        content = None if call.body is None else orjson.dumps(call.body)
        typed = headers if content is None else {**headers, "Content-Type": "application/json"}
        try:
            return self._http.request(call.method, self.url + call.target, content=content, headers=typed, timeout=timeout)
        except httpx.ConnectTimeout as error:
            raise ConnectUnreachable(
                f"{self.url} cannot be reached: no connection within {self._timeout.connect:g} s."
            ) from error
        except httpx.TimeoutException as error:
            raise ConnectUnreachable(f"{self.url} did not answer within {read:g} s.") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ConnectUnreachable(f"{self.url} cannot be reached: {_reason(error)}.") from error


def _reason(error: Exception) -> str:
    """The operating system's words, without the number that httpx passes on with them: `[Errno 111] Connection refused`."""
    text = str(error) or type(error).__name__
    return text.partition("] ")[2].rstrip(".") or text.rstrip(".")


def _body(response: httpx.Response) -> Any:
    if response.is_success:
        return _json(response) if response.content else None
    raise _refusal(response)


def _json(response: httpx.Response) -> Any:
    try:
        return orjson.loads(response.content)
    except orjson.JSONDecodeError as error:
        if not response.is_success:
            raise _refusal(response) from error
        raise ConnectUnexpected(f"{response.url} answered something that is not JSON.") from error


def _refusal(response: httpx.Response) -> ConnectRefused:
    status = response.status_code
    error_code, message = status, f"HTTP {status} {response.reason_phrase}"
    try:
        body = orjson.loads(response.content)
    except orjson.JSONDecodeError:
        body = None
    if isinstance(body, dict):
        error_code = body.get("error_code", status)
        message = body.get("message") or message
    return _REFUSALS.get(status, ConnectRefused)(status, error_code, message)
