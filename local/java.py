"""Finds the Java that Spark and the broker will run on."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

OLDEST = 17
_VERSION = re.compile(r'version "(\d+)(?:\.(\d+))?')


class JavaUnusable(Exception):
    """No Java, or one that is too old; the message is for the user."""


@dataclass(frozen=True)
class Java:
    executable: Path
    major: int

    @property
    def home(self) -> Path | None:
        """The `JAVA_HOME` this executable belongs to; unknown for a wrapper script somewhere on the PATH."""
        home = self.executable.resolve().parent.parent
        return home if (home / "bin" / "java").exists() and (home / "lib").is_dir() else None


def major_version(banner: str) -> int | None:
    """The major version in what `java -version` prints: 8 for `1.8.0_371`, 17 for `17.0.15`; None if it names none."""
    found = _VERSION.search(banner)
    if not found:
        return None
    first, second = int(found[1]), found[2]
    return int(second) if first == 1 and second else first


def executable(environment: Mapping[str, str]) -> Path:
    """`JAVA_HOME` first, as Spark does it, then the PATH."""
    home = environment.get("JAVA_HOME")
    if home:
        java = Path(home) / "bin" / "java"
        if not java.exists():
            raise JavaUnusable(
                f"JAVA_HOME is {home}, which holds no bin/java: correct it, or unset it to use the java on the PATH."
            )
        return java
    found = shutil.which("java", path=environment.get("PATH"))
    if not found:
        raise JavaUnusable(f"Java is missing: install Java {OLDEST} or later, or set JAVA_HOME to where it is.")
    return Path(found)


def find(environment: Mapping[str, str] = os.environ) -> Java:
    """The Java to use.

    Raises JavaUnusable: there is none, it does not run, or it is too old.
    """
    java = executable(environment)
    try:
        answer = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise JavaUnusable(f"{java} does not run ({error}): install Java {OLDEST} or later.") from error
    major = major_version(answer.stderr + answer.stdout)
    if answer.returncode != 0 or major is None:
        raise JavaUnusable(f"{java} does not answer `-version`: install Java {OLDEST} or later, or set JAVA_HOME to where it is.")
    if major < OLDEST:
        raise JavaUnusable(f"{java} is Java {major}, too old: install Java {OLDEST} or later, or set JAVA_HOME to where it is.")
    return Java(java, major)
