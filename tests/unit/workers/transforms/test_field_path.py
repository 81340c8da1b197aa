import pytest

from workers.transforms.base import TransformConfigError
from workers.transforms.field_path import field_path


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("a", ("a",)),
        ("a.b.c", ("a", "b", "c")),
        ("`a.b`.c", ("a.b", "c")),
        ("a.`b.c`", ("a", "b.c")),
        ("a.", ("a", "")),
        (".a", ("", "a")),
        ("a`b", ("a`b",)),
        ("`a`b`", ("a`b",)),
        (r"`a\`.b`.c", ("a`.b", "c")),
        ("``", ("",)),
    ],
)
def test_ways(path: str, steps: tuple[str, ...]) -> None:
    assert field_path(path, "v2") == steps
    assert field_path(path, "V1") == (path,)


@pytest.mark.parametrize("path", ["`a", "a.`b.c", r"`a\`"])
def test_a_backtick_alone(path: str) -> None:
    with pytest.raises(TransformConfigError, match="Incomplete backtick pair in path"):
        field_path(path, "V2")
    assert field_path(path, "V1") == (path,)


def test_nothing_is_no_way() -> None:
    with pytest.raises(TransformConfigError, match="must not be empty"):
        field_path("", "V2")
