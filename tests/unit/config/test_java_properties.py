"""Properties files, as Java reads them."""

import pytest

from config.java_properties import Entry, Malformed, entries, parse


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


def test_the_line_of_each_entry() -> None:
    text = "# one\n\na=1\\\n  2\nb\r\n!\rc=3"
    assert list(entries(text)) == [Entry("a", "12", 3), Entry("b", "", 5), Entry("c", "3", 7)]


@pytest.mark.parametrize(("text", "line"), [("a=\\u12", 1), ("a=\\uxyzw", 1), ("\\u=1", 1), ("a=1\n\nb=2\\\n\\u123", 3)])
def test_a_broken_escape(text: str, line: int) -> None:
    with pytest.raises(Malformed, match=r"^Malformed \\uxxxx encoding\.$") as raised:
        parse(text)
    assert raised.value.line == line
