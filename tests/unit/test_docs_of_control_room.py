"""docs/control-room.md names tests that there are, of both kinds of cluster."""

from tests.documents import named_tests, tables


def test_what_is_shown_on_both_has_a_test() -> None:
    shown = tables("control-room.md")[-1]
    assert len(shown) > 10
    for what, tests in shown:
        named = named_tests(tests)
        assert named, what
        assert all(path.startswith("tests/browser/") for path, _ in named), what
