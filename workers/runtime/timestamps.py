"""Records that keep their timestamps: Spark's Kafka sink takes topic, partition, key, value and headers of a row, and no more.

So a record's timestamp travels as a header, and an interceptor of the producer's turns it into what it is. The interceptor is the
only Java there is here: compiled by what Spark itself compiles its queries with, so that no compiler has to be there.
"""

import threading
import zipfile
from pathlib import Path
from tempfile import mkdtemp

from pyspark.sql import DataFrame, SparkSession

_SOURCE = Path(__file__).with_name("RecordTimestamp.java")
_CLASS = "drover.RecordTimestamp"
_HEADERS = "array<struct<key:string,value:binary>>"
_TIMESTAMP = "named_struct('key', 'drover.timestamp', 'value', cast(cast(unix_millis(timestamp) AS string) AS binary))"
_WITH_TIMESTAMP = f"""
CASE WHEN coalesce(unix_millis(timestamp), -1) < 0 THEN headers WHEN headers IS NULL THEN array({_TIMESTAMP})
ELSE concat(headers, array({_TIMESTAMP})) END AS headers
"""

_added: set[str] = set()
_lock = threading.Lock()


def as_headers(records: DataFrame) -> tuple[DataFrame, dict[str, str]]:
    """The rows, their `timestamp` among their headers, and the producer's properties that make it what it was."""
    if "timestamp" not in records.columns:
        return records, {}
    _add_interceptor(records.sparkSession)
    others = [f"`{name}`" for name in records.columns if name not in ("timestamp", "headers")]
    given = records if "headers" in records.columns else records.selectExpr("*", f"cast(null AS {_HEADERS}) AS headers")
    return given.selectExpr(*others, _WITH_TIMESTAMP), {"interceptor.classes": _CLASS}


def _add_interceptor(spark: SparkSession) -> None:
    """To what Spark's executors load. Once for a driver."""
    context = spark.sparkContext
    with _lock:
        if context.applicationId not in _added:
            context._jsc.sc().addJar(_compiled(spark))
            _added.add(context.applicationId)


def _compiled(spark: SparkSession) -> str:
    """The path of a jar, among Spark's own passing files."""
    folder = mkdtemp(prefix="drover-", dir=spark.sparkContext.getConf().get("spark.local.dir", None))
    jvm = spark.sparkContext._jvm
    compiler = jvm.org.codehaus.janino.SimpleCompiler()  # type: ignore[union-attr]
    compiler.setParentClassLoader(jvm.java.lang.Thread.currentThread().getContextClassLoader())  # type: ignore[union-attr]
    compiler.cook(_SOURCE.read_text())
    jar = Path(folder) / "record-timestamp.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        for name, content in compiler.getBytecodes().items():
            archive.writestr(f"{name.replace('.', '/')}.class", bytes(content))
    return str(jar)
