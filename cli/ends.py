"""How a command ends: exit codes (docs/cli.md, "Exit codes"), and one sentence for whatever is not as it should be."""

from enum import IntEnum
from typing import IO, Any

import click

from connect_client import (
    ConnectConflict,
    ConnectDenied,
    ConnectError,
    ConnectNotFound,
    ConnectRefused,
    ConnectUnreachable,
    ConnectUnusable,
    UnusableTls,
)


class Exit(IntEnum):
    """Kept from version to version: scripts depend on them."""

    OK = 0
    FAILED = 1
    CANNOT = 2
    UNREACHABLE = 3
    DENIED = 4
    NOT_FOUND = 5
    CONFLICT = 6
    INTERRUPTED = 130


class Failure(click.ClickException):
    """A sentence for stderr, and the exit code."""

    def __init__(self, message: str, exit_code: Exit = Exit.FAILED) -> None:
        super().__init__(message)
        self.exit_code = int(exit_code)  # type: ignore[misc]

    def show(self, file: IO[Any] | None = None) -> None:
        if self.message:
            click.echo(f"Error: {printable(self.message)}", file=file, err=file is None)


class Cannot(Failure):
    """What was asked for makes no sense, or not to the one that it was asked of."""

    def __init__(self, message: str) -> None:
        super().__init__(message, Exit.CANNOT)


class NotFound(Failure):
    def __init__(self, message: str) -> None:
        super().__init__(message, Exit.NOT_FOUND)


class Interrupted(Failure):
    """Ctrl-C. The message says what goes on, and is empty where nothing does."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message, Exit.INTERRUPTED)

    def show(self, file: IO[Any] | None = None) -> None:
        if self.message:
            click.echo(printable(self.message), file=file, err=file is None)


_CODES: tuple[tuple[type[Exception], Exit], ...] = (
    (ConnectNotFound, Exit.NOT_FOUND),
    (ConnectConflict, Exit.CONFLICT),
    (ConnectDenied, Exit.DENIED),
    (ConnectUnreachable, Exit.UNREACHABLE),
    (ConnectUnusable, Exit.CANNOT),
    (UnusableTls, Exit.CANNOT),
)
_GATEWAY = (502, 503, 504)


def code_of(error: Exception) -> Exit:
    if isinstance(error, ConnectRefused) and error.status in _GATEWAY:
        return Exit.UNREACHABLE
    return next((code for kind, code in _CODES if isinstance(error, kind)), Exit.FAILED)


def failure(error: ConnectError | UnusableTls) -> Failure:
    return Failure(str(error), code_of(error))


def printable(text: str) -> str:
    """Names and messages come from elsewhere: none of them moves the cursor or changes colours. Lines stay."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "\N{REPLACEMENT CHARACTER}" for sign in text)
