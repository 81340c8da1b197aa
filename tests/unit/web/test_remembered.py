"""Answers that are given again: what they depend on, and what a connection does with them."""

import socket
from collections.abc import Iterator
from itertools import count

import httpx
import pytest

from tests.unit.web.test_server import StartResponse, served
from web.remembered import Headers, Remembered

ANY: Headers = ((b"host", b"here"),)


class Made:
    """What answers are made of. `thing` is replaced where something changes."""

    def __init__(self) -> None:
        self.thing: tuple[object, ...] | None = (object(),)

    def __call__(self, target: bytes) -> tuple[object, ...] | None:
        return self.thing


@pytest.fixture
def made() -> Made:
    return Made()


def keep(memory: Remembered, target: bytes = b"/a", headers: Headers = ANY, answer: bytes = b"answer") -> None:
    of = memory.made_of("GET", target, headers)
    assert of is not None
    memory.keep(target, headers, of, answer)


def test_an_answer_is_given_again_until_something_changes(made: Made) -> None:
    memory = Remembered(made)
    assert memory.find(b"/a", ANY) is None
    keep(memory)
    assert memory.find(b"/a", ANY) == b"answer"
    made.thing = (object(),)
    assert memory.find(b"/a", ANY) is None
    keep(memory, answer=b"another")
    assert memory.find(b"/a", ANY) == b"another"
    made.thing = None
    assert memory.find(b"/a", ANY) is None


def test_what_changes_while_an_answer_is_made_makes_it_an_old_one(made: Made) -> None:
    memory = Remembered(made)
    before = memory.made_of("GET", b"/a", ANY)
    made.thing = (object(),)
    assert before is not None
    memory.keep(b"/a", ANY, before, b"answer")
    assert memory.find(b"/a", ANY) is None


def test_equal_is_not_the_same(made: Made) -> None:
    memory = Remembered(made)
    made.thing = ([],)
    keep(memory)
    made.thing = ([],)
    assert memory.find(b"/a", ANY) is None


@pytest.mark.parametrize("other", [(b"/b", ANY), (b"/a", ()), (b"/a", (*ANY, (b"origin", b"there"))), (b"/a?x", ANY)])
def test_another_question_has_another_answer(made: Made, other: tuple[bytes, Headers]) -> None:
    memory = Remembered(made)
    keep(memory)
    assert memory.find(*other) is None


@pytest.mark.parametrize(
    ("method", "more"),
    [
        ("PUT", ()),
        ("HEAD", ()),
        ("GET", ((b"prefer", b"wait=5"),)),
        ("GET", ((b"content-length", b"2"),)),
        ("GET", ((b"transfer-encoding", b"chunked"),)),
    ],
)
def test_what_is_never_remembered(made: Made, method: str, more: Headers) -> None:
    assert Remembered(made).made_of(method, b"/a", (*ANY, *more)) is None


def test_it_takes_only_so_much_memory(made: Made) -> None:
    memory = Remembered(made, largest=100)
    for name in (b"/a", b"/b"):
        keep(memory, name, answer=b"x" * 50)
    keep(memory, b"/a", answer=b"y" * 40)
    assert (memory.find(b"/a", ANY), memory.find(b"/b", ANY)) == (b"y" * 40, None)
    keep(memory, b"/c", answer=b"x" * 60)
    assert [memory.find(name, ANY) is not None for name in (b"/a", b"/b", b"/c")] == [True, False, True]


@pytest.fixture
def counted(made: Made) -> Iterator[str]:
    """The URL of a server whose every answer is made with another number."""
    numbers = count()

    def application(environ: dict[str, str], start_response: StartResponse) -> list[bytes]:
        start_response("404 Not Found" if environ["PATH_INFO"] == "/none" else "200 OK", [("X-One", "1")])
        return [str(next(numbers)).encode()]

    with served(application, made_of=made) as (host, port):
        yield f"http://{host}:{port}"


def test_a_connection_goes_on(counted: str, made: Made) -> None:
    with httpx.Client(base_url=counted) as client:
        first, second = client.get("/a"), client.get("/a")
        assert (first.text, second.text) == ("0", "0")
        assert {**first.headers, "date": ""} == {**second.headers, "date": ""}
        assert [client.get("/b").text, client.put("/a").text, client.get("/a").text] == ["1", "2", "0"]
        made.thing = (object(),)
        assert [client.get("/a").text, client.get("/a").text, client.get("/none").text, client.get("/none").text] == list("3345")
        made.thing = None
        assert [client.get("/a").text, client.get("/a").text] == ["6", "7"]


def test_requests_that_are_sent_at_once_are_answered_in_their_order(counted: str) -> None:
    def ask(path: str, more: str = "") -> bytes:
        return f"GET {path} HTTP/1.1\r\nHost: x\r\n{more}\r\n".encode()

    url = httpx.URL(counted)
    with socket.create_connection((url.host, url.port)) as connection, connection.makefile("rb") as answers:
        connection.sendall(ask("/a"))
        assert body(answers) == b"0"
        connection.sendall(ask("/a") + ask("/b") + ask("/a") + ask("/a") + ask("/a", "Connection: close\r\n"))
        # The second to last have to wait for `/b`, so that they are made anew.
        assert [body(answers) for _ in range(2)] == [b"0", b"1"]
        assert len([body(answers) for _ in range(3)]) == 3
        assert answers.read() == b""


def body(answers: object) -> bytes:
    """Of the next answer, all of which has a length."""
    lines = iter(answers.readline, b"\r\n")  # type: ignore[attr-defined]
    length = next(int(line.split(b":")[1]) for line in list(lines) if line.lower().startswith(b"content-length"))
    found: bytes = answers.read(length)  # type: ignore[attr-defined]
    return found
