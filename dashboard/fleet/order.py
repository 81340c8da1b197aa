"""Rows that somebody is looking at keep their places; where they ought to be is told, and taken up when asked for."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Held:
    """Ids in the order to show them in, ids of rows that are there no more among them, and how many rows would move."""

    ids: tuple[int, ...]
    changes: int


def hold(fresh: Sequence[int], shown: Sequence[int], size: int) -> Held:
    """`fresh` in the order of `shown`. New ones go below, where they move nothing, as long as the page has room."""
    known = set(shown)
    room = max(0, size - len(shown))
    ids = (*shown, *[id for id in fresh if id not in known][:room])
    return Held(ids, max(len(fresh), len(ids)) - _longest_in_place(fresh, ids))


def _longest_in_place(fresh: Sequence[int], ids: Sequence[int]) -> int:
    """The most rows that can stay where they are: the longest increasing run of their places in `fresh`."""
    places = {id: place for place, id in enumerate(fresh)}
    ends: list[int] = []
    for place in (places[id] for id in ids if id in places):
        at = bisect_left(ends, place)
        ends[at : at + 1] = [place]
    return len(ends)
