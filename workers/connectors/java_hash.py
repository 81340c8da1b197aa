"""The order of a Java HashMap, in which Kafka Connect shows a few things."""

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")

_SMALLEST = 16
_FULL = 0.75


def string_hash(text: str) -> int:
    """`String.hashCode`, without its sign."""
    units = text.encode("utf-16-be")
    found = 0
    for high, low in zip(units[::2], units[1::2], strict=True):
        found = (31 * found + (high << 8 | low)) % 2**32
    return found


def in_hash_order(items: Iterable[T], name: Callable[[T], str]) -> list[T]:
    """As the values of a HashMap into which these were put under their names, one after another. No name may be there twice, nor
    may so many share a bucket that Java makes a tree of it (8)."""
    given = list(items)
    size = _SMALLEST
    while len(given) > _FULL * size:
        size *= 2

    def bucket(item: T) -> int:
        hashed = string_hash(name(item))
        return (hashed ^ hashed >> 16) % size

    return sorted(given, key=bucket)
