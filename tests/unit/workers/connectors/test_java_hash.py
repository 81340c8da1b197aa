"""The order of a HashMap. What is expected was printed by Java; the keys of JsonConverter are as Kafka Connect lists them."""

import pytest

from workers.connectors.java_hash import in_hash_order, string_hash


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", 0),
        ("a", 97),
        ("Aa", 2112),
        ("BB", 2112),
        ("converter.type", 3505144520),
        ("ä", 228),
        ("\N{GRINNING FACE}", 31 * 0xD83D + 0xDE00),
    ],
)
def test_the_hash_of_a_string(text: str, found: int) -> None:
    assert string_hash(text) == found


@pytest.mark.parametrize(
    ("given", "ordered"),
    [
        ([], []),
        (["b", "a"], ["a", "b"]),
        # 16 buckets until there are 13.
        (["a", "b", "q"], ["a", "q", "b"]),
        (["q", "a", "b"], ["q", "a", "b"]),
        ([*"mlkjihgfedcb", "q"], [*"bcdefghijklm", "q"]),
        ([*"mlkjihgfedc", "q"], [*"qcdefghijklm"]),
        (["BB", "Aa"], ["BB", "Aa"]),
        (
            [
                *("converter.type", "schemas.enable", "schemas.cache.size"),
                *("schema.content", "decimal.format", "replace.null.with.default"),
            ],
            [
                *("decimal.format", "converter.type", "schemas.cache.size"),
                *("replace.null.with.default", "schemas.enable", "schema.content"),
            ],
        ),
    ],
)
def test_an_order(given: list[str], ordered: list[str]) -> None:
    assert in_hash_order(given, str) == ordered
