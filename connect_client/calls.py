"""The requests of the API as values, so that what a button sends and the curl shown beside it cannot differ."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, urlencode

Method = Literal["GET", "POST", "PUT", "DELETE"]


@dataclass(frozen=True, slots=True)
class Call:
    """One request. `retry_conflict`: a 409 to it means "a rebalance is under way, not done", never "already so"."""

    method: Method
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: Mapping[str, object] | None = None
    retry_conflict: bool = True

    @property
    def target(self) -> str:
        return f"{self.path}?{urlencode(self.query)}" if self.query else self.path


def root() -> Call:
    return Call("GET", "/")


def health() -> Call:
    return Call("GET", "/health")


def workers() -> Call:
    """Drover's own: any other Connect answers 404."""
    return Call("GET", "/api/v1/workers")


def connectors() -> Call:
    return Call("GET", "/connectors", (("expand", "info"), ("expand", "status")))


def connector(name: str) -> Call:
    return Call("GET", _connector(name))


def status(name: str) -> Call:
    return Call("GET", f"{_connector(name)}/status")


def config(name: str) -> Call:
    return Call("GET", f"{_connector(name)}/config")


def create(name: str, config: Mapping[str, str]) -> Call:
    # Here 409 is also "already exists", and saying it again does not help.
    return Call("POST", "/connectors", body={"name": name, "config": dict(config)}, retry_conflict=False)


def put_config(name: str, config: Mapping[str, str]) -> Call:
    return Call("PUT", f"{_connector(name)}/config", body=dict(config))


def delete(name: str) -> Call:
    return Call("DELETE", _connector(name))


def pause(name: str) -> Call:
    return Call("PUT", f"{_connector(name)}/pause")


def resume(name: str) -> Call:
    return Call("PUT", f"{_connector(name)}/resume")


def stop(name: str) -> Call:
    return Call("PUT", f"{_connector(name)}/stop")


def restart(name: str, *, only_failed: bool) -> Call:
    """KIP-745, always with its tasks: the form without parameters restarts the connector instance alone and tells nothing."""
    query = (("includeTasks", "true"), ("onlyFailed", "true" if only_failed else "false"))
    return Call("POST", f"{_connector(name)}/restart", query)


def restart_task(name: str, task: int) -> Call:
    return Call("POST", f"{_connector(name)}/tasks/{task}/restart")


def plugins(*, connectors_only: bool) -> Call:
    return Call("GET", "/connector-plugins", (("connectorsOnly", "true" if connectors_only else "false"),))


def _connector(name: str) -> str:
    return f"/connectors/{quote(name, safe='')}"
