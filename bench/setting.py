"""What every part of the benchmark is given."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.sides import Side
from bench.topics import Topics


@dataclass(frozen=True, slots=True)
class Setting:
    """`sides`: Drover, then Connect. `folder` is for files that nobody needs afterwards."""

    sides: Sequence[Side]
    topics: Topics
    folder: Path


def fresh_name(purpose: str) -> str:
    """Never used before, so that nothing is remembered of it: no offset, no topic, no cached metadata."""
    return f"bench-{purpose}-{time.time_ns()}"
