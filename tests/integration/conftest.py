"""What the tests against a complete Drover share."""

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from connect_client import ConnectClient
from tests.running import RunningDrover

MakeFile = Callable[[Path, int], Path]


@pytest.fixture
def client(drover: RunningDrover) -> Iterator[ConnectClient]:
    """The REST API of the running Drover; every connector made by the test is deleted at its end."""
    with ConnectClient(drover.url) as client:
        before = set(client.connectors())
        yield client
        for name in set(client.connectors()) - before:
            client.delete(name)


@pytest.fixture
def unique() -> str:
    return uuid.uuid4().hex[:8]


def write_lines(path: Path, count: int, first: int = 0) -> None:
    """Numbered lines of about 110 bytes, some of them odd: empty ones, other alphabets, bytes that are no UTF-8."""
    odd = {7: b"", 8: "žluťoučký kůň 🐎".encode(), 9: b"\xff\xfe raw \x80"}
    with path.open("ab") as file:
        file.writelines(odd.get(number, b"%09d " % number + b"x" * 100) + b"\n" for number in range(first, first + count))


def source(name: str, file: Path, topic: str) -> dict[str, str]:
    return {"name": name, "connector.class": "FileStreamSource", "tasks.max": "1", "file": str(file), "topic": topic}


def sink(name: str, file: Path, topic: str) -> dict[str, str]:
    return {"name": name, "connector.class": "FileStreamSink", "tasks.max": "1", "file": str(file), "topics": topic}
