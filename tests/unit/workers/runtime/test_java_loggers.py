"""What log4j's loggers say of themselves. With a real JVM: tests/integration/test_loggers.py."""

import pytest

from workers.runtime.java_loggers import parsed


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("[]", {}),
        ("[:WARN in 1dbd16a6]", {"root": "WARN"}),
        ("[a.b.C:INFO in 1f, :WARN in 1f, a.b.C$D:OFF in 1f]", {"a.b.C": "INFO", "root": "WARN", "a.b.C$D": "OFF"}),
        ("[a:INFO, b-c:DEBUG]", {"a": "INFO", "b-c": "DEBUG"}),
        ("[a b:INFO in 1f]", {}),
    ],
)
def test_levels(text: str, levels: dict[str, str]) -> None:
    assert parsed(text) == levels
