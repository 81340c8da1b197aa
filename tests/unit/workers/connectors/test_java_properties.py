"""Properties files, as Java reads them."""

import pytest

from workers.connectors.java_properties import parse


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("a=b", {"a": "b"}),
        ("a = b \n", {"a": "b "}),
        ("a:b\nc d\ne\n", {"a": "b", "c": "d", "e": ""}),
        ("a==b\nc= =d", {"a": "=b", "c": "=d"}),
        ("# no\n ! no\n\n  a=b\r\nc=d\re=f", {"a": "b", "c": "d", "e": "f"}),
        ("a=b\\\n   c\\\n#d", {"a": "bc#d"}),
        ("a=b\\\\\nc=d", {"a": "b\\", "c": "d"}),
        ("a=b\\", {"a": "b"}),
        ("a\\=b\\ c\\:d=e", {"a=b c:d": "e"}),
        ("a=\\t\\n\\r\\f\\x\\\\", {"a": "\t\n\r\fx\\"}),
        ("a=\\u00e9\\uD83D\\uDC0E é🐎", {"a": "é🐎 é🐎"}),
        ("a=1\na=2", {"a": "2"}),
        ("password=p#a!s=s:w", {"password": "p#a!s=s:w"}),
        ("=x", {"": "x"}),
    ],
)
def test_files(text: str, expected: dict[str, str]) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize("text", ["a=\\u12", "a=\\uxyzw", "\\u=1"])
def test_a_broken_escape(text: str) -> None:
    with pytest.raises(ValueError, match=r"^Malformed \\uxxxx encoding\.$"):
        parse(text)
