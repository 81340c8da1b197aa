"""The few Java classes of Drover's own: compiled by what Spark itself compiles its queries with, so that no compiler has to be
there."""

import threading
import zipfile
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from pyspark.sql import SparkSession

_FOLDER = Path(__file__).parent

#: Application and class.
_in_driver: set[tuple[str, str]] = set()
_in_executors: set[tuple[str, str]] = set()
_lock = threading.Lock()


def for_driver(spark: SparkSession, name: str) -> str:
    """Compiles `<name>.java`, once for a driver; the class's full name. Executors in the driver's own process know it as well."""
    with _lock:
        if (key := (spark.sparkContext.applicationId, name)) not in _in_driver:
            jvm: Any = spark.sparkContext._jvm
            jvm.java.lang.Thread.currentThread().getContextClassLoader().addURL(jvm.java.net.URL(_compiled(spark, name).as_uri()))
            _in_driver.add(key)
    return f"drover.{name}"


def for_executors(spark: SparkSession, name: str) -> str:
    """Likewise, for all executors, and for them alone."""
    with _lock:
        if (key := (spark.sparkContext.applicationId, name)) not in _in_executors:
            spark.sparkContext._jsc.sc().addJar(str(_compiled(spark, name)))
            _in_executors.add(key)
    return f"drover.{name}"


def _compiled(spark: SparkSession, name: str) -> Path:
    """A jar, among Spark's own passing files."""
    folder = mkdtemp(prefix="drover-", dir=spark.sparkContext.getConf().get("spark.local.dir", None))
    jvm: Any = spark.sparkContext._jvm
    compiler = jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(jvm.java.lang.Thread.currentThread().getContextClassLoader())
    compiler.cook((_FOLDER / f"{name}.java").read_text())
    jar = Path(folder) / f"{name}.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        for compiled, content in compiler.getBytecodes().items():
            archive.writestr(f"{compiled.replace('.', '/')}.class", bytes(content))
    return jar
