"""The requests of the API as values, so that what a button sends and the curl shown beside it cannot differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, urlencode

from connect_client.shapes import PartitionOffset

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]


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

    @property
    def repeatable(self) -> bool:
        """Saying it twice is saying it once. Not so DELETE: the second is answered that there is no such thing."""
        return self.method in ("GET", "PUT")


def root() -> Call:
    return Call("GET", "/")


def health() -> Call:
    return Call("GET", "/health")


def workers() -> Call:
    """Drover's own: any other Connect answers 404."""
    return Call("GET", "/api/v1/workers")


def metrics() -> Call:
    """In Prometheus' text format. Drover's own: any other Connect answers 404."""
    return Call("GET", "/metrics")


def connectors() -> Call:
    return Call("GET", "/connectors", (("expand", "info"), ("expand", "status")))


def connector(name: str) -> Call:
    return Call("GET", _connector(name))


def status(name: str) -> Call:
    return Call("GET", f"{_connector(name)}/status")


def config(name: str) -> Call:
    return Call("GET", f"{_connector(name)}/config")


def topics(name: str) -> Call:
    """KIP-558."""
    return Call("GET", f"{_connector(name)}/topics")


def create(
    name: str,
    config: Mapping[str, str | None],
    *,
    initial_state: str | None = None,
    offsets: Sequence[PartitionOffset] | None = None,
) -> Call:
    """`initial_state` is KIP-980's; `offsets` Drover's own, and refused by any other Connect."""
    body: dict[str, object] = {"name": name, "config": dict(config)}
    if initial_state is not None:
        body["initial_state"] = initial_state
    if offsets is not None:
        body |= _offsets(offsets)
    # Here 409 is also "already exists", and saying it again does not help.
    return Call("POST", "/connectors", body=body, retry_conflict=False)


def put_config(name: str, config: Mapping[str, str | None]) -> Call:
    return Call("PUT", f"{_connector(name)}/config", body=dict(config))


def delete(name: str, *, include_offsets: bool = False) -> Call:
    """With its offsets is Drover's own: any other Connect leaves them."""
    return Call("DELETE", _connector(name), (("includeOffsets", "true"),) if include_offsets else ())


def offsets(name: str) -> Call:
    """KIP-875."""
    return Call("GET", f"{_connector(name)}/offsets")


def positions(name: str, time: int | None = None) -> Call:
    """Drover's own: any other Connect answers 404. `time`: milliseconds since 1970."""
    return Call("GET", f"/api/v1{_connector(name)}/positions", () if time is None else (("time", str(time)),))


def alter_offsets(name: str, offsets: Sequence[PartitionOffset]) -> Call:
    return Call("PATCH", f"{_connector(name)}/offsets", body=_offsets(offsets))


def reset_offsets(name: str) -> Call:
    return Call("DELETE", f"{_connector(name)}/offsets")


def _offsets(offsets: Sequence[PartitionOffset]) -> dict[str, object]:
    return {"offsets": [item.to_json() for item in offsets]}


def pause(name: str) -> Call:
    return Call("PUT", f"{_connector(name)}/pause")


def resume(name: str) -> Call:
    return Call("PUT", f"{_connector(name)}/resume")


def stop(name: str) -> Call:
    return Call("PUT", f"{_connector(name)}/stop")


def restart(name: str, *, only_failed: bool, include_tasks: bool = True) -> Call:
    """KIP-745. With neither the connector instance alone is restarted before it is answered, with nothing."""
    query = (("includeTasks", "true" if include_tasks else "false"), ("onlyFailed", "true" if only_failed else "false"))
    return Call("POST", f"{_connector(name)}/restart", query)


def restart_instance(name: str) -> Call:
    """The connector instance alone, which is all that there was before KIP-745. Answered with nothing."""
    return Call("POST", f"{_connector(name)}/restart")


def restart_task(name: str, task: int) -> Call:
    return Call("POST", f"{_connector(name)}/tasks/{task}/restart")


def plugins(*, connectors_only: bool) -> Call:
    return Call("GET", "/connector-plugins", (("connectorsOnly", "true" if connectors_only else "false"),))


def plugin_config(plugin: str) -> Call:
    """KIP-769, from 3.2 on. `plugin`: a class, or its short name."""
    return Call("GET", f"{_plugin(plugin)}/config")


def validate(plugin: str, config: Mapping[str, str | None]) -> Call:
    return Call("PUT", f"{_plugin(plugin)}/config/validate", body=dict(config))


def _plugin(plugin: str) -> str:
    return f"/connector-plugins/{segment(plugin)}"


def loggers() -> Call:
    """KIP-495."""
    return Call("GET", "/admin/loggers")


def set_level(name: str, level: str, *, cluster: bool) -> Call:
    """`cluster` is KIP-976's; what does not know it takes it for the worker that is asked."""
    query = (("scope", "cluster"),) if cluster else ()
    return Call("PUT", f"/admin/loggers/{segment(name)}", query, body={"level": level})


def _connector(name: str) -> str:
    return f"/connectors/{segment(name)}"


def segment(name: str) -> str:
    """A name as one segment of a path. Dots alone would be resolved on the way."""
    return name.replace(".", "%2E") if name in (".", "..") else quote(name, safe="")
