"""A control room as a target: `/api/v1/` (docs/control-room-api.md)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from cli import pace
from cli.ends import Cannot, NotFound
from cli.room_http import Params, RoomHttp
from cli.room_jobs import Jobs, Preview
from cli.target import Document, Target
from cli.values import (
    Config,
    Described,
    Filter,
    Instance,
    Level,
    Options,
    PluginLine,
    Ref,
    Row,
    Run,
    Sight,
    Task,
    Verb,
)
from connect_client import ConnectNotFound, ConnectRefused, ConnectUnreachable, PartitionOffset
from connect_client.calls import segment
from connect_client.states import State, own_state

_FAILED = "failed,degraded"


class Room(Target):
    several = True

    def __init__(self, http: RoomHttp) -> None:
        self._http = http
        self._jobs = Jobs(http)

    def close(self) -> None:
        self._http.close()

    def clusters(self) -> list[dict[str, Any]]:
        return list(self._http.get("clusters"))

    def connectors(self, wanted: Filter) -> list[Row]:
        return list({row.ref: row for page in self._pages(_params(wanted)) for row in page}.values())

    def find(self, name: str, cluster: str = "") -> Row:
        before, _, after = name.partition("/")
        meant = {Ref(cluster, name)} if cluster else {Ref(before, after)} if after else set()
        asked = {name, after} if after else {name}
        params = [("name", one) for one in sorted(asked)] + [("sort", "name")]
        found = [row for page in self._pages(params) for row in page]
        fits = [row for row in found if row.ref in meant or (not cluster and row.ref.name == name)]
        if not fits:
            raise NotFound(f"There is no connector {name}{f' in cluster {cluster}' if cluster else ''}.")
        if len(fits) > 1:
            raise Cannot(f"There are several: say which, {' or '.join(sorted(str(row.ref) for row in fits))}, or --cluster.")
        return fits[0]

    def watch(self, wanted: Filter) -> Iterator[Sight]:
        rows: list[Row] = []
        while True:
            began = pace.now()
            try:
                rows = self.connectors(wanted)
                yield Sight(rows)
            except ConnectUnreachable as error:
                yield Sight(rows, str(error))
            # A fleet of many pages is not asked for all the time.
            pace.pause(max(pace.LOOK, pace.now() - began))

    def describe(self, row: Row) -> Described:
        try:
            config = self.config(row.ref).values
        except ConnectNotFound:
            # Its cluster has told a state of it and no config yet.
            config = None
        history = self._http.get(f"{_path(row.ref)}/history")
        return Described(row, config, _traces(row, history["changes"]))

    def act(self, verb: Verb, rows: Sequence[Row], options: Options) -> Run:
        named = [{"cluster": row.ref.cluster, "name": row.ref.name} for row in rows]
        preview = Preview(verb, options, {"connectors": named}, {row.ref: row.state for row in rows})
        return self._jobs.run(preview)

    def restart_failed(self, wanted: Filter, *, everywhere: bool) -> Run:
        if not everywhere and not wanted.clusters and not wanted.query:
            raise Cannot("Say of what: a NAME, --cluster NAME, --query QUERY, or --all-clusters.")
        pairs = [(key, value) for key, value in _params(wanted) if key != "sort"]
        # The filter of a job is an address, and of a key that is there twice the last one counts.
        once = {key: ",".join(value for other, value in pairs if other == key) for key, _ in pairs}
        return self._jobs.run(Preview(Verb.RESTART, Options(), {"filter": urlencode(once)}, {}))

    def plugins(self) -> list[PluginLine]:
        return [
            PluginLine(
                one["class"],
                one["type"] or "",
                {place["cluster"]: place["versions"] for place in one["clusters"]},
                one["connectors"],
            )
            for one in self._http.get("plugins")["plugins"]
        ]

    def plugin_keys(self, class_name: str, cluster: str) -> list[dict[str, Any]]:
        if not cluster:
            having = [line for line in self.plugins() if class_name == line.class_name]
            if not having or not having[0].where:
                raise NotFound(f"No cluster has a plug-in {class_name}.")
            cluster = next(iter(having[0].where))
        return list(self._http.get(f"plugins/{segment(cluster)}/{segment(class_name)}")["keys"])

    def config(self, ref: Ref) -> Config:
        """Told before its version: who changes it meanwhile is noticed, and not the other way round."""
        versions = self._http.get(f"{_path(ref)}/versions")["versions"]
        return Config(self._http.get(f"{_path(ref)}/config"), str(versions[0]["version"]) if versions else "")

    def put_config(self, ref: Ref, config: Config) -> None:
        params = [("base", config.base)] if config.base else []
        self._http.send("PUT", f"{_path(ref)}/config", params=params, body=dict(config.values))

    def create(self, ref: Ref, config: Mapping[str, str | None], initial_state: str) -> None:
        body = {"name": ref.name, "config": dict(config), "initial_state": initial_state}
        self._http.send("POST", f"connectors/{segment(ref.cluster)}", body=body)

    def home(self, cluster: str) -> str:
        if cluster:
            return cluster
        names = [one["name"] for one in self.clusters()]
        if len(names) != 1:
            raise Cannot(f"Say in which cluster: --cluster {' or '.join(names) or 'NAME (there is none yet)'}.")
        return str(names[0])

    def loggers(self, cluster: str) -> list[Level]:
        told = self._http.get(f"clusters/{segment(self.home(cluster))}/loggers")["loggers"]
        return [Level(one["name"], one["level"], _moment(one["set_at"])) for one in told]

    def set_level(self, cluster: str, logger: str, level: str, *, whole: bool) -> Sequence[str] | None:
        body = {"logger": logger, "level": level, "scope": "cluster" if whole else "worker"}
        response = self._http.send("PUT", f"clusters/{segment(self.home(cluster))}/loggers", body=body)
        changed: Sequence[str] | None = self._http.body(response)["changed"]
        return changed

    def offsets(self, ref: Ref) -> list[PartitionOffset]:
        return [PartitionOffset.from_json(one) for one in self._http.get(f"{_path(ref)}/offsets")["offsets"]]

    def alter_offsets(self, ref: Ref, offsets: Sequence[PartitionOffset]) -> str:
        body = {"offsets": [one.to_json() for one in offsets]}
        return str(self._http.body(self._http.send("PATCH", f"{_path(ref)}/offsets", body=body))["message"])

    def reset_offsets(self, ref: Ref) -> str:
        return str(self._http.body(self._http.send("DELETE", f"{_path(ref)}/offsets"))["message"])

    def resources(self, kind: str = "", cluster: str = "") -> list[Document]:
        params = [(key, value) for key, value in (("kind", kind), ("cluster", cluster)) if value]
        return list(self._http.get("resources", params)["resources"])

    def resource(self, kind: str, name: str) -> Document:
        found: Document = self._http.get(_resource(kind, name))
        return found

    def would_put(self, kind: str, name: str, document: Document) -> Document:
        params = [("dryRun", "true")]
        told: Document = self._http.body(self._http.send("PUT", _resource(kind, name), params=params, body=document))
        return told

    def put_resource(self, kind: str, name: str, document: Document) -> Document:
        told: Document = self._http.body(self._http.send("PUT", _resource(kind, name), body=document))
        return told

    def delete_resource(self, kind: str, name: str) -> None:
        self._http.send("DELETE", _resource(kind, name))

    def annotate(self, kind: str, name: str, annotations: Mapping[str, str | None]) -> Document:
        path = f"{_resource(kind, name)}/annotations"
        told: Document = self._http.body(self._http.send("PATCH", path, body=dict(annotations)))
        return told

    def _pages(self, params: Params) -> Iterator[list[Row]]:
        """Raises Cannot for a query that is not understood."""
        page, pages = 1, 1
        while page <= pages:
            try:
                told = self._http.get("fleet", [*params, ("page", str(page))])
            except ConnectRefused as error:
                if error.status == 400:
                    raise Cannot(error.message) from error
                raise
            pages = told["pages"]
            page += 1
            yield [_row(one) for one in told["connectors"]]


def _params(wanted: Filter) -> Params:
    """Sorted by what does not change between two pages."""
    said = {"q": wanted.query, "cluster": ",".join(wanted.clusters), "state": ",".join(wanted.states)}
    return [*((key, value) for key, value in said.items() if value), ("sort", "name")]


def _row(told: Mapping[str, Any]) -> Row:
    own = told["connector"]
    return Row(
        Ref(told["cluster"], told["name"]),
        own_state(told["state"]),
        told["type"],
        told["class"],
        Instance(own["state"], own["worker_id"]) if own else None,
        tuple(Task(task["state"], task["worker_id"], task["id"]) for task in told["tasks"]),
        told["cause"],
        _moment(told["since"]),
        told["live"],
    )


def _traces(row: Row, changes: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The newest of each that is FAILED now; `changes` has the newest first."""
    failed: list[int | None] = [task.id for task in row.tasks if own_state(task.state) is State.FAILED]
    if row.connector and own_state(row.connector.state) is State.FAILED:
        failed.insert(0, None)
    newest: dict[int | None, str] = {}
    for change in changes:
        if change["state"] == State.FAILED and change["trace"]:
            newest.setdefault(change["task"], change["trace"])
    return {"connector" if one is None else f"task {one}": newest[one] for one in failed if one in newest}


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _path(ref: Ref) -> str:
    return f"connectors/{segment(ref.cluster)}/{segment(ref.name)}"


def _resource(kind: str, name: str) -> str:
    return f"resources/{segment(kind)}/{segment(name)}"
