"""What the tests against a complete Drover share."""

import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from connect_client import ConnectClient
from tests.running import RunningDrover
from tests.waiting import eventually
from workers.runtime import pyspark_loggers

MakeFile = Callable[[Path, int], Path]


@pytest.fixture(scope="session", autouse=True)
def unheard() -> None:
    """As in a worker. PySpark's own loggers would also give pytest's one handler another format, for every test after."""
    pyspark_loggers.silence()


@pytest.fixture
def client(drover: RunningDrover) -> Iterator[ConnectClient]:
    """The REST API of the running Drover; every connector made by the test is deleted at its end."""
    with drover.client() as client:
        yield client


@pytest.fixture
def unique() -> str:
    return uuid.uuid4().hex[:8]


@pytest.fixture(scope="module")
def elsewhere(other_kafka: str) -> str:
    """The bootstrap servers of another broker."""
    return other_kafka


def write_lines(path: Path, count: int, first: int = 0) -> None:
    """Numbered lines of about 110 bytes, some of them odd: empty ones, other alphabets, bytes that are no UTF-8."""
    odd = {7: b"", 8: "žluťoučký kůň 🐎".encode(), 9: b"\xff\xfe raw \x80"}
    with path.open("ab") as file:
        file.writelines(odd.get(number, b"%09d " % number + b"x" * 100) + b"\n" for number in range(first, first + count))


@contextmanager
def appending(path: Path) -> Iterator[None]:
    """Meanwhile somebody writes numbered lines to the file, about two hundred a second, each in one go."""
    ended = threading.Event()

    def append() -> None:
        number = 0
        with path.open("ab", buffering=0) as file:
            while not ended.wait(0.005):
                file.write(b"%09d a line\n" % number)
                number += 1

    thread = threading.Thread(target=append, name=f"appending to {path.name}")
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def wait_for_more(copy: Path) -> None:
    """Until lines that were appended just now have gone all the way into the copy."""
    before = copy.stat().st_size if copy.exists() else 0
    eventually(lambda: copy.exists() and copy.stat().st_size > before + 2000, f"More in {copy.name}")


def source(name: str, file: Path, topic: str) -> dict[str, str]:
    return {"name": name, "connector.class": "FileStreamSource", "tasks.max": "1", "file": str(file), "topic": topic}


def sink(name: str, file: Path, topic: str) -> dict[str, str]:
    return {"name": name, "connector.class": "FileStreamSink", "tasks.max": "1", "file": str(file), "topics": topic}
