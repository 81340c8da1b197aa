"""What a converter is: it makes typed columns of a record's bytes, and bytes of typed columns, as SQL. Pure.

A sink's column of bytes passes three steps. `parse` is done once for each record, in a projection of its own: what the other two
look at. `schema_text` tells which schema a record has; the distinct texts of a batch are asked for before it is compiled. For
each of them `decode` gives the typed column and what is wrong with a record. Where `schema_text` is None there is one schema
always, and `decode` is called once with None.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from workers.data.records import Data, Failure

#: Of the session that runs a converter's SQL. Texts are decoded and encoded as Java does it: by any charset that it knows, with a
#: substitute for what is malformed. Of fields with one name, or entries with one key, the last one counts. `${env:…}` in a text
#: that comes out of a record or a config stays that text.
SESSION_OPTIONS = {
    "spark.sql.legacy.javaCharsets": "true",
    "spark.sql.legacy.codingErrorAction": "true",
    "spark.sql.variant.allowDuplicateKeys": "true",
    "spark.sql.variable.substitute": "false",
    "spark.sql.mapKeyDedupPolicy": "LAST_WIN",
    "spark.sql.chunkBase64String.enabled": "false",
    # A time without a zone is UTC everywhere, whatever the machine's is.
    "spark.sql.session.timeZone": "UTC",
}


@dataclass(frozen=True, slots=True)
class Decoded:
    """The typed column, which counts only where none of the failures (the first that is not null) tells of one."""

    data: Data
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True)
class Encoded:
    """`sql` gives bytes, null for Kafka's null. The failures are as `Decoded`'s."""

    sql: str
    failures: tuple[Failure, ...] = ()


class Converter(Protocol):
    """A converter with its configuration (`org.apache.kafka.connect.storage.Converter`). Its SQL is over columns by name, and
    may name them often; it never raises."""

    @property
    def name(self) -> str:
        """Its class, by Kafka Connect's name."""
        ...

    def parse(self, column: str) -> str:
        """Of the bytes, SQL of what `schema_text` and `decode` are asked with: once it has a column of its own."""
        ...

    def schema_text(self, parsed: str) -> str | None:
        """SQL of a text that is the same for all records of one schema, null for records that name none."""
        ...

    def decode(self, parsed: str, schema_text: str | None = None) -> Decoded:
        """Of the records whose `schema_text` is the one given. Raises DataError where none of them can be decoded."""
        ...

    def encode(self, data: Data) -> Encoded:
        """Also of a header's value, for a header converter. Raises DataError where data of that schema never can be encoded."""
        ...


class OneSchema:
    """For converters that always give the same schema, and parse nothing."""

    def parse(self, column: str) -> str:
        return column

    def schema_text(self, parsed: str) -> str | None:
        return None
