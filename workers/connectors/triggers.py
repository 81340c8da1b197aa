"""The keys of a source that runs as a streaming query: when it looks for what is new."""

from typing import Literal, cast

from workers.connectors.base import Trigger
from workers.connectors.configdef import Importance, Key, Type
from workers.connectors.validators import at_least, one_of
from workers.herder.values import Config

INTERVAL, AVAILABLE_NOW, REALTIME = "interval", "available-now", "realtime"
#: Milliseconds. In real time as often as Kafka Connect commits a source's offsets (`offset.flush.interval.ms`).
_DEFAULTS = {INTERVAL: 1000, AVAILABLE_NOW: 0, REALTIME: 60_000}
_GROUP = "Trigger"

TRIGGER = Key(
    "trigger",
    Type.STRING,
    INTERVAL,
    Importance.MEDIUM,
    "When to look for what is new. interval: every trigger.interval.ms. available-now: once, and again after a restart or a "
    "resume, or after trigger.interval.ms if that is given. realtime: each record as soon as it is there, from Kafka to Kafka.",
    one_of(INTERVAL, AVAILABLE_NOW, REALTIME),
    _GROUP,
    1,
    display_name="Trigger",
)
INTERVAL_MS = Key(
    "trigger.interval.ms",
    Type.LONG,
    None,
    Importance.LOW,
    f"Milliseconds between two looks: {_DEFAULTS[INTERVAL]} if not given. With realtime, milliseconds after which the offsets "
    f"are committed at the latest: {_DEFAULTS[REALTIME]} if not given.",
    lambda value: None if value is None else at_least(1)(value),
    _GROUP,
    2,
    display_name="Trigger interval",
)
KEYS = (TRIGGER, INTERVAL_MS)


def refused(config: Config) -> str | None:
    """What is wrong with the trigger of a config because of its other keys."""
    if config.get(TRIGGER.name) == REALTIME and config.get("errors.tolerance") == "all":
        return f"Invalid value {REALTIME} for configuration {TRIGGER.name}: errors.tolerance has to be none"
    return None


def trigger(config: Config) -> Trigger:
    """Of a config that has been validated."""
    kind = config.get(TRIGGER.name, INTERVAL)
    milliseconds = int(config.get(INTERVAL_MS.name) or _DEFAULTS[kind])
    return Trigger(cast(Literal["interval", "available-now", "realtime"], kind), milliseconds / 1000)
