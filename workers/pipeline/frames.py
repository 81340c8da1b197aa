"""Plans carried out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from workers.data.chain import Projection

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_NAME, _FAILED, _SEEN = "records", "count_if(error IS NOT NULL) AS failed", "count(*) AS seen"

_numbers = count(1)


class Steps:
    """Projections of a DataFrame: several as one statement, which takes half of what it takes to plan them one by one; for a
    single one that would cost more than it saves."""

    def __init__(self, projections: Sequence[Projection]) -> None:
        self._projections = projections
        self._head = self._tail = ""
        for one in projections:
            self._head = f"SELECT {', '.join(one.expressions())} FROM {f'({self._head}' if self._head else ''}"
            self._tail += f"{' WHERE ' + one.where if one.where else ''})"
        self._tail = self._tail.removesuffix(")")

    def __call__(self, frame: DataFrame) -> DataFrame:
        if not self._projections:
            return frame
        if len(self._projections) == 1:
            (only,) = self._projections
            return (frame.where(only.where) if only.where else frame).selectExpr(*only.expressions())
        name = f"drover_batch_{next(_numbers)}"
        frame.createTempView(name)
        try:
            return frame.sparkSession.sql(f"{self._head}{name}{self._tail}")
        finally:
            frame.sparkSession.catalog.dropTempView(name)


def observing(frame: DataFrame, output: Callable[[DataFrame], DataFrame]) -> tuple[DataFrame, Any]:
    """The output, and what `observed` is asked with when it has been written.

    Spark tells what it counted only to who holds the plan that was carried out, and what a connector's write carries out is a
    copy of the plan that it is given. So it is given one that is planned already: its count stays within reach, whichever way it
    is written.
    """
    from pyspark.sql.classic.dataframe import DataFrame
    from pyspark.sql.functions import expr

    spark = frame.sparkSession
    counted = output(frame.observe(_NAME, expr(_FAILED), expr(_SEEN)))
    planned = counted._jdf.queryExecution()
    rows = spark._jsparkSession.internalCreateDataFrame(planned.toRdd(), counted._jdf.schema(), False)
    return DataFrame(rows, spark), planned


def observed(planned: Any) -> int | None:
    """How many records had an error; None if none was looked at."""
    found = planned.observedMetrics().get(_NAME)
    if found.isEmpty() or not found.get().getLong(1):
        return None
    return int(found.get().getLong(0))
