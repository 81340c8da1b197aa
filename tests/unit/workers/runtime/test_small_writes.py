"""What a producer is given of a source's row."""

from typing import Any

import pytest

from workers.runtime.small_writes import message

ROW = {"topic": "t", "key": None, "value": bytearray(b"v")}
MADE = {"topic": "t", "key": None, "value": b"v"}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (ROW, MADE),
        ({**ROW, "key": bytearray(b""), "value": None}, {"topic": "t", "key": b"", "value": None}),
        ({**ROW, "partition": None, "timestamp": None, "headers": None}, MADE),
        ({**ROW, "partition": 0, "timestamp": 7}, {**MADE, "partition": 0, "timestamp": 7}),
        ({**ROW, "timestamp": -1}, MADE),
        ({**ROW, "headers": []}, MADE),
        (
            {**ROW, "headers": [{"key": "a", "value": bytearray(b"1")}, {"key": "a", "value": None}]},
            {**MADE, "headers": [("a", b"1"), ("a", None)]},
        ),
    ],
)
def test_a_row_is_a_message(row: dict[str, Any], expected: dict[str, Any]) -> None:
    assert message(row) == expected


def test_what_librdkafka_cannot_say_is_left_to_java() -> None:
    with pytest.raises(ValueError, match="timestamp 0"):
        message({**ROW, "timestamp": 0})
