"""The client: one method per operation, every answer a value of `shapes`, every other end an exception of `errors`."""

import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx
import orjson

from connect_client import calls, listing
from connect_client.addresses import Address, Addresses
from connect_client.calls import Call
from connect_client.definitions import ConfigKey, Validation
from connect_client.errors import (
    ConnectConflict,
    ConnectDenied,
    ConnectError,
    ConnectNotFound,
    ConnectPartly,
    ConnectRefused,
    ConnectUnexpected,
)
from connect_client.listing import Listing, Unchanged
from connect_client.restarts import one_by_one, with_restarting
from connect_client.retry import RetryPolicy, delay_before_retry
from connect_client.security import Basic, Bearer, Tls
from connect_client.shapes import (
    Connector,
    ConnectorInfo,
    ConnectorStatus,
    Group,
    Health,
    Logger,
    PartitionOffset,
    Plugin,
    Position,
    ServerInfo,
)

T = TypeVar("T")

_DENIED = {
    401: "answered 401, Unauthorized: it wants to know who asks, and not by what is set for it here.",
    403: "answered 403, Forbidden: whoever it is asked as here may not do this.",
}
_REFUSALS: dict[int, type[ConnectRefused]] = {404: ConnectNotFound, 409: ConnectConflict}


class ConnectClient:
    """Bound to a cluster: to one URL or several that lead to it (`connect_client.addresses`), each of which may carry a path, or
    be `unix:/path` of a socket. Safe to share between threads; keeps its connections open.

    `timeout` is seconds without a byte of answer. Connect itself gives up on a request after 90 s, but nobody waits so long in
    front of a button. Proxies of the environment are not used: where a cluster is reached is for its URL alone to say.
    Raises UnusableTls.
    """

    def __init__(
        self,
        url: str | Sequence[str],
        *,
        timeout: float = 15.0,
        connect_timeout: float = 3.0,
        retry: RetryPolicy | None = None,
        credentials: Basic | Bearer | None = None,
        tls: Tls | None = None,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        urls = [url] if isinstance(url, str) else url
        self.urls = tuple(one.rstrip("/") for one in urls)
        limits = self._timeout = httpx.Timeout(timeout, connect=connect_timeout)
        self._retry = retry or RetryPolicy()
        self._sleep = sleep
        auth = credentials.auth() if credentials else None
        context = tls.context() if tls else True

        def open(url: str) -> Address:
            socket = url.removeprefix("unix:")
            on_socket = socket != url
            http = httpx.Client(
                timeout=limits,
                transport=httpx.HTTPTransport(uds=socket) if on_socket else transport,
                auth=auth,
                verify=context,
                trust_env=False,
                headers={"Accept": "application/json", "User-Agent": "drover"},
            )
            return Address(url, "http://localhost" if on_socket else url, http)

        self._addresses = Addresses(self.urls, open)
        # Of one that nobody closes, because others may still be using it, when nobody does any more.
        weakref.finalize(self, self._addresses.close)

    @property
    def url(self) -> str:
        """The first one."""
        return self.urls[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._addresses.close()

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

    def metrics(self) -> str:
        """The whole cluster's, in Prometheus' text format. Raises ConnectNotFound where the server is no Drover: Kafka Connect
        tells its metrics by JMX only."""
        response = self._send(calls.metrics(), {"Accept": "text/plain"})
        if not response.is_success:
            raise _refusal(response)
        return response.text

    def connectors(self) -> dict[str, Connector]:
        """Every connector with its info and status, in one request."""
        return listing.read(*self._answer(calls.connectors())).connectors()

    def changes(self, etag: str | None, wait: int) -> Listing | Unchanged:
        """The list as it now is, or Unchanged. A server that can holds the request for up to `wait` seconds while it is."""
        headers = listing.preferences(etag, wait)
        # Without anything to compare with, there is nothing to wait for: silence is told sooner.
        response = self._send(calls.connectors(), headers, extra_time=wait if etag else 0)
        if response.status_code == httpx.codes.NOT_MODIFIED:
            return Unchanged(listing.holds(response))
        return listing.read(response, _body(response))

    def connector(self, name: str) -> ConnectorInfo:
        return self._value(calls.connector(name), ConnectorInfo.from_json)

    def status(self, name: str) -> ConnectorStatus:
        return self._value(calls.status(name), ConnectorStatus.from_json)

    def config(self, name: str) -> dict[str, str | None]:
        return self._value(calls.config(name), _config)

    def create(
        self,
        name: str,
        config: Mapping[str, str | None],
        *,
        initial_state: str | None = None,
        offsets: Sequence[PartitionOffset] | None = None,
    ) -> ConnectorInfo:
        call = calls.create(name, config, initial_state=initial_state, offsets=offsets)
        return self._value(call, ConnectorInfo.from_json)

    def put_config(self, name: str, config: Mapping[str, str | None]) -> ConnectorInfo:
        return self._value(calls.put_config(name, config), ConnectorInfo.from_json)

    def delete(self, name: str, *, include_offsets: bool = False) -> None:
        self._answer(calls.delete(name, include_offsets=include_offsets))

    def topics(self, name: str) -> list[str]:
        """Those that the connector has used (KIP-558), by name. Raises ConnectDenied where the cluster does not keep count."""
        return self._value(calls.topics(name), lambda body: sorted(body[name]["topics"]))

    def offsets(self, name: str) -> list[PartitionOffset]:
        """Where the connector stands (KIP-875)."""
        return self._value(calls.offsets(name), lambda body: [PartitionOffset.from_json(item) for item in body["offsets"]])

    def positions(self, name: str, time: int | None = None) -> list[Position]:
        """How far the partitions that a sink reads reach; `time` is in milliseconds since 1970. Raises ConnectNotFound where the
        server is no Drover: Kafka Connect does not tell."""
        return self._value(calls.positions(name, time), lambda body: [Position.from_json(item) for item in body["positions"]])

    def alter_offsets(self, name: str, offsets: Sequence[PartitionOffset]) -> str:
        """What the server says of it. The connector has to be stopped."""
        return self._value(calls.alter_offsets(name, offsets), lambda body: str(body["message"]))

    def reset_offsets(self, name: str) -> str:
        """What the server says of it. The connector has to be stopped."""
        return self._value(calls.reset_offsets(name), lambda body: str(body["message"]))

    def pause(self, name: str) -> None:
        self._answer(calls.pause(name))

    def resume(self, name: str) -> None:
        self._answer(calls.resume(name))

    def stop(self, name: str) -> None:
        self._answer(calls.stop(name))

    def restart(self, name: str, *, only_failed: bool, in_one_call: bool = True) -> ConnectorStatus:
        """The status with RESTARTING in place of everything that will be restarted; the rest as it was.

        A server older than KIP-745 (3.0) has to be asked for each instance, which is what `in_one_call=False` is for. Told in one
        call nevertheless, it restarts the connector instance and answers nothing; its tasks are then asked for. Raises
        ConnectPartly.
        """
        call = calls.restart(name, only_failed=only_failed)
        body = self._answer(call)[1] if in_one_call else None
        if body is not None:
            return self._read(call, ConnectorStatus.from_json, body)
        return self._restart_one_by_one(name, only_failed, instance_too=not in_one_call)

    def _restart_one_by_one(self, name: str, only_failed: bool, *, instance_too: bool) -> ConnectorStatus:
        status = self.status(name)
        wanted = [one for one in one_by_one(status, only_failed=only_failed) if instance_too or one.task is not None]
        for number, instance in enumerate(wanted):
            try:
                if instance.task is None:
                    self._answer(calls.restart_instance(name))
                else:
                    self.restart_task(name, instance.task)
            except ConnectError as error:
                if number == 0:
                    raise
                raise ConnectPartly(f"{number} of {len(wanted)} were asked to restart, then: {error}") from error
        return with_restarting(status, wanted)

    def restart_connector(self, name: str, *, only_failed: bool) -> None:
        """The connector instance without its tasks."""
        self._answer(calls.restart(name, only_failed=only_failed, include_tasks=False))

    def restart_task(self, name: str, task: int) -> None:
        self._answer(calls.restart_task(name, task))

    def loggers(self) -> list[Logger]:
        """Of the worker that answers, by name."""
        return self._value(calls.loggers(), lambda body: [Logger.from_json(name, one) for name, one in sorted(body.items())])

    def set_level(self, name: str, level: str, *, cluster: bool = False) -> tuple[str, ...] | None:
        """The loggers that have the level now, of the worker that answered; None where all workers of the cluster will have it in
        a moment. A cluster that does not know that (before KIP-976) changes the one worker, and says so by its answer."""
        call = calls.set_level(name, level, cluster=cluster)
        response = self._send(call, {})
        if response.status_code == httpx.codes.NO_CONTENT:
            return None
        body = _body(response)
        return self._read(call, tuple, body)

    def plugins(self, *, connectors_only: bool = True) -> list[Plugin]:
        return self._value(calls.plugins(connectors_only=connectors_only), lambda body: [Plugin.from_json(item) for item in body])

    def plugin_config(self, plugin: str) -> list[ConfigKey]:
        """The keys of any plug-in, whatever its kind (KIP-769). Raises ConnectNotFound for an unknown one, and before 3.2."""
        return self._value(calls.plugin_config(plugin), lambda body: [ConfigKey.from_json(item) for item in body])

    def validate(self, plugin: str, config: Mapping[str, str | None]) -> Validation:
        """What the cluster would say of a connector's config. Nothing is created or changed. `plugin`: its `connector.class`."""
        return self._value(calls.validate(plugin, config), Validation.from_json)

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
            delay = delay_before_retry(self._retry, attempt, _status(response), retry_conflict=call.retry_conflict)
            if delay is None:
                return response
            self._sleep(delay)
            attempt += 1

    def _send_once(self, call: Call, headers: Mapping[str, str], extra_time: int) -> httpx.Response:
        read = (self._timeout.read or 0) + extra_time
        timeout = httpx.Timeout(self._timeout.connect, read=read)
        content = None if call.body is None else orjson.dumps(call.body)
        typed = headers if content is None else {**headers, "Content-Type": "application/json"}
        # Whoever waits for changes asks again in any case.
        response = self._addresses.send(call, content, typed, timeout, patient=not extra_time)
        if response.status_code in _DENIED:
            raise ConnectDenied(f"{str(response.url).removesuffix(call.target)} {_DENIED[response.status_code]}")
        return response


def refusing(error: ConnectError) -> httpx.BaseTransport:
    """For a client that has nobody to ask: every call raises `error`."""

    def refuse(_request: httpx.Request) -> httpx.Response:
        raise error

    return httpx.MockTransport(refuse)


def _config(body: Any) -> dict[str, str | None]:
    if any(not isinstance(value, str | None) for value in body.values()):
        raise TypeError("values of a config are texts")
    return dict(body)


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


def _status(response: httpx.Response) -> int:
    """409 also where Kafka Connect says 500 of a rebalance: it does to requests that it does not pass on between its workers."""
    rebalances = response.status_code == httpx.codes.INTERNAL_SERVER_ERROR and b"a rebalance is expected" in response.content
    return httpx.codes.CONFLICT if rebalances else response.status_code


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
    return _REFUSALS.get(_status(response), ConnectRefused)(status, error_code, message)
