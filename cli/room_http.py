"""Requests to a control room's `/api/v1/`. Its errors have Kafka Connect's shape, and end as `connect_client`'s exceptions do."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import httpx
import orjson

from connect_client import (
    Bearer,
    ConnectConflict,
    ConnectDenied,
    ConnectNotFound,
    ConnectRefused,
    ConnectUnexpected,
    ConnectUnreachable,
    Tls,
)
from connect_client.security import reason

# Some of what is asked makes the control room ask a cluster first, which it waits 15 s for.
_TIMEOUT = httpx.Timeout(30.0, connect=3.0)
_REFUSALS: dict[int, type[ConnectRefused]] = {404: ConnectNotFound, 409: ConnectConflict}
Params = Sequence[tuple[str, str]]


class RoomHttp:
    """Proxies of the environment are not used, as in `connect_client`. Raises UnusableTls."""

    def __init__(self, url: str, token: str, tls: Tls | None) -> None:
        self.url = url
        self._http = httpx.Client(
            timeout=_TIMEOUT,
            auth=Bearer(token).auth() if token else None,
            verify=tls.context() if tls else True,
            trust_env=False,
            headers={"Accept": "application/json", "User-Agent": "drover"},
        )

    def close(self) -> None:
        self._http.close()

    def get(self, path: str, params: Params = ()) -> Any:
        return self.body(self.send("GET", path, params=params))

    def send(
        self, method: str, path: str, *, params: Params = (), body: object = None, headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        """`path` is below `/api/v1/`, its names encoded. An answer, 304 too, or an exception."""
        response = self._answered(method, path, params, body, headers or {})
        if response.is_success or response.status_code == httpx.codes.NOT_MODIFIED:
            return response
        if response.status_code == httpx.codes.NOT_FOUND and not self._is_room():
            raise ConnectUnexpected(f"{self.url} is no control room of Drover's; a Connect cluster is asked with --connect.")
        raise _refusal(response, self.url)

    def body(self, response: httpx.Response) -> Any:
        if not response.content:
            return None
        try:
            return orjson.loads(response.content)
        except orjson.JSONDecodeError as error:
            raise ConnectUnexpected(f"{self.url} answered something that is not JSON.") from error

    def _answered(self, method: str, path: str, params: Params, body: object, headers: Mapping[str, str]) -> httpx.Response:
        content = None if body is None else orjson.dumps(body)
        typed = {**headers, "Content-Type": "application/json"} if content is not None else headers
        query = f"?{urlencode(params)}" if params else ""
        try:
            return self._http.request(method, f"{self.url}/api/v1/{path}{query}", content=content, headers=typed)
        except httpx.TimeoutException as error:
            raise ConnectUnreachable(f"{self.url} did not answer in time.") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ConnectUnreachable(f"{self.url} cannot be reached: {reason(error)}.") from error

    def _is_room(self) -> bool:
        """Whoever asks has an answer there, be it that it is not known who asks."""
        return self._answered("GET", "me", (), None, {}).status_code != httpx.codes.NOT_FOUND


def _refusal(response: httpx.Response, url: str) -> Exception:
    status = response.status_code
    try:
        body = orjson.loads(response.content)
    except orjson.JSONDecodeError:
        body = None
    told = body.get("message") if isinstance(body, dict) else None
    message = str(told or f"{url} answered {status} {response.reason_phrase}.")
    if status in (401, 403):
        return ConnectDenied(f"{url} answered {status}: {message}")
    return _REFUSALS.get(status, ConnectRefused)(status, status, message)
