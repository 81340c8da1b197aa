"""Filter, RegexRouter and TimestampRouter: where records go."""

from __future__ import annotations

import re

from workers.connectors.configdef import ConfigDef, Importance, Key, Type
from workers.data import sql
from workers.data.records import Effect, Failure, Record, Routing
from workers.transforms import java_time
from workers.transforms.base import OUT_OF_BOUNDS, PACKAGE, RecordTransform, Settings, TransformConfigError
from workers.transforms.validators import at_start, in_python, java_regex, whole

_GROUP = re.compile(r"\\.|\$(\d)(\d*)|\$\{(\w+)\}", re.DOTALL)


class Filter(RecordTransform):
    class_name = f"{PACKAGE}.Filter"
    config_def = ConfigDef()

    def apply(self, record: Record) -> Effect:
        return Effect(drop="true")


class RegexRouter(RecordTransform):
    class_name = f"{PACKAGE}.RegexRouter"
    routing = Routing.TOPIC
    config_def = ConfigDef(
        (
            Key(
                "regex",
                Type.STRING,
                importance=Importance.HIGH,
                documentation="What a topic must look like as a whole to be changed.",
                validator=java_regex,
            ),
            Key(
                "replacement",
                Type.STRING,
                importance=Importance.HIGH,
                documentation="The new topic; $1 is what the pattern's first group found.",
            ),
        )
    )

    def configure(self, settings: Settings) -> None:
        self._regex, self._replacement = str(settings["regex"]), str(settings["replacement"])
        self._wrong = _wrong_group(self._regex, self._replacement)

    def apply(self, record: Record) -> Effect:
        matches = f"{record.topic} RLIKE {sql.text(whole(self._regex))}"
        if self._wrong is not None:
            message, exception = self._wrong
            return Effect(failures=(Failure(f"CASE WHEN {matches} THEN {sql.text(message)} END", exception),))
        # Java replaces the first thing that it finds, which starts at the beginning if the whole matches, and may end before it.
        start = sql.text(at_start(self._regex))
        replaced = f"regexp_replace({record.topic}, {start}, {sql.text(self._replacement)})"
        return Effect(topic=f"if({matches}, {replaced}, {record.topic})")


def _wrong_group(regex: str, replacement: str) -> tuple[str, str] | None:
    """What Java says of a replacement that names groups that are not there, and the exception."""
    pattern = re.compile(in_python(regex))
    illegal = "java.lang.IllegalArgumentException"
    if re.sub(r"\\.", "", replacement, flags=re.DOTALL).endswith("\\"):
        return "character to be escaped is missing", illegal
    for match in _GROUP.finditer(replacement):
        number, name = match.group(1), match.group(3)
        if number is not None and int(number) > pattern.groups:
            return f"No group {number}", OUT_OF_BOUNDS
        if name is not None and name not in pattern.groupindex:
            return f"No group with name {{{name}}}", illegal
    if "$" in _GROUP.sub("", replacement):
        return "Illegal group reference", illegal
    return None


class TimestampRouter(RecordTransform):
    class_name = f"{PACKAGE}.TimestampRouter"
    routing = Routing.RECORD
    config_def = ConfigDef(
        (
            Key(
                "topic.format",
                Type.STRING,
                default="${topic}-${timestamp}",
                importance=Importance.HIGH,
                documentation="The new topic, where ${topic} stands for the one there was and ${timestamp} for the timestamp.",
            ),
            Key(
                "timestamp.format",
                Type.STRING,
                default="yyyyMMdd",
                importance=Importance.HIGH,
                documentation="How the timestamp is written: a pattern of java.text.SimpleDateFormat.",
            ),
        )
    )

    def configure(self, settings: Settings) -> None:
        self._format = str(settings["topic.format"])
        try:
            self._pattern = java_time.tokens(str(settings["timestamp.format"]))
        except java_time.UnknownPattern as error:
            raise TransformConfigError(f"Illegal pattern {settings['timestamp.format']}: {error}") from error

    def apply(self, record: Record) -> Effect:
        stamp = java_time.formatted(self._pattern, f"unix_millis({record.timestamp})")
        topic = f"replace({sql.text(self._format)}, {sql.text('${topic}')}, {record.topic})"
        told = sql.text("Timestamp missing on record")
        return Effect(
            topic=f"replace({topic}, {sql.text('${timestamp}')}, {stamp})",
            failures=(Failure(f"CASE WHEN {record.timestamp} IS NULL THEN {told} END"),),
        )
