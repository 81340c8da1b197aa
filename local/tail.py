"""Prints what the processes log, each line under the name of its process."""

import os
import threading
from collections.abc import Callable, Iterable
from io import BufferedReader
from pathlib import Path

POLL_SECONDS = 0.2
# cyan, magenta, green, yellow, blue: none that a terminal shows as an error.
COLOURS = (36, 35, 32, 33, 34)


class Follower:
    """Reads what is appended to a file from now on, across the rotation that supervisord does by renaming."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stream: BufferedReader | None = _open(path)
        self._rest = b""
        if self._stream:
            self._stream.seek(0, os.SEEK_END)

    def lines(self) -> list[str]:
        """The complete lines since the last call."""
        found = self._read()
        if self._is_replaced():
            self.close()
            self._stream = _open(self._path)
            found += self._read()
        *complete, self._rest = (self._rest + found).split(b"\n")
        return [line.decode(errors="replace") for line in complete]

    def close(self) -> None:
        if self._stream:
            self._stream.close()

    def _read(self) -> bytes:
        return self._stream.read() if self._stream else b""

    def _is_replaced(self) -> bool:
        try:
            current = self._path.stat()
        except FileNotFoundError:
            return False
        if not self._stream:
            return True
        mine = os.fstat(self._stream.fileno())
        return (mine.st_dev, mine.st_ino) != (current.st_dev, current.st_ino)


def _open(path: Path) -> BufferedReader | None:
    try:
        return path.open("rb")
    except FileNotFoundError:
        return None


def prefixes(names: Iterable[str], colour: bool) -> dict[str, str]:
    """`broker  | ` and so on, all of one width, each in a colour of its own."""
    names = list(names)
    width = max(map(len, names), default=0)
    plain = {name: f"{name:<{width}} | " for name in names}
    if not colour:
        return plain
    return {name: f"\x1b[{COLOURS[place % len(COLOURS)]}m{text}\x1b[0m" for place, (name, text) in enumerate(plain.items())}


class LogPrinter:
    """Follows the log of every process in a thread of its own; a context manager, which prints what is left at its end."""

    def __init__(
        self, files: dict[str, Path], write: Callable[[str], None], colour: bool, wanted: Callable[[str, str], bool]
    ) -> None:
        self._followers = {name: Follower(path) for name, path in files.items()}
        self._prefixes = prefixes(files, colour)
        self._write = write
        self._wanted = wanted
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="log printer", daemon=True)

    def __enter__(self) -> "LogPrinter":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        self._print_new()
        for follower in self._followers.values():
            follower.close()

    def _run(self) -> None:
        while not self._ended.wait(POLL_SECONDS):
            self._print_new()

    def _print_new(self) -> None:
        for name, follower in self._followers.items():
            for line in follower.lines():
                if self._wanted(name, line):
                    self._write(self._prefixes[name] + line)


def last_lines(path: Path, count: int, since: int = 0) -> list[str]:
    """The end of a log, not looking back beyond byte `since`."""
    if not path.exists():
        return []
    with path.open("rb") as stream:
        size = stream.seek(0, os.SEEK_END)
        # Rotated since: then all of it is new.
        start = since if since <= size else 0
        stream.seek(max(start, size - 64 * 1024))
        return stream.read().decode(errors="replace").splitlines()[-count:]
