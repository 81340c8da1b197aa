"""Answers that are given again as they are, for as long as what they were made of is the same: no view, no thread.

A view takes less time than the way to its thread and back.
"""

from collections.abc import Callable, Sequence
from typing import Any

Headers = Sequence[tuple[bytes, bytes]]
#: What `GET target` is answered from, as objects that are replaced and never changed; None where that cannot be told.
MadeOf = Callable[[bytes], tuple[object, ...] | None]

#: Bytes of all answers together. There may be as many as kinds of clients times things asked for; then it begins anew.
LARGEST = 64 * 1024**2


def nothing(target: bytes) -> None:
    """Of which nothing is remembered."""


class Remembered:
    """Used in the event loop only. The same question is one whose header fields are the same, too."""

    def __init__(self, made_of: MadeOf = nothing, largest: int = LARGEST) -> None:
        self._made_of = made_of
        self._largest = largest
        self._size = 0
        self._answers: dict[Any, tuple[tuple[object, ...], bytes]] = {}

    def made_of(self, method: str, target: bytes, headers: Headers) -> tuple[object, ...] | None:
        """To be asked for before the answer is made: what changes meanwhile makes it an old one."""
        if method != "GET" or any(name in (b"prefer", b"content-length", b"transfer-encoding") for name, _ in headers):
            # It may be for the answer to wait, or there is a body.
            return None
        return self._made_of(target)

    def keep(self, target: bytes, headers: Headers, made_of: tuple[object, ...], answer: bytes) -> None:
        if self._size + len(answer) > self._largest:
            self._answers.clear()
            self._size = 0
        question = (target, *headers)
        self._size += len(answer) - len(self._answers.get(question, ((), b""))[1])
        self._answers[question] = made_of, answer

    def find(self, target: bytes, headers: Headers) -> bytes | None:
        """Header fields and body."""
        found = self._answers.get((target, *headers))
        if found is None:
            return None
        before, answer = found
        now = self._made_of(target)
        same = now is not None and len(now) == len(before) and all(map(_is, now, before))
        return answer if same else None


def _is(one: object, other: object) -> bool:
    return one is other


def assembled(headers: Headers, body: bytes) -> bytes:
    """All of an answer behind the first line and the server's own fields."""
    return b"".join((*(b"%b: %b\r\n" % field for field in headers), b"\r\n", body))
