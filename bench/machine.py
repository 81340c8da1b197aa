"""On what the figures were taken."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

import psutil

from local import java


def facts(project: Path) -> dict[str, object]:
    return {
        "cores": os.cpu_count(),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "load_before": [round(load, 1) for load in os.getloadavg()],
        "system": platform.platform(),
        "python": platform.python_version(),
        "java": java.find().major,
        "pyspark": version("pyspark"),
        "kafka": _jar_version(project / ".jars" / "broker", "kafka_2.13"),
        "connect": _jar_version(project / ".jars" / "peer", "connect-runtime"),
    }


def _jar_version(folder: Path, artifact: str) -> str:
    jar = next(folder.glob(f"{artifact}-*.jar"), None)
    return jar.stem.removeprefix(f"{artifact}-") if jar else "?"
