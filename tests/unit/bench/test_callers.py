"""When an answer is all there."""

import pytest

from bench.callers import complete

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (b"", False),
        (b"HTTP/1.1 200 OK\r\nContent-Le", False),
        (HEAD + b"content-length: 2\r\n\r\n", False),
        (HEAD + b"Content-Length: 2\r\n\r\n[", False),
        (HEAD + b"Content-Length: 2\r\n\r\n[]", True),
        (HEAD + b"Content-Length: 0\r\n\r\n", True),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n", False),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n", True),
    ],
)
def test_complete(answer: bytes, expected: bool) -> None:
    assert complete(answer) is expected
