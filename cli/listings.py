"""Connectors, tasks and plug-ins as rows, and as lines."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from cli.output import Cell, Listing, age, state_cell
from cli.values import Described, PluginLine, Row, Sight
from connect_client.states import State


def connector_listing(rows: Sequence[Row], *, several: bool, now: datetime) -> Listing:
    columns = ("NAME", "STATE", "TASKS", "TYPE", "CLASS", "SINCE", "CAUSE")
    ranks = {state: rank for rank, state in enumerate(State)}
    shown = sorted(rows, key=lambda row: (ranks[row.state], row.ref))
    cells: list[list[Cell]] = [
        [
            *([row.ref.cluster] if several else []),
            row.ref.name,
            state_cell(row.state),
            f"{sum(task.state == State.RUNNING for task in row.tasks)}/{len(row.tasks)}",
            row.type,
            row.class_name.rpartition(".")[2],
            age(row.since, now),
            row.cause,
        ]
        for row in shown
    ]
    heads = ("CLUSTER", *columns) if several else columns
    return Listing(heads, cells, [row.to_json() for row in shown], [str(row.ref) for row in shown])


def task_listing(rows: Sequence[Row], states: Sequence[str], *, several: bool) -> Listing:
    columns = ("CONNECTOR", "TASK", "STATE", "WORKER")
    wanted = {state.upper() for state in states}
    every = [(row, task) for row in sorted(rows, key=lambda row: row.ref) for task in row.tasks]
    shown = [(row, task) for row, task in every if not wanted or task.state in wanted]
    cells: list[list[Cell]] = [
        [*([row.ref.cluster] if several else []), row.ref.name, str(task.id), state_cell(task.state), task.worker_id]
        for row, task in shown
    ]
    data = [
        {
            **({"cluster": row.ref.cluster} if several else {}),
            "connector": row.ref.name,
            "id": task.id,
            "state": task.state,
            "worker_id": task.worker_id,
        }
        for row, task in shown
    ]
    return Listing(("CLUSTER", *columns) if several else columns, cells, data, [f"{row.ref}:{task.id}" for row, task in shown])


def plugin_listing(lines: Sequence[PluginLine], *, several: bool) -> Listing:
    data: list[dict[str, Any]] = [line.to_json() for line in lines]
    if several:
        rows = [[line.class_name, line.type, str(line.used), _places(line)] for line in lines]
        return Listing(("CLASS", "TYPE", "CONNECTORS", "CLUSTERS"), rows, data, [line.class_name for line in lines])
    rows = [[line.class_name, line.type, ", ".join(line.where.get("", ()))] for line in lines]
    return Listing(("CLASS", "TYPE", "VERSION"), rows, data, [line.class_name for line in lines])


def key_listing(keys: Sequence[Mapping[str, Any]]) -> Listing:
    """Of a plug-in's config."""
    rows = [[key["name"], key["type"], _default(key), key["importance"], key["documentation"]] for key in keys]
    return Listing(("KEY", "TYPE", "DEFAULT", "IMPORTANCE", "DOCUMENTATION"), rows, list(keys), [key["name"] for key in keys])


def description(of: Described, now: datetime) -> list[str]:
    row = of.row
    since = f", for {age(row.since, now)}" if row.since else ""
    lines = [f"Name:       {row.ref.name}"]
    lines += [f"Cluster:    {row.ref.cluster}"] if row.ref.cluster else []
    lines += [f"State:      {row.state}{since}{'' if row.live else ' (last seen: its cluster does not answer)'}"]
    lines += [f"Type:       {row.type or 'not known'}", f"Class:      {row.class_name or 'not known'}"]
    if row.connector:
        lines += [f"Connector:  {row.connector.state} on {row.connector.worker_id or 'no worker'}"]
    lines += ["Tasks:" if row.tasks else "Tasks:      none"]
    lines += [f"  {task.id}  {task.state} on {task.worker_id or 'no worker'}" for task in row.tasks]
    for whose, trace in of.traces.items():
        lines += ["", f"Trace of {whose}:", *(f"  {line}" for line in trace.rstrip().split("\n"))]
    lines += ["", "Config:" if of.config is not None else "Config:     not told yet"]
    return lines + [f"  {key} = {'' if value is None else value}" for key, value in sorted((of.config or {}).items())]


def changes(before: Sight | None, sight: Sight) -> list[str]:
    """A line for each connector that is otherwise; at first, of all of them as they are."""
    at = datetime.now(UTC).strftime("%H:%M:%S")
    lines = [f"{at} {sight.trouble}"] if sight.trouble and not (before and before.trouble) else []
    then, now = ({row.ref: row for row in one.rows} if one else {} for one in (before, sight))
    for ref, row in sorted(now.items()):
        was = then.get(ref)
        cause = f": {row.cause}" if row.cause else ""
        if was is None:
            lines.append(f"{at} {ref} {row.state}{cause}")
        elif (was.state, was.cause) != (row.state, row.cause):
            lines.append(f"{at} {ref} {was.state} -> {row.state}{cause}")
    return lines + [f"{at} {ref} gone" for ref in sorted(set(then) - set(now))]


def _places(line: PluginLine) -> str:
    return ", ".join(f"{cluster} {'/'.join(versions)}".strip() for cluster, versions in line.where.items())


def _default(key: Mapping[str, Any]) -> str:
    return "required" if key["required"] else key["default"] or ""
