"""How MirrorMaker writes down where it stands, and what it refuses when somebody else does (KIP-875). Pure."""

from collections.abc import Callable, Sequence

from workers.connectors.base import ConnectError
from workers.herder.values import Fields, Partition, PartitionOffset

_MOST = 2**31 - 1


def source_partition(cluster: str, partition: Partition) -> Fields:
    return {"cluster": cluster, "partition": partition.number, "topic": partition.topic}


def source_offset(position: int) -> Fields:
    """`position` is the next one to be read; what is stored is the last that was."""
    return {"offset": position - 1}


def position(offset: Fields | None) -> int | None:
    """Where to go on; None for the beginning, as far as `auto.offset.reset` does not say otherwise. Raises ConnectError."""
    stored = None if offset is None else offset.get("offset")
    if stored is None:
        return None
    if not isinstance(stored, int) or isinstance(stored, bool):
        raise ConnectError(f"The stored offset is none: {dict(offset or {})}")
    return stored + 1 if stored >= 0 else None


def require(offsets: Sequence[PartitionOffset], texts: Sequence[str], *, number: bool = False, only_zero: bool = False) -> None:
    """Of what is to be written: partitions with these texts and, if `number`, a number, and offsets; what is reset may be
    anything. Raises ConnectError in MirrorMaker's words."""
    for item in offsets:
        if item.offset is None:
            continue
        if item.partition is None:
            raise ConnectError("Source partitions may not be null")
        for text in texts:
            _require(item.partition, text, lambda value: isinstance(value, str), "must be a string")
        if number:
            _require(item.partition, "partition", lambda value: _is_integer(value) and value <= _MOST, "must be an integer")
            _require(item.partition, "partition", lambda value: value >= 0, "cannot be negative")
        _require_offset(item.partition, item.offset, only_zero)


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


# The predicates get whatever JSON can be, one after another narrower.
def _require(partition: Fields, key: str, holds: Callable[..., bool], what: str) -> None:
    shown = java_map(partition)
    if key not in partition:
        raise ConnectError(f"Source partition {shown} is missing the '{key}' key, which is required")
    if not holds(partition[key]):
        raise ConnectError(
            f"Source partition {shown} has an invalid value {java_text(partition[key])} for the '{key}' key, which {what}"
        )


def _require_offset(partition: Fields, offset: Fields, only_zero: bool) -> None:
    about = f"Source offset {java_map(offset)} for source partition {java_map(partition)}"
    if "offset" not in offset:
        raise ConnectError(f"{about} is missing the 'offset' key, which is required")
    value = offset["offset"]
    wrong = f"{about} has an invalid value {java_text(value)} for the 'offset' key"
    if not isinstance(value, int) or isinstance(value, bool):
        raise ConnectError(f"{wrong}, which must be an integer")
    if only_zero and value != 0:
        raise ConnectError(f"{wrong}; the only accepted value is 0")
    if value < 0:
        raise ConnectError(f"{wrong}, which cannot be negative")


def java_map(fields: Fields) -> str:
    """As Java prints it."""
    return "{" + ", ".join(f"{key}={java_text(value)}" for key, value in fields.items()) + "}"


def java_text(value: object) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    if isinstance(value, dict):
        return java_map(value)
    if isinstance(value, list):
        return f"[{', '.join(map(java_text, value))}]"
    return str(value)
