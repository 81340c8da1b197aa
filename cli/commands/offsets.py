"""`offsets get|set|reset` (KIP-875)."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import click

from cli import files
from cli.commands.asking import confirmed, yes_option
from cli.commands.naming import cluster_option, name_argument
from cli.ends import Cannot, Exit, Failure
from cli.output import Listing, count, note, output_option, show
from cli.session import Session, pass_session
from cli.target import Target
from cli.values import Row
from connect_client import PartitionOffset
from connect_client.states import State, own_state


@click.group("offsets")
def offsets_group() -> None:
    """Where a connector stands, and where it is to go on."""


@offsets_group.command("get")
@name_argument
@cluster_option
@output_option("table", "json", "yaml")
@pass_session
def get(session: Session, name: str, cluster: str, output: str) -> None:
    """Where it stands, partition by partition. As JSON or YAML it can be edited and set."""
    told = session.target.offsets(session.target.find(name, cluster).ref)
    rows = [[_words(one.partition), _words(one.offset)] for one in told]
    show(Listing(("PARTITION", "OFFSET"), rows, {"offsets": [one.to_json() for one in told]}), output)


@offsets_group.command("set")
@name_argument
@click.option("-f", "--file", "file", default=files.STDIN, show_default="stdin", help="What `offsets get -o json` gives, edited.")
@cluster_option
@yes_option
@pass_session
def set_(session: Session, name: str, file: str, cluster: str, yes: bool) -> None:
    """Let it go on elsewhere. Partitions that are not named stay; an offset of null forgets the partition's."""
    target = session.target
    row = _stopped(target, name, cluster)
    wanted = read(file, files.parsed(file, files.text(file)))
    if file != files.STDIN:
        confirmed(f"Set {count(len(wanted), 'offset')} of {row.ref}?", yes=yes)
    note(target.alter_offsets(row.ref, wanted))


@offsets_group.command("reset")
@name_argument
@cluster_option
@yes_option
@pass_session
def reset(session: Session, name: str, cluster: str, yes: bool) -> None:
    """Forget where it stood: it begins anew when it is resumed."""
    row = _stopped(session.target, name, cluster)
    confirmed(f"Forget all offsets of {row.ref}?", yes=yes)
    note(session.target.reset_offsets(row.ref))


def read(where: str, told: Sequence[Any]) -> list[PartitionOffset]:
    """`{"offsets": [{"partition", "offset"}]}`, or the list alone. Raises Cannot."""
    value = told[0] if len(told) == 1 else None
    entries = value.get("offsets") if isinstance(value, dict) else value
    if not isinstance(entries, list) or not entries or not all(map(_is_entry, entries)):
        raise Cannot(f'{where} has no offsets in it: {{"offsets": [{{"partition": {{…}}, "offset": {{…}}}}]}}.')
    return [PartitionOffset.from_json(one) for one in entries]


def _is_entry(one: Any) -> bool:
    return (
        isinstance(one, dict)
        and set(one) == {"partition", "offset"}
        and isinstance(one["partition"], dict)
        and isinstance(one["offset"], dict | None)
    )


def _stopped(target: Target, name: str, cluster: str) -> Row:
    """Raises Failure: Kafka Connect changes offsets of stopped connectors only."""
    row = target.find(name, cluster)
    if row.connector is None or own_state(row.connector.state) is not State.STOPPED or row.tasks:
        raise Failure(f"{row.ref} is {row.state}: stop it first (drover stop {row.ref}), then resume it.", Exit.CONFLICT)
    return row


def _words(fields: Mapping[str, Any] | None) -> str:
    if fields is None:
        return "-"
    return " ".join(f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in fields.items())


COMMANDS = [offsets_group]
