"""The REST API's server, on real sockets."""

import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from connect_client import ConnectClient
from local import probes
from web.server import CannotListen, Door, bound, serving

StartResponse = Callable[[str, list[tuple[str, str]]], object]


def hello(environ: dict[str, str], start_response: StartResponse) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [environ["REQUEST_METHOD"].encode()]


def test_it_answers_until_it_is_over() -> None:
    listener = bound("127.0.0.1", 0)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    with pytest.raises(httpx.ConnectError):
        httpx.get(url)
    with serving(hello, [Door(listener)], longest_body=100), httpx.Client() as client:
        response = client.get(url)
        assert (response.text, "Server" in response.headers) == ("GET", False)
        assert client.head(url).content == b""
        # Nobody else gets the port meanwhile.
        with pytest.raises(CannotListen):
            bound("127.0.0.1", listener.getsockname()[1])
    with pytest.raises(httpx.ConnectError):
        httpx.get(url)


def test_what_was_asked_before_the_end_is_answered() -> None:
    asked, go_on = threading.Event(), threading.Event()

    def slow(environ: dict[str, str], start_response: StartResponse) -> Iterable[bytes]:
        asked.set()
        go_on.wait(5)
        return hello(environ, start_response)

    listener = bound("127.0.0.1", 0)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    with ThreadPoolExecutor(1) as pool:
        with serving(slow, [Door(listener)], longest_body=100):
            answer = pool.submit(httpx.get, url)
            assert asked.wait(5)
            threading.Timer(0.2, go_on.set).start()
        assert answer.result(5).text == "GET"


def served(application: Callable[..., Iterable[bytes]], **options: Any) -> Any:
    """`with served(…) as (host, port):`"""

    @contextmanager
    def serve() -> Iterator[tuple[str, int]]:
        listener = bound("127.0.0.1", 0)
        address: tuple[str, int] = listener.getsockname()
        with serving(application, [Door(listener, listener="main")], **{"longest_body": 100, **options}):
            yield address

    return serve()


