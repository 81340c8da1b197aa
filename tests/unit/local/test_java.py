from pathlib import Path

import pytest

from local import java


def fake_java(folder: Path, banner: str, code: int = 0) -> Path:
    """An executable that answers as `java -version` does: on stderr."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "java"
    file.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{banner}\nEND\nexit {code}\n")
    file.chmod(0o755)
    return file


@pytest.mark.parametrize(
    ("banner", "major"),
    [
        ('java version "1.8.0_371"', 8),
        ('openjdk version "11.0.21" 2023-10-17', 11),
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('openjdk version "21" 2023-09-19', 21),
        ('openjdk version "25-ea" 2025-09-16', 25),
        ('Picked up _JAVA_OPTIONS: -Xmx1g\nopenjdk version "17.0.1" 2021-10-19', 17),
        ("The operation couldn't be completed. Unable to locate a Java Runtime.", None),
        ("", None),
    ],
)
def test_major_version(banner: str, major: int | None) -> None:
    assert java.major_version(banner) == major


def test_java_home_comes_before_the_path(tmp_path: Path) -> None:
    at_home = fake_java(tmp_path / "home" / "bin", 'openjdk version "21.0.1"')
    on_path = fake_java(tmp_path / "path", 'openjdk version "17.0.1"')
    environment = {"PATH": f"{on_path.parent}:/bin:/usr/bin"}

    assert java.find({**environment, "JAVA_HOME": str(tmp_path / "home")}) == java.Java(at_home, 21)
    assert java.find(environment) == java.Java(on_path, 17)


def test_too_old_names_the_java_and_its_version(tmp_path: Path) -> None:
    old = fake_java(tmp_path, 'openjdk version "11.0.21" 2023-10-17')
    with pytest.raises(java.JavaUnusable) as raised:
        java.find({"PATH": f"{tmp_path}:/bin:/usr/bin"})
    assert str(raised.value) == f"{old} is Java 11, too old: install Java 17 or later, or set JAVA_HOME to where it is."


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(java.JavaUnusable, match=r"^Java is missing: install Java 17 or later"):
        java.find({"PATH": str(tmp_path)})


def test_a_java_home_that_holds_no_java_is_not_passed_over(tmp_path: Path) -> None:
    on_path = fake_java(tmp_path / "path", 'openjdk version "17.0.1"')
    with pytest.raises(java.JavaUnusable, match=r"^JAVA_HOME is /nowhere, which holds no bin/java"):
        java.find({"PATH": str(on_path.parent), "JAVA_HOME": "/nowhere"})


def test_the_stub_that_only_says_where_to_get_java(tmp_path: Path) -> None:
    fake_java(tmp_path, "Unable to locate a Java Runtime.", code=1)
    with pytest.raises(java.JavaUnusable, match="does not answer `-version`"):
        java.find({"PATH": f"{tmp_path}:/bin:/usr/bin"})


def test_home_is_where_the_executable_really_is(tmp_path: Path) -> None:
    real = fake_java(tmp_path / "jdk" / "bin", 'openjdk version "17.0.1"')
    (tmp_path / "jdk" / "lib").mkdir()
    link = tmp_path / "java"
    link.symlink_to(real)

    assert java.Java(link, 17).home == (tmp_path / "jdk").resolve()
    assert java.Java(fake_java(tmp_path / "shims", ""), 17).home is None
