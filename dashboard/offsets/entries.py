"""What somebody has typed into the table of offsets, and what it means. Bad input costs nothing: it is named and kept."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Self

import orjson

from connect_client import PartitionOffset, Position
from connect_client.shapes import Json
from dashboard.offsets.partitions import OFFSET, PARTITION, TOPIC, Reach, in_kafka, key, offset_text

_NUMBER = re.compile(r"[0-9]{1,19}")
_BEYOND = 2**63


class Unusable(Exception):
    """A value that cannot be meant. The message is a sentence for whoever typed it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One partition's input."""

    text: str
    reset: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """The table as it was sent: the partitions that it was made of, and what was typed into each."""

    known: tuple[PartitionOffset, ...]
    entries: tuple[Entry, ...]

    @classmethod
    def fresh(cls, known: tuple[PartitionOffset, ...]) -> Self:
        """Nothing typed yet."""
        return cls(known, tuple(map(entry_of, known)))


def entry_of(at: PartitionOffset) -> Entry:
    return Entry(offset_text(at))


def form(posted: Mapping[str, str]) -> Form | None:
    """None of what is no form of ours."""
    known = unpacked(posted.get("known", ""))
    if known is None:
        return None
    entries = [Entry(posted.get(f"to-{number}", offset_text(at)), f"reset-{number}" in posted) for number, at in enumerate(known)]
    return Form(known, tuple(entries))


def packed(offsets: Iterable[PartitionOffset]) -> str:
    """For a hidden field."""
    return orjson.dumps([at.to_json() for at in offsets]).decode()


def unpacked(text: str) -> tuple[PartitionOffset, ...] | None:
    try:
        found = tuple(PartitionOffset.from_json(item) for item in orjson.loads(text))
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return None
    fields = [value for at in found for value in (at.partition, at.offset)]
    return found if all(value is None or isinstance(value, dict) for value in fields) else None


def wanted(at: PartitionOffset, entry: Entry) -> PartitionOffset:
    """Where the partition is to stand; `at` again where nothing is to change. Raises Unusable."""
    text = entry.text.strip()
    if entry.reset:
        return replace(at, offset=None)
    if text == offset_text(at):
        return at
    if not text:
        raise Unusable("Nothing is typed here. To forget the offset choose “reset”.")
    offset = _kafka_offset(text) if in_kafka(at.partition) else _fields(text)
    return at if key(offset) == key(at.offset) else replace(at, offset=offset)


def _kafka_offset(text: str) -> Json:
    if not _NUMBER.fullmatch(text) or int(text) >= _BEYOND:
        raise Unusable(f"“{text}” is no offset: a whole number is wanted, 0 or more.")
    return {OFFSET: int(text)}


def usable(at: PartitionOffset) -> None:
    """Of what a program wants: the same that can be typed. Raises Unusable."""
    if at.partition is not None and in_kafka(at.partition):
        topic, number = at.partition[TOPIC], at.partition[PARTITION]
        if not isinstance(topic, str) or not _is_whole(number):
            raise Unusable("A partition of Kafka's has a topic, a text, and a number.")
        if at.offset is not None and not (set(at.offset) == {OFFSET} and _is_whole(at.offset[OFFSET])):
            raise Unusable('An offset is a whole number, 0 or more: {"kafka_offset": 12}.')
    elif at.offset is not None:
        _plain(at.offset)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _BEYOND


def _fields(text: str) -> Json:
    try:
        fields = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise Unusable(f"This is not JSON: {error}.") from error
    if not isinstance(fields, dict):
        raise Unusable('A JSON object is wanted, like {"position": 12}.')
    _plain(fields)
    return fields


def _plain(fields: Json) -> None:
    """Raises Unusable."""
    nested = next((name for name, value in fields.items() if isinstance(value, dict | list)), None)
    if nested is not None:
        raise Unusable(f"Offsets hold plain values only, and “{nested}” is a list or an object.")


def all_wanted(form: Form) -> tuple[list[PartitionOffset], dict[int, str]]:
    """Where each partition is to stand, and by number what cannot be used."""
    found, errors = [], {}
    for number, (at, entry) in enumerate(zip(form.known, form.entries, strict=True)):
        try:
            found.append(wanted(at, entry))
        except Unusable as unusable:
            errors[number] = str(unusable)
    return found, errors


def overlaid(form: Form, wanted: Iterable[PartitionOffset]) -> Form:
    """The form as if these had been typed."""
    by_key = {key(at.partition): at for at in wanted}
    pairs = zip(form.known, form.entries, strict=True)
    return replace(form, entries=tuple(_typed(at, by_key.get(key(at.partition)), entry) for at, entry in pairs))


def _typed(at: PartitionOffset, wanted: PartitionOffset | None, entry: Entry) -> Entry:
    if wanted is None:
        return entry
    return Entry(offset_text(at), reset=True) if wanted.offset is None else Entry(offset_text(wanted))


# --- filled in --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fill:
    """A button that fills inputs in: to which place, and for which partition, None for all of them."""

    place: str
    number: int | None


PLACES = ("earliest", "latest", "time")


def fill(word: str) -> Fill | None:
    """Of a button's value: `earliest`, `time-3`."""
    place, _, number = word.partition("-")
    if place not in PLACES or (number and not number.isdecimal()):
        return None
    return Fill(place, int(number) if number else None)


def moment(text: str) -> int:
    """Milliseconds since 1970 of what a field for date and time holds, which is UTC. Raises Unusable."""
    try:
        typed = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise Unusable("Give the time first, like 2026-11-21 18:30 (UTC).") from error
    return max(0, int((typed if typed.tzinfo else typed.replace(tzinfo=UTC)).timestamp() * 1000))


def filled(form: Form, fill: Fill, reach: Reach) -> tuple[Form, dict[int, str]]:
    """The form with these inputs filled in, and by number what could not be."""
    entries, errors = list(form.entries), {}
    for number in _numbers(form, fill):
        position = reach.get(key(form.known[number].partition))
        if position is None:
            errors[number] = "The cluster does not say how far this partition reaches."
        else:
            entries[number] = Entry(str(_offset(position, fill.place)))
    return replace(form, entries=tuple(entries)), errors


def _numbers(form: Form, fill: Fill) -> Sequence[int]:
    every = range(len(form.known))
    return every if fill.number is None else [fill.number] if fill.number in every else []


def _offset(position: Position, place: str) -> int:
    """Of a moment that nothing is younger than the end, as Kafka's own tools have it."""
    if place == "earliest":
        return position.beginning
    return position.end if place == "latest" or position.at is None else position.at
