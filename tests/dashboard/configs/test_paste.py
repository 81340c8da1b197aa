"""What may be pasted to create a connector from."""

import pytest

from dashboard.configs.pairs import Unreadable
from dashboard.configs.paste import Pasted, pasted

A = Pasted((("name", "a"), ("file", "/x")))
B = Pasted((("name", "b"), ("file", "/y")))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"name": "a", "file": "/x"}', [A]),
        ('{"name": "a", "config": {"file": "/x"}}', [A]),
        ('{"name": "z", "config": {"name": "a", "file": "/x"}}', [A]),
        ('{"name": "a", "config": {"file": "/x"}, "tasks": [{"connector": "a", "task": 0}], "type": "sink"}', [A]),
        ('{"name": "a", "config": {"file": "/x"}, "initial_state": "paused"}', [Pasted(A.config, "PAUSED")]),
        ('[{"name": "a", "file": "/x"}, {"name": "b", "config": {"file": "/y"}}]', [A, B]),
        ('[{"cluster": "eu", "name": "a", "config": {"file": "/x"}}]', [A]),
        ('{"a": {"file": "/x"}, "b": {"file": "/y"}}', [A, B]),
        ('{"a": {"info": {"name": "a", "config": {"file": "/x"}, "tasks": []}, "status": {}}}', [A]),
        ("# mine\nname=a\nfile=/x", [A]),
        ('{"config": "flat", "name": "a"}', [Pasted((("config", "flat"), ("name", "a")))]),
        ('{"file": 1}', [Pasted((("file", "1"),))]),
        ("{}", [Pasted(())]),
    ],
)
def test_shapes(text: str, expected: list[Pasted]) -> None:
    assert list(pasted(text)) == expected


@pytest.mark.parametrize(
    "text", ["", "  \n", "[]", "[1]", '{"a": ["b"]}', '{"name": "a", "config": {"x": {}}}', "{", '{"a": {}, "b": "c"}']
)
def test_what_is_none(text: str) -> None:
    with pytest.raises(Unreadable):
        pasted(text)
