"""How long `manage.py up` takes until everything is healthy."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench import drover
from bench.figures import Goal, Spread, at_most


@dataclass(frozen=True, slots=True)
class Starting:
    """Seconds, in order: the first start makes the data folder, the others find it."""

    seconds: list[float]

    def goals(self) -> list[Goal]:
        return [at_most("`up` is healthy, seconds (median)", Spread.of(self.seconds).median, 25)]


def run(folder: Path, times: int, say: Callable[[str], None]) -> Starting:
    seconds = []
    for _ in range(times):
        with drover.running(folder / "started") as (side, _):
            seconds.append(side.start_seconds)
            say(f"up in {side.start_seconds:.1f} s")
    return Starting(seconds)
