"""A config as the `.properties` file of a connector that runs standalone."""

from config import java_properties
from dashboard.configs.pairs import Pairs, Unreadable


def from_properties(text: str) -> Pairs:
    """Raises Unreadable."""
    pairs: dict[str, str | None] = {}
    try:
        for entry in java_properties.entries(text):
            if entry.key in pairs:
                raise Unreadable(f"{entry.key} stands here twice (line {entry.line}): which of the two is meant?")
            pairs[entry.key] = entry.value
    except java_properties.Malformed as error:
        raise Unreadable(f"Line {error.line}: \\u needs four hexadecimal digits after it.") from None
    return tuple(pairs.items())


def to_properties(pairs: Pairs) -> str:
    """What has no value is left out: these files know no null."""
    return java_properties.written((key, value) for key, value in pairs if value is not None)
