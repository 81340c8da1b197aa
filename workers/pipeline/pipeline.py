"""What stands between a task and Kafka: made once for a task, asked for every batch."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workers.connectors.base import ConnectError
from workers.data import sql
from workers.data.chain import Projection
from workers.data.records import Data, DataError, Record, Routing
from workers.data.spark_types import schema_of, spark_type
from workers.pipeline.conversion import Conversion
from workers.pipeline.failures import ORIGIN, or_raise
from workers.pipeline.frames import Steps, observed, observing
from workers.pipeline.plans import NOTHING, RAW, UNKNOWN_SCHEMA, Given, Plan, Texts, reading, sink_plan, source_plan

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: What a batch may hold at most. Each schema makes its plan longer; where each record has one of its own, nothing can be planned.
MOST_SCHEMAS = 100


class Shaped:
    """A batch's records as they are to be written."""

    def __init__(self, frame: DataFrame, counter: Any = None) -> None:
        self.frame = frame
        self._counter = counter

    def failed(self) -> int | None:
        """How many records were left out because something is wrong with them; asked when the frame has been written. None where
        nobody can tell: whoever wrote it did not look at it."""
        return 0 if self._counter is None else observed(self._counter)


class _Compiled:
    """A plan, ready for Spark, in the forms that it is needed in."""

    def __init__(self, plan: Plan, *, tolerates_all: bool) -> None:
        self._plan = plan
        self._counts = plan.may_fail and tolerates_all
        wanted = dict(plan.output)
        if plan.may_fail and not tolerates_all:
            wanted |= {name: or_raise(wanted[name]) for name in ("topic", "key", "value")}
        output = Projection(wanted, "error IS NULL" if self._counts else None)
        self._steps = Steps(plan.steps if self._counts else [*plan.steps, output])
        self._output = Steps([output])

    def __call__(self, records: DataFrame) -> Shaped:
        if self._plan.changes_nothing:
            return Shaped(records)
        stepped = self._steps(records)
        return Shaped(*observing(stepped, self._output)) if self._counts else Shaped(stepped)


class _Failing:
    """The records of a batch that are left out: `ORIGIN` and `error`, and of a sink's the `RAW` columns."""

    def __init__(self, plan: Plan, *more: str) -> None:
        self._steps = Steps([*plan.steps, Projection({name: name for name in (ORIGIN, "error", *more)}, "error IS NOT NULL")])

    def __call__(self, records: DataFrame) -> DataFrame:
        return self._steps(records)


class SourcePipeline:
    """Tasks whose `key` is the same make the same of the same records."""

    def __init__(self, conversion: Conversion, *, tolerates_all: bool = False, shows_records: bool = False) -> None:
        self._conversion = conversion
        self._tolerates_all = tolerates_all
        self._shows_records = shows_records
        self.key: Hashable = (conversion.identity, tolerates_all, shows_records)
        self._routing = [link for link in conversion.links if link.routing is not Routing.NONE]
        #: Whether only a record itself can tell which topic it goes to.
        self.routes_records = any(link.routing is Routing.RECORD for link in self._routing)
        self._destinations: dict[str, str] = {}
        self._compiled: dict[str, _Compiled] = {}

    def outgoing(self, records: DataFrame) -> Shaped:
        """Of a source's columns what Kafka's sink takes. Raises ConnectError for columns that nothing can be made of; as a job,
        `failures.failure_in` tells what it raised."""
        told = records._jdf.schema().json()
        if (found := self._compiled.get(told)) is None:
            found = self._compiled[told] = _Compiled(self._plan(told), tolerates_all=self._tolerates_all)
        return found(records)

    def destinations(self, spark: SparkSession, topics: Iterable[str]) -> list[str]:
        """Where a source's records for these topics go, unless that is for each of them to tell. Java's patterns are Spark's to
        carry out: in its driver, once for each topic."""
        if not self._routing:
            return list(topics)
        if new := [topic for topic in topics if topic not in self._destinations]:
            values = ", ".join(f"({sql.text(topic)})" for topic in new)
            rows = spark.sql(f"SELECT col1 AS given, col1 AS topic FROM VALUES {values}")
            for link in self._routing:
                to = link.transform.apply(Record(NOTHING, NOTHING)).topic
                rows = rows.selectExpr("given", f"{to or 'topic'} AS topic")
            self._destinations |= {row.given: row.topic for row in rows.collect()}
        return [self._destinations[topic] for topic in topics]

    def failing(self, records: DataFrame) -> DataFrame:
        """Of the same records those that were left out, with their origin and their error."""
        return _Failing(self._plan(records._jdf.schema().json()))(records)

    def _plan(self, told: str) -> Plan:
        return source_plan(given(told), self._conversion, shows_records=self._shows_records)