def told(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
    """What the application was told, as JSON."""
    start_response("200 OK", [("Content-Type", "application/json")])
    body = environ["wsgi.input"].read().decode()
    kept = {name: value for name, value in environ.items() if isinstance(value, str)}
    return [json.dumps({**kept, "body": body}).encode()]


def test_the_application_sees_the_path_as_it_came_too() -> None:
    with served(told) as (host, port):
        connection = http.client.HTTPConnection(host, port)
        connection.request("PUT", "/a%2Fb;c%25/%c5%99?q=%2F", b"text", {"X-One": "1", "X_One": "2", "Content-Type": "a/b"})
        answer = json.loads(connection.getresponse().read())
        connection.close()
    assert answer["REQUEST_URI"] == "/a%2Fb;c%25/%c5%99?q=%2F"
    assert answer["PATH_INFO"].encode("latin-1").decode() == "/a/b;c%/ř"
    assert (answer["REQUEST_METHOD"], answer["QUERY_STRING"], answer["body"]) == ("PUT", "q=%2F", "text")
    assert (answer["CONTENT_TYPE"], answer["CONTENT_LENGTH"], answer["HTTP_X_ONE"]) == ("a/b", "4", "1")
    assert (answer["drover.listener"], answer["wsgi.url_scheme"], answer["SERVER_PORT"]) == ("main", "http", str(port))


def chunks(count: int) -> Iterator[bytes]:
    for _ in range(count):
        yield b"x" * 50


@pytest.mark.parametrize("content", [b"x" * 200, chunks(4)], ids=["declared", "in chunks"])
def test_a_body_that_is_too_long_is_not_read(content: Any) -> None:
    with served(told) as (host, port):
        response = httpx.put(f"http://{host}:{port}/", content=content)
    assert response.json()["body"] == ""
    assert int(response.json()["CONTENT_LENGTH"]) > 100
    assert response.headers["Connection"] == "close"


def test_a_body_in_chunks() -> None:
    with served(told) as (host, port):
        assert httpx.put(f"http://{host}:{port}/", content=chunks(2)).json()["body"] == "x" * 100


def test_by_a_socket_of_the_installation(tmp_path: Path) -> None:
    """As the control room and the probes of `up` ask where no listener is without TLS."""
    path = tmp_path / "web.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        with serving(told, [Door(listener)], longest_body=100):
            assert probes.http_answers(f"unix:{path}/health", healthy=True)
            with ConnectClient(f"unix:{path}") as client:
                assert client.config("a/b")["REQUEST_URI"] == "/connectors/a%2Fb/config"


class Streaming:
    """Gives a piece, and the next when it is told to."""

    streaming = True

    def __init__(self) -> None:
        self.go_on, self.closed = threading.Semaphore(1), threading.Event()
        self._left = 3

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> "Streaming":
        start_response("200 OK", [("Content-Type", "text/event-stream")])
        return self

    def __iter__(self) -> "Streaming":
        return self

    def __next__(self) -> bytes:
        self.go_on.acquire(timeout=10)
        self._left -= 1
        if not self._left:
            raise StopIteration
        return b"piece"

    def close(self) -> None:
        self.closed.set()


def test_a_stream_goes_out_piece_by_piece() -> None:
    stream = Streaming()
    with served(stream) as (host, port), httpx.stream("GET", f"http://{host}:{port}/") as response:
        pieces = response.iter_raw()
        assert next(pieces) == b"piece"
        stream.go_on.release()
        assert next(pieces) == b"piece"
        stream.go_on.release()
        assert list(pieces) == []
        assert stream.closed.wait(5)


def test_a_stream_is_closed_when_its_reader_is_gone() -> None:
    stream = Streaming()
    with served(stream) as (host, port):
        with httpx.stream("GET", f"http://{host}:{port}/") as response:
            assert next(response.iter_raw()) == b"piece"
        assert stream.closed.wait(5)


def test_a_stream_ends_with_the_server(caplog: pytest.LogCaptureFixture) -> None:
    stream = Streaming()
    with ExitStack() as stack:
        with served(stream) as (host, port):
            response = stack.enter_context(httpx.stream("GET", f"http://{host}:{port}/"))
            pieces = response.iter_raw()
            assert next(pieces) == b"piece"
        assert list(pieces) == []
    assert stream.closed.wait(5)
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


def test_whoever_waits_at_the_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.server._PATIENCE", 0.1)
    asked, go_on = threading.Event(), threading.Event()

    def stuck(environ: dict[str, str], start_response: StartResponse) -> Iterable[bytes]:
        asked.set()
        go_on.wait(10)
        return hello(environ, start_response)

    with ThreadPoolExecutor(1) as pool:
        with served(stuck) as (host, port):
            answer = pool.submit(httpx.get, f"http://{host}:{port}/")
            assert asked.wait(5)
        assert answer.result(5).status_code == 503
    go_on.set()


def test_who_finds_all_threads_taken_waits() -> None:
    asked, go_on = threading.Event(), threading.Event()

    def slow(environ: dict[str, str], start_response: StartResponse) -> Iterable[bytes]:
        asked.set()
        go_on.wait(10)
        return hello(environ, start_response)

    with ThreadPoolExecutor(2) as pool, served(slow, threads=1) as (host, port):
        answers = [pool.submit(httpx.get, f"http://{host}:{port}/") for _ in range(2)]
        assert asked.wait(5)
        go_on.set()
        assert [answer.result(5).text for answer in answers] == ["GET", "GET"]


def test_an_application_that_fails_is_500_and_the_next_request_is_answered() -> None:
    def broken(environ: dict[str, str], start_response: StartResponse) -> Iterable[bytes]:
        raise ValueError("a bug")

    with served(broken) as (host, port):
        for _ in range(2):
            assert httpx.get(f"http://{host}:{port}/").status_code == 500


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CannotListen) as raised:
            bound("127.0.0.1", port)
    assert str(raised.value) == (
        f"127.0.0.1:{port} cannot be listened on (Address already in use): end what does, or choose another port with "
        "`listeners`, or DROVER_PORT."
    )


def test_a_host_that_is_not_there() -> None:
    with pytest.raises(CannotListen, match=r"^no\.such\.host\.invalid is no address of this machine: "):
        bound("no.such.host.invalid", 0)
