"""docs/comparison.md says Y where a test shows it, and names tests that there are."""

from tests.documents import named_tests, tables

MATRIX, ROWS, ASKED, TRAPS = tables("comparison.md")


def test_what_is_yes_in_the_matrix_is_shown_by_a_test() -> None:
    assert [row[0] for row in MATRIX] == [row for row, _, _ in ROWS]
    for (row, drover, *others), (_, how, tests) in zip(MATRIX, ROWS, strict=True):
        assert (len(others), bool(how)) == (8, True), row
        assert drover in ("Y", "N"), row
        assert bool(named_tests(tests)) is (drover == "Y"), row


def test_what_is_asked_for_and_every_trap_has_a_test() -> None:
    assert [number for number, *_ in ASKED] == [str(number) for number in range(1, 21)]
    assert len(TRAPS) > 10
    for *cells, tests in [*ASKED, *TRAPS]:
        assert all(cells), cells
        assert named_tests(tests), cells
