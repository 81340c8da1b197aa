"""A file to a topic, as it is and through a chain of five transforms: what the chain costs."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.copying import Rates, timed_connector
from bench.figures import Goal, at_most
from bench.lines import write
from bench.setting import Setting, fresh_name
from bench.sides import Side, source

PLAIN, CHAINED = "without transforms", "through five"
_PACKAGE = "org.apache.kafka.connect.transforms"
#: A line becomes a struct, gets a field, is renamed and is a line again; its topic is another one: the copy is equal to the file.
_CHAIN: dict[str, dict[str, str]] = {
    "wrap": {"type": "HoistField$Value", "field": "line"},
    "note": {"type": "InsertField$Value", "static.field": "origin", "static.value": "file"},
    "rename": {"type": "ReplaceField$Value", "renames": "line:text"},
    "take": {"type": "ExtractField$Value", "field": "text"},
    "route": {"type": "RegexRouter", "regex": "in-(.*)", "replacement": "$1"},
}


@dataclass(frozen=True, slots=True)
class Chaining:
    lines: int
    rates: dict[str, dict[str, Rates]]

    def cost(self, side: str) -> float:
        """Of the throughput, 0 to 1."""
        return 1 - self.rates[CHAINED][side].warm.median / self.rates[PLAIN][side].warm.median

    def goals(self) -> list[Goal]:
        return [at_most("five transforms, of Drover's throughput", self.cost("Drover"), 0.2)]


def chain() -> dict[str, str]:
    found = {"transforms": ",".join(_CHAIN)}
    for alias, keys in _CHAIN.items():
        found |= {f"transforms.{alias}.{key}": value for key, value in keys.items()}
        found[f"transforms.{alias}.type"] = f"{_PACKAGE}.{keys['type']}"
    return found


def run(setting: Setting, lines: int, rounds: int, say: Callable[[str], None]) -> Chaining:
    """One cold round, then `rounds` warm ones. Raises Different, Stuck."""
    original = setting.folder / "chained.txt"
    write(original, lines)
    rates: dict[str, dict[str, list[float]]] = {work: {side.name: [] for side in setting.sides} for work in (PLAIN, CHAINED)}
    for number in range(rounds + 1):
        for side in setting.sides:
            for work, by_side in rates.items():
                rate = lines / _seconds(setting, side, original, lines, work)
                by_side[side.name].append(rate)
                say(f"{'warm' if number else 'cold'} {work:<18} {side.name:<8} {rate:>9,.0f} records/s")
    return Chaining(
        lines, {work: {name: Rates.of(listed) for name, listed in by_side.items()} for work, by_side in rates.items()}
    )


def _seconds(setting: Setting, side: Side, original: Path, lines: int, work: str) -> float:
    with setting.topics.fresh(fresh_name("chain")) as topic:
        config = source(original, topic) if work == PLAIN else {**source(original, f"in-{topic}"), **chain()}
        with timed_connector(side, config) as timed:
            seconds = timed(lambda: setting.topics.end(topic) >= lines)
        setting.topics.assert_holds(topic, original)
        return seconds
