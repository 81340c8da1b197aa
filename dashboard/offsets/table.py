"""The table of a connector's partitions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from connect_client import PartitionOffset, Position
from dashboard.offsets.entries import Entry, entry_of
from dashboard.offsets.partitions import OFFSET, PARTITION, TOPIC, Reach, compact, in_kafka, key, name


@dataclass(frozen=True, slots=True)
class Line:
    """A partition. `number` is its place in the form, `entry` what is typed there, `error` what is wrong with that."""

    number: int
    at: PartitionOffset
    position: Position | None
    entry: Entry
    error: str = ""

    @property
    def in_kafka(self) -> bool:
        return in_kafka(self.at.partition)

    @property
    def topic(self) -> str:
        return str((self.at.partition or {})[TOPIC])

    @property
    def partition(self) -> str:
        return str((self.at.partition or {})[PARTITION])

    @property
    def name(self) -> str:
        return name(self.at.partition)

    @property
    def current(self) -> str:
        committed = self._committed
        return compact(self.at.offset) if committed is None else f"{committed:,}"

    @property
    def end(self) -> str:
        return "" if self.position is None else f"{self.position.end:,}"

    @property
    def lag(self) -> int | None:
        """The two were asked for one after the other: a running sink may be further than the end that was told."""
        committed = self._committed
        return None if self.position is None or committed is None else max(0, self.position.end - committed)

    @property
    def behind(self) -> str:
        return "" if self.lag is None else f"{self.lag:,}"

    @property
    def _committed(self) -> int | None:
        committed = (self.at.offset or {}).get(OFFSET) if self.in_kafka else None
        return committed if isinstance(committed, int) else None


@dataclass(frozen=True, slots=True)
class Table:
    lines: tuple[Line, ...]

    @property
    def in_kafka(self) -> bool:
        """Topic and partition have columns of their own."""
        return bool(self.lines) and all(line.in_kafka for line in self.lines)

    @property
    def reaches(self) -> bool:
        """The ends are known: there are columns for them."""
        return any(line.position for line in self.lines)

    @property
    def summary(self) -> str:
        count = len(self.lines)
        parts = [f"{count:,} partition{'' if count == 1 else 's'}"]
        lags = [line.lag for line in self.lines if line.lag is not None]
        return " · ".join([*parts, *([f"lag {sum(lags):,}"] if lags else [])])

    @property
    def committed(self) -> int:
        return sum(line.at.offset is not None for line in self.lines)


def table(
    known: Sequence[PartitionOffset],
    reach: Reach,
    entries: Sequence[Entry] = (),
    errors: Mapping[int, str] | None = None,
) -> Table:
    """`entries` and `errors` of a form that was made of `known`; without them nothing has been typed yet."""
    typed, wrong = entries or [entry_of(at) for at in known], errors or {}
    return Table(
        tuple(
            Line(number, at, reach.get(key(at.partition)), typed[number], wrong.get(number, ""))
            for number, at in enumerate(known)
        )
    )
