"""`create`, and `config get|set|diff`."""

import click

from cli import definitions, differences
from cli.commands.naming import cluster_option, name_argument
from cli.differences import between
from cli.ends import Cannot, Exit, Failure, code_of
from cli.output import count, note, output_option, say, show_data
from cli.session import Session, pass_session
from cli.values import Config, Ref
from config import java_properties
from connect_client import ConnectError


@click.command("create")
@click.option("-f", "--file", "files", multiple=True, required=True, help="JSON, YAML or .properties; - is stdin.")
@click.option("--state", type=click.Choice(("RUNNING", "PAUSED", "STOPPED"), case_sensitive=False), help="What it begins in.")
@cluster_option
@pass_session
def create(session: Session, files: tuple[str, ...], state: str | None, cluster: str) -> None:
    """Create connectors from files. What there is already is not changed: that is a conflict."""
    target, failed = session.target, list[ConnectError]()
    for one in definitions.read(files):
        ref = Ref(target.home(cluster or one.cluster if target.several else cluster), one.name)
        try:
            target.create(ref, one.config, (state or one.initial_state).upper())
        except ConnectError as error:
            note(f"{ref}: {error}")
            failed.append(error)
        else:
            say(f"{ref} created")
    _ended(failed)


@click.group("config")
def config_group() -> None:
    """A connector's config: look at it, change it, compare it."""


@config_group.command("get")
@name_argument
@cluster_option
@output_option("json", "yaml", "properties")
@pass_session
def get(session: Session, name: str, cluster: str, output: str) -> None:
    """The config, as `config set -f` and `create -f` take it. A control room hides secrets, and keeps those that come back."""
    config = session.target.config(session.target.find(name, cluster).ref).values
    if output == "properties":
        click.echo(java_properties.written((key, value or "") for key, value in sorted(config.items())), nl=False)
    else:
        show_data(dict(sorted(config.items())), output)


@config_group.command("set")
@name_argument
@click.argument("assignments", nargs=-1, metavar="[KEY=VALUE|KEY-]...")
@click.option("-f", "--file", "file", help="The whole config, in place of single keys; - is stdin.")
@cluster_option
@pass_session
def set_(session: Session, name: str, assignments: tuple[str, ...], file: str | None, cluster: str) -> None:
    """Set keys (KEY=VALUE), take them away (KEY-), or write a whole config (-f).

    In a control room it is a conflict if somebody else has changed the config meanwhile; a Connect cluster by itself cannot tell.
    """
    if bool(assignments) == bool(file):
        raise Cannot("Either KEY=VALUE and KEY-, or --file.")
    target = session.target
    ref = target.find(name, cluster).ref
    current = target.config(ref)
    try:
        wanted = _named(definitions.flat(file), ref) if file else differences.changed(current.values, assignments)
    except ValueError as error:
        raise Cannot(f"{error} is neither KEY=VALUE nor KEY-.") from error
    different, hidden = between(current.values, wanted)
    if not different and not hidden:
        note(f"{ref}: there is nothing to change.")
        return
    target.put_config(ref, Config(wanted, current.base))
    for one in different:
        say(str(one))
    note(f"{ref}: {count(len(different) + len(hidden), 'key')} changed.")


@config_group.command("diff")
@name_argument
@click.option("-f", "--file", "file", required=True, help="What to compare with: JSON, YAML or .properties; - is stdin.")
@cluster_option
@pass_session
def diff(session: Session, name: str, file: str, cluster: str) -> None:
    """What a file would change. Ends with 0 if nothing, with 1 if there is a difference."""
    ref = session.target.find(name, cluster).ref
    different, hidden = between(session.target.config(ref).values, _named(definitions.flat(file), ref))
    for one in different:
        say(str(one))
    if hidden:
        note(f"Not compared, because the control room does not tell secrets: {', '.join(hidden)}.")
    if different:
        raise Failure("", Exit.FAILED)


def _named(config: dict[str, str | None], ref: Ref) -> dict[str, str | None]:
    """Kafka Connect adds the name by itself. Raises Cannot for the config of another one."""
    if config.setdefault("name", ref.name) != ref.name:
        raise Cannot(f"This is the config of {config['name']}, not of {ref.name}.")
    return config


def _ended(failed: list[ConnectError]) -> None:
    """With what went wrong, if it was one thing."""
    codes = {code_of(error) for error in failed}
    if codes:
        raise Failure("", codes.pop() if len(codes) == 1 else Exit.FAILED)


COMMANDS = [create, config_group]
