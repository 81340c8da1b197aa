"""Names of folders: what is plain stays, all else becomes plain and stays different."""

import pytest

from workers.folders import folder_name


@pytest.mark.parametrize("name", ["orders", "a-b_c.1", "x" * 99])
def test_plain_names_stay(name: str) -> None:
    assert folder_name(name) == name


ODD = ["", ".", "..", "a/b", "a b", "a:b", "a%3Ab", "ž", "x" * 100, "a\nb", "../../etc"]


@pytest.mark.parametrize("name", ODD)
def test_odd_ones_become_plain(name: str) -> None:
    made = folder_name(name)
    assert made.replace("-", "").replace("_", "").replace(".", "").isalnum()
    assert len(made) <= 93
    assert made not in (".", "..")


def test_different_names_stay_different() -> None:
    assert len({folder_name(name) for name in (*ODD, "a_b")}) == len(ODD) + 1
