"""Configs as texts: nothing is lost on the way, whatever the strings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.configs.pairs import Pairs, Unreadable, digest, from_json, ordered, to_json
from dashboard.configs.properties import from_properties, to_properties

TEXTS = st.text(st.characters(codec="utf-8"), max_size=30)
CONFIGS = st.dictionaries(TEXTS, TEXTS, max_size=8).map(lambda config: tuple(config.items()))
WITH_NULLS = st.dictionaries(TEXTS, st.none() | TEXTS, max_size=8).map(lambda config: tuple(config.items()))


@given(WITH_NULLS)
def test_json_and_back(pairs: Pairs) -> None:
    assert from_json(to_json(pairs)) == pairs


@given(CONFIGS)
def test_properties_and_back(pairs: Pairs) -> None:
    text = to_properties(pairs)
    assert from_properties(text) == pairs
    assert text.isascii()


def test_properties_as_they_are_written() -> None:
    pairs: Pairs = (("a key", " v\\1\n2"), ("b", None), ("c:=", "#x"))
    assert to_properties(pairs) == "a\\ key=\\ v\\\\1\\n2\nc\\:\\==#x\n"


@given(CONFIGS)
def test_from_one_text_to_the_other(pairs: Pairs) -> None:
    assert from_json(to_json(from_properties(to_properties(pairs)))) == pairs


@given(WITH_NULLS, st.randoms())
def test_a_digest_knows_no_order(pairs: Pairs, random: st.DataObject) -> None:
    shuffled = list(pairs)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert digest(dict(shuffled)) == digest(dict(pairs))
    assert digest({**dict(pairs), "more": "x"}) != digest(dict(pairs)) or "more" in dict(pairs)


@given(CONFIGS, st.lists(TEXTS))
def test_ordering_loses_nothing(pairs: Pairs, like: list[str]) -> None:
    assert dict(ordered(dict(pairs), dict.fromkeys(like))) == dict(pairs)
    assert ordered(dict(sorted(pairs)), [key for key, _ in pairs]) == pairs


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ('{"b": "1", "a": ""}', (("b", "1"), ("a", ""))),
        ('{"tasks.max": 1, "x": true, "y": 1e+30, "z": -0.0, "n": null}',
         (("tasks.max", "1"), ("x", "true"), ("y", "1e+30"), ("z", "-0.0"), ("n", None))),
        ('{"big": 123456789012345678901234567890}', (("big", "123456789012345678901234567890"),)),
        ('{"2": "b", "1": "a"}', (("2", "b"), ("1", "a"))),
        ('{"emoji": "\\ud83d\\ude00"}', (("emoji", "😀"),)),
        ("{}", ()),
    ],
)  # fmt: skip
def test_what_json_means(text: str, pairs: Pairs) -> None:
    assert from_json(text) == pairs


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "This is not JSON: line 1, column 1: Expecting value."),
        ('{"a": "b"', "This is not JSON: line 1, column 10"),
        ('{"a": "b",\n}', "line 2"),
        ("[]", "A config is a JSON object"),
        ('"a"', "A config is a JSON object"),
        ('{"a": {"b": "c"}}', "The value of a has to be a text"),
        ('{"a": ["b"]}', "The value of a has to be a text"),
        ('{"a": "1", "a": "2"}', "a stands here twice"),
        ('{"a": NaN}', "NaN is not JSON"),
        ('{"a": "\\ud800"}', "half of a character"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_config(text: str, message: str) -> None:
    with pytest.raises(Unreadable, match=message):
        from_json(text)


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("# a comment\nname=x\n\ntopics = a,\\\n   b\n", (("name", "x"), ("topics", "a,b"))),
        ("a\\=b: c\\u00e9\\n", (("a=b", "cé\n"),)),
        ("alone", (("alone", ""),)),
    ],
)
def test_what_properties_mean(text: str, pairs: Pairs) -> None:
    assert from_properties(text) == pairs


@pytest.mark.parametrize(("text", "message"), [("a=1\na=2", "a stands here twice"), ("\na=\\u12", "Line 2")])
def test_what_are_no_properties(text: str, message: str) -> None:
    with pytest.raises(Unreadable, match=message):
        from_properties(text)
