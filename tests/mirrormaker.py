"""MirrorMaker 2's own classes, called from tests in a JVM of their own."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyspark
from py4j.java_gateway import JavaGateway

from tests.jvm import own_errors
from tests.running import PROJECT


@contextmanager
def mirrormaker() -> Iterator[JavaGateway]:
    py4j = next((Path(pyspark.__file__).parent / "jars").glob("py4j*.jar"))
    classes = [*(PROJECT / ".jars" / "peer").glob("*.jar"), py4j]
    gateway = JavaGateway.launch_gateway(
        classpath=":".join(map(str, classes)), jarpath=str(py4j), javaopts=["-Xmx256m"], die_on_exit=True
    )
    try:
        with own_errors():
            yield gateway
    finally:
        gateway.shutdown()


def java_map(jvm: Any, values: Mapping[str, object]) -> Any:
    made = jvm.java.util.HashMap()
    for key, value in values.items():
        made.put(key, java_map(jvm, value) if isinstance(value, dict) else value)
    return made
