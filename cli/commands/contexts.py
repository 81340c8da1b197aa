"""`drover context …`: whom to ask, kept in a file."""

import sys
from pathlib import Path

import click

from cli import contexts
from cli.commands.naming import complete_contexts
from cli.contexts import Context, Kind
from cli.ends import Cannot
from cli.output import Listing, every_output, note, show
from cli.session import Session, pass_session

STDIN = "-"


@click.group("context")
def context_group() -> None:
    """Whom to ask: control rooms and Connect clusters by name."""


@context_group.command("add")
@click.argument("name")
@click.option("--url", default="", help="A control room.")
@click.option("--connect", multiple=True, metavar="URL", help="A Connect cluster; several lead to the same one.")
@click.option("--token", default="", help="A token; - reads it from stdin, which no list of processes shows.")
@click.option("--username", default="", help="For a Connect cluster that wants a user name and a password.")
@click.option("--password", default="", help="The password; - reads it from stdin, and without it you are asked.")
@click.option("--ca", type=click.Path(exists=True, dir_okay=False), help="PEM: who vouches for the server's certificate.")
@click.option("--cert", type=click.Path(exists=True, dir_okay=False), help="PEM: what is shown to the server.")
@click.option("--key", type=click.Path(exists=True, dir_okay=False), help="PEM: its private key.")
@pass_session
def add(
    session: Session,
    name: str,
    url: str,
    connect: tuple[str, ...],
    token: str,
    username: str,
    password: str,
    ca: str | None,
    cert: str | None,
    key: str | None,
) -> None:
    """Keep a context, or change the one of that name. The first one is used at once."""
    if bool(url) == bool(connect):
        raise Cannot("Either --url (a control room) or --connect (a Connect cluster).")
    if username and url:
        raise Cannot("A control room takes a token: Settings, Tokens.")
    if username and token:
        raise Cannot("Either a token or a user name, not both.")
    if username and not password:
        password = click.prompt("Password", hide_input=True, err=True)
    whom = (contexts.room_url(url),) if url else tuple(map(contexts.checked_url, connect))
    added = Context(
        Kind.ROOM if url else Kind.CONNECT, whom, _given(token), username, _given(password), _whole(ca), _whole(cert), _whole(key)
    )
    added.tls()
    contexts.write(session.file, session.contexts().added(name, added))
    note(f"Context {name} is kept in {session.file}.")


@context_group.command("use")
@click.argument("name", shell_complete=complete_contexts)
@pass_session
def use(session: Session, name: str) -> None:
    """Ask this one from now on."""
    contexts.write(session.file, session.contexts().using(name))
    note(f"Context {name} is used from now on.")


@context_group.command("list")
@every_output
@pass_session
def listed(session: Session, output: str) -> None:
    """All of them, without their secrets."""
    kept = session.contexts()
    known = sorted(kept.known.items())
    data = [
        {"name": name, "current": name == kept.current, "kind": one.kind.value, "urls": list(one.urls), "sign_in": _sign_in(one)}
        for name, one in known
    ]
    rows = [["*" if name == kept.current else "", name, one.kind.value, " ".join(one.urls), _sign_in(one)] for name, one in known]
    show(Listing(("", "NAME", "KIND", "URL", "SIGN-IN"), rows, data, sorted(kept.known)), output)


@context_group.command("remove")
@click.argument("name", shell_complete=complete_contexts)
@pass_session
def remove(session: Session, name: str) -> None:
    """Forget a context."""
    contexts.write(session.file, session.contexts().without(name))
    note(f"Context {name} is forgotten.")


def _sign_in(one: Context) -> str:
    if one.username:
        return f"basic ({one.username})"
    return "token" if one.token else "certificate" if one.cert else "none"


def _given(text: str) -> str:
    return sys.stdin.readline().strip() if text == STDIN else text


def _whole(file: str | None) -> str:
    return str(Path(file).absolute()) if file else ""


COMMANDS = [context_group]
