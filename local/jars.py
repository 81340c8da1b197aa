"""Fetches the jars that `ivy.xml` names, with the Ivy that PySpark ships; one folder per configuration, `.jars/<conf>/`."""

import fcntl
import hashlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from local.java import Java

MARKER = ".complete"
CONFIGURATIONS = ("spark", "broker", "peer", "older")
_FETCHED = re.compile(r"\[SUCCESSFUL ] \S+!(\S+) ")
_SIZE = re.compile(r"\((\d+)kB\)")


class FetchFailed(Exception):
    """Ivy could not get a jar; the message is for the user."""


@dataclass
class Fetched:
    """What Ivy has downloaded so far; jars already in its cache are not counted, as they cost no wait."""

    count: int = 0
    kilobytes: int = 0
    latest: str = ""

    def note(self, line: str) -> bool:
        """Takes a line of Ivy's output; whether it told of a further jar."""
        if size := _SIZE.search(line):
            self.kilobytes += int(size[1])
        if not (found := _FETCHED.search(line)):
            return False
        self.count += 1
        self.latest = found[1]
        return True


def fingerprint(ivy_file: Path) -> str:
    """Changes whenever another set of jars may be wanted."""
    return hashlib.sha256(ivy_file.read_bytes()).hexdigest()


def missing(project: Path, confs: Iterable[str]) -> list[str]:
    """The configurations whose folder is not complete for the `ivy.xml` of now."""
    wanted = fingerprint(project / "ivy.xml")
    return [conf for conf in confs if _fingerprint_of(project / ".jars" / conf) != wanted]


def _fingerprint_of(folder: Path) -> str | None:
    marker = folder / MARKER
    return marker.read_text() if marker.exists() else None


def fetch(project: Path, java: Java, confs: Iterable[str], report: Callable[[Fetched], None]) -> list[str]:
    """Makes the folders of `confs` complete and returns those that had to be fetched.

    Raises FetchFailed.
    """
    jars = project / ".jars"
    jars.mkdir(exist_ok=True)
    # Two installations may share this project: the second one finds the work done.
    with _lock(jars / ".lock"):
        wanted = missing(project, confs)
        if wanted:
            with tempfile.TemporaryDirectory(dir=jars, prefix=".fetching-") as folder:
                _run_ivy(project, java, wanted, Path(folder), report)
                for conf in wanted:
                    _put_in_place(Path(folder) / conf, jars / conf, fingerprint(project / "ivy.xml"))
        return wanted


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    with path.open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def _put_in_place(fetched: Path, folder: Path, mark: str) -> None:
    """The marker goes in before the rename: a folder is either complete or not there."""
    (fetched / MARKER).write_text(mark)
    if folder.exists():
        shutil.rmtree(folder)
    fetched.rename(folder)


def ivy_command(project: Path, java: Java, confs: Iterable[str]) -> tuple[str, ...]:
    """To be run in the folder that the jars shall go to: Ivy would read brackets in a path as its own."""
    spec = find_spec("pyspark")
    if not spec or not spec.origin:
        raise FetchFailed("PySpark is missing from this Python environment: run `make up`, which installs it.")
    ivy = next(iter(sorted((Path(spec.origin).parent / "jars").glob("ivy-*.jar"))), None)
    if not ivy:
        raise FetchFailed("PySpark holds no Ivy: reinstall what requirements.lock names.")
    return (
        *(str(java.executable), "-jar", str(ivy), "-ivy", str(project / "ivy.xml"), "-confs", *confs),
        *("-retrieve", "[conf]/[artifact]-[revision].[ext]", "-types", "jar", "bundle"),
    )


def _run_ivy(project: Path, java: Java, confs: list[str], folder: Path, report: Callable[[Fetched], None]) -> None:
    fetched = Fetched()
    problems: list[str] = []
    command = ivy_command(project, java, confs)
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as ivy:
        assert ivy.stdout is not None
        for line in ivy.stdout:
            if fetched.note(line):
                report(fetched)
            elif "UNRESOLVED" in line or "FAILED" in line or "Exception" in line:
                problems.append(line.strip().strip(":").strip())
    if ivy.returncode != 0 or not all((folder / conf).is_dir() for conf in confs):
        reason = next(iter(problems), f"Ivy ended with code {ivy.returncode}")
        raise FetchFailed(f"The jars could not be fetched ({reason}): check the network and run the command again.")