# Of these the type that stands for the schema is another one.
_OTHER_TYPE = re.compile(r"decimal\(|char\(|timestamp_ntz|collate")


def given(told: str) -> Given:
    """Of a DataFrame's schema as JSON. Raises ConnectError."""
    from pyspark.sql.types import StructType

    fields = {field.name: field for field in StructType.fromJson(json.loads(told))}
    if missing := [name for name in ("topic", "key", "value") if name not in fields]:
        raise ConnectError(f"A source's records have columns topic, key and value: {', '.join(missing)} is missing")
    data: list[Data] = []
    for field in (fields["key"], fields["value"]):
        if field.dataType.typeName() == "void":
            data.append(NOTHING)
            continue
        try:
            schema = schema_of(field.dataType, nullable=field.nullable)
            exact = not _OTHER_TYPE.search(field.dataType.json())
            data.append(Data(field.name if exact else f"CAST({field.name} AS {spark_type(schema)})", schema))
        except DataError as error:
            raise ConnectError(f"The column {field.name} of the connector's records: {error}") from error
    return Given(data[0], data[1], frozenset(fields))


@dataclass(frozen=True, slots=True)
class _Known:
    """The schemas that a sink's task has met, and what follows from them."""

    texts: Sequence[Texts]
    compiled: _Compiled


class SinkPipeline:
    """See `SourcePipeline`."""

    def __init__(self, conversion: Conversion, *, tolerates_all: bool = False) -> None:
        self._conversion = conversion
        self._tolerates_all = tolerates_all
        self.key: Hashable = (conversion.identity, tolerates_all)
        self._reading = reading(conversion)
        self._asking = Steps([*self._reading.steps, Projection(dict(self._reading.texts))]) if self._reading.texts else None
        self._known: _Known | None = None if self._asking else self._with([Texts()])

    def _with(self, texts: Sequence[Texts]) -> _Known:
        return _Known(texts, _Compiled(sink_plan(texts, self._conversion), tolerates_all=self._tolerates_all))

    def write(self, read: Callable[[], DataFrame], write: Callable[[DataFrame], None]) -> Shaped:
        """Reads and writes one batch, perhaps twice: where a schema turns up in it that was not known. Raises ConnectError for
        schemas that do not go together, and whatever `write` raises; `failures.failure_in` tells of what a job raised."""
        while True:
            shaped = self.incoming(read())
            try:
                write(shaped.frame)
            except Exception as error:
                if not self.learns(error, read):
                    raise
            else:
                return shaped

    def incoming(self, records: DataFrame) -> Shaped:
        """Of Kafka's columns those that a connector gets. Asks the batch which schemas it holds if none is known yet; one that
        comes later ends the job, and `learns` from that."""
        if self._known is None:
            self._learn(records)
        assert self._known is not None
        return self._known.compiled(records)

    def learns(self, error: BaseException, records: Callable[[], DataFrame]) -> bool:
        """Whether a job ended because of a schema that was not known and now is: the same batch may be done again."""
        if self._known is None or UNKNOWN_SCHEMA not in str(error):
            return False
        before = len(self._known.texts)
        self._learn(records())
        return len(self._known.texts) > before

    def _learn(self, records: DataFrame) -> None:
        assert self._asking is not None
        rows = self._asking(records).distinct().limit(MOST_SCHEMAS + 1).collect()
        found = {Texts(**row.asDict()) for row in rows} | set(self._known.texts if self._known else ())
        if len(found) > MOST_SCHEMAS:
            raise ConnectError(f"The connector's records have more than {MOST_SCHEMAS} schemas")
        # An empty batch has none, and nothing to be converted either.
        self._known = self._with(sorted(found, key=lambda one: (one.key or "", one.value or "")) or [Texts()])

    def failing(self, records: DataFrame) -> DataFrame:
        """As a source's, with the bytes and headers as they were read."""
        if self._asking is not None:
            # Its schemas may have been learnt by another task, in a job that was done for both.
            self._learn(records)
        known = self._known
        assert known is not None
        return _Failing(sink_plan(known.texts, self._conversion, keeps_raw=True), *RAW)(records)


Pipeline = SourcePipeline | SinkPipeline
