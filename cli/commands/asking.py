"""Questions to whoever is at the terminal."""

import sys

import click

from cli.ends import Cannot, Exit, Failure, printable

yes_option = click.option("-y", "--yes", is_flag=True, help="Do not ask.")


def confirmed(question: str, *, yes: bool) -> None:
    """Raises Failure after a no, and Cannot where there is nobody to ask."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise Cannot(f"{printable(question)} There is nobody to ask: say --yes.")
    if not click.confirm(printable(question), err=True):
        raise Failure("Nothing was done.", Exit.FAILED)
