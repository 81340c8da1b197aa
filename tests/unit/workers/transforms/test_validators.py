import pytest

from workers.connectors.configdef import Invalid
from workers.transforms.validators import java_regex


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "a.*",
        r"\p{L}+",
        r"\P{Lu}",
        r"(?<name>a)\k<name>",
        r"\Qa[b\E(c)",
        r"\Qa[b",
        r"a\z",
        r"\h\R",
        "a*+",
        "(?<=a)b",
        "(?<!a)b",
    ],
)
def test_patterns_of_javas(pattern: str) -> None:
    java_regex(pattern)


@pytest.mark.parametrize("pattern", ["[", "(", "*", "a)", r"\Q\E("])
def test_none(pattern: str) -> None:
    with pytest.raises(Invalid, match="Invalid regex"):
        java_regex(pattern)
