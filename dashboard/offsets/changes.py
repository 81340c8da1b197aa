"""What a change of offsets does: before and after, of only what changes."""

from collections.abc import Iterable
from dataclasses import dataclass

from connect_client import PartitionOffset
from connect_client.shapes import Json
from dashboard.offsets.partitions import NOT_TOLD, OFFSET, Reach, in_kafka, key, name, offset_text


@dataclass(frozen=True, slots=True)
class Change:
    """One partition's. None is no offset. `remark`: what somebody might not expect of it."""

    partition: Json | None
    before: Json | None
    after: Json | None
    remark: str = ""

    @property
    def name(self) -> str:
        return name(self.partition)

    @property
    def was(self) -> str:
        return _shown(PartitionOffset(self.partition, self.before))

    @property
    def becomes(self) -> str:
        return _shown(PartitionOffset(self.partition, self.after))

    @property
    def by(self) -> str:
        """How far a Kafka offset moves: `+5`, `−1,200`."""
        before, after = ((fields or {}).get(OFFSET) for fields in (self.before, self.after))
        if not (in_kafka(self.partition) and isinstance(before, int) and isinstance(after, int)):
            return ""
        return f"{after - before:+,}".replace("-", "−")

    @property
    def wanted(self) -> PartitionOffset:
        return PartitionOffset(self.partition, self.after)

    @property
    def former(self) -> PartitionOffset:
        return PartitionOffset(self.partition, self.before)


def _shown(at: PartitionOffset) -> str:
    text = offset_text(at)
    return f"{int(text):,}" if text.isdecimal() else text


def changes(known: Iterable[PartitionOffset], wanted: Iterable[PartitionOffset], reach: Reach = NOT_TOLD) -> tuple[Change, ...]:
    """From where the partitions stand to where some of them are wanted."""
    now = {key(at.partition): at.offset for at in known}
    found = ((at, now.get(key(at.partition))) for at in wanted)
    return tuple(
        Change(at.partition, before, at.offset, _remark(at, reach)) for at, before in found if key(at.offset) != key(before)
    )


def resets(known: Iterable[PartitionOffset]) -> tuple[Change, ...]:
    """Of everything that has an offset."""
    return tuple(Change(at.partition, at.offset, None) for at in known if at.offset is not None)


def moved(then: Iterable[PartitionOffset], now: Iterable[PartitionOffset]) -> tuple[Change, ...]:
    """What has changed meanwhile. A partition without an offset is the same as none."""
    former, newest = ({key(at.partition): at for at in some} for some in (then, now))
    gone = [PartitionOffset(at.partition, None) for one, at in former.items() if one not in newest]
    return changes(former.values(), [*newest.values(), *gone])


def _remark(at: PartitionOffset, reach: Reach) -> str:
    position, offset = reach.get(key(at.partition)), (at.offset or {}).get(OFFSET)
    if position is None or not isinstance(offset, int):
        return ""
    if offset > position.end:
        return f"beyond the end, {position.end:,}: the log has no such offset"
    if offset < position.beginning:
        return f"before the beginning, {position.beginning:,}: the log does not have it any more"
    return ""
