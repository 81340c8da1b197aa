"""The predicates that ship with Apache Kafka Connect: which records a transform is for (KIP-585)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from workers.connectors.configdef import ConfigDef, Key, Type
from workers.connectors.validators import all_of, non_empty
from workers.data import sql
from workers.data.records import Record
from workers.transforms.base import PACKAGE, Settings
from workers.transforms.validators import java_regex, whole


class RecordPredicate(ABC):
    class_name: ClassVar[str]
    config_def: ClassVar[ConfigDef] = ConfigDef()

    def __init__(self, settings: Settings) -> None:
        self.name = self.class_name
        self.settings = settings

    @abstractmethod
    def test(self, record: Record) -> str:
        """SQL, true or false, never null."""


class HasHeaderKey(RecordPredicate):
    class_name = f"{PACKAGE}.predicates.HasHeaderKey"
    config_def = ConfigDef((Key("name", Type.STRING, documentation="The header's name.", validator=non_empty),))

    def test(self, record: Record) -> str:
        return f"coalesce(exists({record.headers}, h -> h.key = {sql.text(str(self.settings['name']))}), false)"


class RecordIsTombstone(RecordPredicate):
    class_name = f"{PACKAGE}.predicates.RecordIsTombstone"

    def test(self, record: Record) -> str:
        return f"{record.value.sql} IS NULL"


class TopicNameMatches(RecordPredicate):
    class_name = f"{PACKAGE}.predicates.TopicNameMatches"
    config_def = ConfigDef(
        (
            Key(
                "pattern",
                Type.STRING,
                documentation="What the topic's whole name must look like.",
                validator=all_of(non_empty, java_regex),
            ),
        )
    )

    def test(self, record: Record) -> str:
        pattern = sql.text(whole(str(self.settings["pattern"])))
        return f"coalesce({record.topic} RLIKE {pattern}, false)"


PREDICATES = (HasHeaderKey, RecordIsTombstone, TopicNameMatches)
