import os
import stat
from pathlib import Path

import pytest

from local import jars
from local.java import Java

IVY_OUTPUT = """\
:: loading settings :: url = jar:file:/ivy.jar!/org/apache/ivy/core/settings/ivysettings.xml
downloading somewhere/kafka-clients-4.3.0.jar ...
......... (9801kB)
.. (0kB)
\t[SUCCESSFUL ] org.apache.kafka#kafka-clients;4.3.0!kafka-clients.jar (310ms)
\t[SUCCESSFUL ] org.xerial.snappy#snappy-java;1.1.10.7!snappy-java.jar(bundle) (80ms)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "ivy.xml").write_text("<ivy-module/>")
    return tmp_path


def fake_java(folder: Path, script: str) -> Java:
    """A java that does in the current folder what Ivy would."""
    file = folder / "java"
    file.write_text(f"#!/bin/sh\necho run >> {folder}/runs\n{script}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return Java(file, 17)


def runs(folder: Path) -> int:
    return len((folder / "runs").read_text().splitlines())


def test_progress_counts_what_is_downloaded() -> None:
    fetched = jars.Fetched()
    told = [fetched.note(line) for line in IVY_OUTPUT.splitlines()]
    assert told == [False, False, False, False, True, True]
    assert (fetched.count, fetched.kilobytes, fetched.latest) == (2, 9801, "snappy-java.jar(bundle)")


def test_fetched_once(project: Path) -> None:
    java = fake_java(project, "mkdir spark broker; touch spark/a.jar broker/b.jar")
    assert jars.fetch(project, java, ["spark", "broker"], lambda _: None) == ["spark", "broker"]
    assert (project / ".jars" / "broker" / "b.jar").exists()
    assert jars.fetch(project, java, ["spark", "broker"], lambda _: None) == []
    assert runs(project) == 1


def test_another_ivy_file_means_other_jars(project: Path) -> None:
    java = fake_java(project, "mkdir spark; touch spark/$(date +%N).jar")
    jars.fetch(project, java, ["spark"], lambda _: None)
    (project / "ivy.xml").write_text("<ivy-module><!-- newer --></ivy-module>")
    assert jars.missing(project, ["spark"]) == ["spark"]
    jars.fetch(project, java, ["spark"], lambda _: None)
    # The old ones are gone: two versions of a jar on one class path are a puzzle for later.
    assert len(list((project / ".jars" / "spark").glob("*.jar"))) == 1


def test_a_half_fetched_folder_is_fetched_again(project: Path) -> None:
    (project / ".jars" / "spark").mkdir(parents=True)
    (project / ".jars" / "spark" / "half.jar").touch()
    assert jars.missing(project, ["spark"]) == ["spark"]


def test_a_failure_says_why_and_leaves_nothing_half_done(project: Path) -> None:
    java = fake_java(project, "mkdir spark; touch spark/a.jar; echo ':: UNRESOLVED DEPENDENCIES ::'; exit 1")
    with pytest.raises(jars.FetchFailed, match=r"^The jars could not be fetched \(UNRESOLVED DEPENDENCIES\)"):
        jars.fetch(project, java, ["spark"], lambda _: None)
    assert os.listdir(project / ".jars") == [".lock"]


def test_ivy_is_the_one_that_pyspark_ships(project: Path) -> None:
    command = jars.ivy_command(project, Java(Path("/usr/bin/java"), 17), ["peer"])
    assert Path(command[2]).is_file()
    assert command[3:7] == ("-ivy", str(project / "ivy.xml"), "-confs", "peer")
