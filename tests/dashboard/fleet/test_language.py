"""Searches as they are typed: what reads as what, and that what is written reads as the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.fleet.language import Field, Term, read, write


def text(value: str) -> Term:
    return Term(Field.TEXT, value)


@pytest.mark.parametrize(
    ("typed", "terms"),
    [
        ("", []),
        ("  disk   full ", [text("disk"), text("full")]),
        ('"disk full"', [text("disk full")]),
        ("cluster:eu CLASS:JdbcSink", [Term(Field.CLUSTER, "eu"), Term(Field.CLASS, "JdbcSink")]),
        ("worker:w1:8083", [Term(Field.WORKER, "w1:8083")]),
        ('config:"a b=c d"', [Term(Field.CONFIG, "a b=c d")]),
        ('config:topics="a b"x', [Term(Field.CONFIG, "topics=a bx")]),
        ('"cluster:eu"', [text("cluster:eu")]),
        ('cl"uster:eu"', [text("cluster:eu")]),
        ("cluster:", [Term(Field.CLUSTER, "")]),
        ('""', []),
        # Somebody is still typing.
        ('"disk fu', [text("disk fu")]),
        ('"disk\\', [text("disk")]),
        ('"say \\"no\\" \\\\"', [text('say "no" \\')]),
        ("back\\slash", [text("back\\slash")]),
        ("clutser:eu", [text("clutser:eu")]),
        ("java.io.IOException: disk", [text("java.io.IOException:"), text("disk")]),
        ("http://eu:8083/", [text("http://eu:8083/")]),
        ("q:a", [text("q:a")]),
        (":", [text(":")]),
    ],
)
def test_reading(typed: str, terms: list[Term]) -> None:
    assert [term for _, term in read(typed)] == terms


@pytest.mark.parametrize(
    ("typed", "unknown"), [("clutser:eu", "clutser"), ("cluster:eu", ""), ('"clutser:eu"', ""), ("w1:8083", ""), ("q:a", "q")]
)
def test_a_name_that_is_no_field_is_told(typed: str, unknown: str) -> None:
    assert [name for name, _ in read(typed)] == [unknown]


@given(st.lists(st.builds(Term, st.sampled_from(Field), st.text(min_size=1)), max_size=5))
def test_what_is_written_reads_as_the_same(terms: list[Term]) -> None:
    assert [term for _, term in read(write(terms))] == terms


@given(st.text(alphabet='ab:" \\*cluster', max_size=30))
def test_anything_can_be_read_and_comes_to_rest(typed: str) -> None:
    once = [term for _, term in read(typed)]
    assert [term for _, term in read(write(once))] == once
