"""Versions and ranges of them, as Maven has them (KIP-891)."""

import itertools

import pytest

from workers.connectors.versions import InvalidVersionSpec, compare, required_version


@pytest.mark.parametrize(
    "ordered",
    [
        ["1", "1.1", "1.2", "1.10", "2"],
        ["1-alpha1", "1-alpha2", "1-beta", "1-milestone", "1-rc1", "1-SNAPSHOT", "1"],
        ["0.9.9", "1-rc", "1.0.1"],
    ],
)
def test_order(ordered: list[str]) -> None:
    for one, other in itertools.pairwise(ordered):
        assert (compare(one, other), compare(other, one)) == (-1, 1), (one, other)


@pytest.mark.parametrize(("one", "other"), [("1", "1.0.0"), ("1.0-final", "1"), ("1-RC1", "1.rc1"), ("", "0")])
def test_the_same(one: str, other: str) -> None:
    assert compare(one, other) == 0


@pytest.mark.parametrize(
    ("spec", "text", "contained", "not_contained"),
    [
        ("1.2", "[1.2,1.2]", ["1.2", "1.2.0"], ["1.2.1", "1.1"]),
        (" 1.2 ", "[1.2,1.2]", ["1.2"], []),
        ("[1.2]", "[1.2,1.2]", ["1.2"], ["1.3"]),
        ("[1.0,2.0)", "[1.0,2.0)", ["1", "1.9"], ["2", "0.9"]),
        ("(1.0,2.0]", "(1.0,2.0]", ["1.1", "2.0"], ["1.0", "2.1"]),
        ("[1,)", "[1,)", ["1", "99"], ["0.9"]),
        ("(,1]", "(,1]", ["1", "0"], ["1.1"]),
        ("[1,2],[4,5]", "[1,2],[4,5]", ["1.5", "4"], ["3"]),
        (",", "[,]", ["1"], []),
        ("1,2", "[1,2]", ["1.5"], ["3"]),
        ("", "[,]", [], ["1"]),
        ("x", "[x,x]", ["X"], ["1"]),
    ],
)
def test_ranges(spec: str, text: str, contained: list[str], not_contained: list[str]) -> None:
    found = required_version(spec)
    assert found is not None
    assert str(found) == text
    assert [version for version in contained + not_contained if found.contains(version)] == contained


@pytest.mark.parametrize("spec", [None, "latest", " latest "])
def test_whichever_is_the_newest(spec: str | None) -> None:
    assert required_version(spec) is None


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("[", "Unbounded range: ["),
        ("(1,2", "Unbounded range: (1,2"),
        ("[2,1]", "Range defies version ordering: [2,1]"),
        ("(1)", "Single version must be surrounded by []: (1)"),
        ("[1,3],[2,4]", "Ranges overlap: [1,3],[2,4]"),
        ("[1,2],3", "Only fully-qualified sets allowed in multiple set scenario: [1,2],3"),
        ("]", "Only fully-qualified sets allowed in multiple set scenario: []]"),
    ],
)
def test_what_is_no_range(spec: str, reason: str) -> None:
    with pytest.raises(InvalidVersionSpec) as raised:
        required_version(spec)
    assert str(raised.value) == reason
