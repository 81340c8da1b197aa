"""docs/strimzi-checklist.md names tests that there are, on real clusters, or says why there is none."""

from pathlib import Path

import pytest

from tests.documents import PROJECT, functions, named_tests, tables

(ROWS,) = tables("strimzi-checklist.md")
CHECKLISTS = sorted((PROJECT / "tests" / "dashboard" / "resources" / "checklist").glob("test_*.py"))
NAMED = {test for _, _, tests, _ in ROWS for test in named_tests(tests)}


def test_every_row_has_a_test_on_real_clusters_or_a_reason() -> None:
    assert [number for number, *_ in ROWS] == [str(number) for number in range(1, 45)]
    checklists = {str(file.relative_to(PROJECT)) for file in CHECKLISTS}
    for number, what, tests, why in ROWS:
        assert what, number
        assert bool(tests) or bool(why), number
        assert not tests or checklists & {path for path, _ in named_tests(tests)}, number


@pytest.mark.parametrize("file", CHECKLISTS, ids=lambda file: file.stem)
def test_every_test_of_the_checklist_is_in_it(file: Path) -> None:
    there = {name for name in functions(file) if name.startswith("test_")}
    assert there == {name for path, name in NAMED if PROJECT / path == file}
