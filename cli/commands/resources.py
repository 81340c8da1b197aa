"""`apply`, `diff`, `annotate`, and `delete -f`: resources that a control room keeps, and sees to."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import click
from rich.progress import track

from cli import manifests, plan
from cli.commands.asking import confirmed, yes_option
from cli.ends import Cannot, Exit, Failure, code_of
from cli.manifests import Manifest
from cli.output import console, note, say
from cli.plan import Step
from cli.session import Session, pass_session
from cli.target import Target
from connect_client import ConnectError, ConnectNotFound, ConnectUnreachable

T = TypeVar("T")

file_option = click.option("-f", "--file", "files", multiple=True, required=True, help="A file or a folder; - is stdin.")

prune_option = click.option("--prune", default="", metavar="SET", help="Delete what was applied as SET before, and is gone.")


@click.command("apply")
@file_option
@prune_option
@yes_option
@pass_session
def apply(session: Session, files: tuple[str, ...], prune: str, yes: bool) -> None:
    """Make resources what files say. The plan is shown first, and asked about unless --yes.

    A resource that cannot be applied holds up no other one: it is told at the end, which is with 1 then.
    """
    steps = _planned(session.target, files, prune)
    _show(steps)
    if plan.to_do(steps):
        confirmed("Apply this?", yes=yes)
        _carry_out(session.target, plan.to_do(steps))


@click.command("diff")
@file_option
@prune_option
@pass_session
def diff(session: Session, files: tuple[str, ...], prune: str) -> None:
    """What `apply` would do. Ends with 0 if nothing, with 1 if there is a difference."""
    steps = _planned(session.target, files, prune)
    _show(steps)
    if plan.to_do(steps):
        raise Failure("", Exit.FAILED)


@click.command("annotate")
@click.argument("kind")
@click.argument("name")
@click.argument("annotations", nargs=-1, required=True, metavar="KEY=VALUE|KEY-...")
@pass_session
def annotate(session: Session, kind: str, name: str, annotations: tuple[str, ...]) -> None:
    """Set annotations of a resource (KEY=VALUE) or take them away (KEY-): strimzi.io/restart=true restarts its connector."""
    short = manifests.kind_of(kind)
    session.target.annotate(short, name, dict(map(_annotation, annotations)))
    say(f"{short}/{name} annotated")


def delete_files(target: Target, files: tuple[str, ...], *, yes: bool) -> None:
    """What is gone already is not missed. Raises Failure."""
    wanted = list(reversed(manifests.read(files)))
    if not wanted:
        raise Cannot("There is no resource in what was given: nothing was done.")
    # Where nobody keeps resources, that is said before anything is asked.
    there = {one.key for one in manifests.kept(target.resources())}
    steps = [Step(plan.DELETE, one) for one in wanted if one.key in there]
    for one in wanted:
        if one.key not in there:
            note(f"{one} is not there.")
    if not steps:
        return
    _show(steps)
    confirmed("Delete them?", yes=yes)
    _carry_out(target, steps)


def _planned(target: Target, files: tuple[str, ...], prune: str) -> list[Step]:
    """Raises Cannot, Failure."""
    wanted = manifests.read(files)
    if not wanted:
        # An empty folder is a wrong path more often than it is meant.
        raise Cannot("There is no resource in what was given: nothing was done.")
    if not prune:
        return _put_steps(target, wanted)
    wanted = [manifests.labelled(one, manifests.set_name(prune)) for one in wanted]
    steps = _put_steps(target, wanted)
    return steps + [Step(plan.DELETE, one) for one in manifests.stale(target.resources(), wanted, prune)]


def _put_steps(target: Target, wanted: Sequence[Manifest]) -> list[Step]:
    """Raises Failure after all that is refused was told."""
    steps: list[Step] = []
    refused: list[ConnectError] = []
    for one in _tracked(wanted, "Planning"):
        try:
            steps.append(plan.step(one, target.would_put(one.kind, one.name, one.document)))
        except ConnectUnreachable:
            raise
        except ConnectError as error:
            note(f"{one.where}: {one}: {error}")
            refused.append(error)
    if refused:
        codes = {code_of(error) for error in refused}
        told = f"{len(refused)} of {len(wanted)} cannot be applied; nothing was done."
        raise Failure(told, codes.pop() if len(codes) == 1 else Exit.FAILED)
    return steps


def _carry_out(target: Target, steps: Sequence[Step]) -> None:
    failed = done = 0
    for one in _tracked(steps, "Applying"):
        try:
            _ACTS[one.action](target, one.manifest)
        except ConnectUnreachable as error:
            left = len(steps) - done - failed
            raise Failure(f"{error} {done} were done, {left} were not.", Exit.UNREACHABLE) from error
        except ConnectError as error:
            note(f"{one.manifest}: {error}")
            failed += 1
        else:
            done += 1
            say(f"{one.manifest} {_DONE[one.action]}")
    if failed:
        raise Failure(f"{failed} of {len(steps)} failed.", Exit.FAILED)


def _delete(target: Target, manifest: Manifest) -> None:
    try:
        target.delete_resource(manifest.kind, manifest.name)
    except ConnectNotFound:
        note(f"{manifest} is gone already.")


def _put(target: Target, manifest: Manifest) -> None:
    target.put_resource(manifest.kind, manifest.name, manifest.document)


_ACTS: dict[str, Callable[[Target, Manifest], None]] = {plan.CREATE: _put, plan.UPDATE: _put, plan.DELETE: _delete}
_DONE = {plan.CREATE: "created", plan.UPDATE: "updated", plan.DELETE: "deleted"}


def _show(steps: Sequence[Step]) -> None:
    for one in plan.to_do(steps):
        for line in one.lines:
            say(line)
    note(f"{plan.summary(steps)}.".capitalize())


def _tracked(things: Sequence[T], words: str) -> Iterator[T] | Iterable[T]:
    """With a bar on stderr, if somebody looks at it."""
    err = console(to_stderr=True)
    return track(things, words, console=err, transient=True) if err.is_terminal and len(things) > 1 else things


def _annotation(text: str) -> tuple[str, str | None]:
    key, equals, value = text.partition("=")
    if equals and key:
        return key, value
    if not equals and text.endswith("-") and len(text) > 1:
        return text[:-1], None
    raise Cannot(f"{text} is neither KEY=VALUE nor KEY-.")


COMMANDS = [apply, diff, annotate]
