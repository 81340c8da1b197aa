"""What a value may be, and what is said of one that may not (facts §7.4)."""

import pytest

from workers.connectors import validators as v
from workers.connectors.configdef import Invalid, Validator


@pytest.mark.parametrize(
    ("validator", "value"),
    [
        (v.between(1, 3), 3),
        (v.between(None, 3), -5),
        (v.at_least(0.5), 0.5),
        (v.one_of("none", "all"), "all"),
        (v.one_of_any_case("REQUIRED"), "Required"),
        (v.non_empty, None),
        (v.non_empty_without_control_characters, None),
        (v.non_empty_without_control_characters, "a/b ä 名前"),
        (v.unique_aliases, []),
        (v.unique_aliases, ["a", "b", ""]),
        (v.no_duplicates("topics"), ()),
        (v.no_duplicates("topics"), ["a", "b"]),
        (v.no_duplicates("formats", "new", "legacy"), ["legacy"]),
        (v.no_duplicates("fields", may_be_empty=False), ["a"]),
        (v.regex, ""),
        (v.regex, "a|[[b]"),
        (v.non_null, ""),
        (v.all_of(), None),
    ],
)
def test_accepted(validator: Validator, value: object) -> None:
    validator(value)


@pytest.mark.parametrize(
    ("validator", "value", "reason"),
    [
        (v.between(1, 3), 4, "Value must be no more than 3"),
        (v.at_least(1), 0, "Value must be at least 1"),
        (v.at_least(1), None, "Value must be non-null"),
        (v.one_of("none", "all"), "ALL", "String must be one of: none, all"),
        (v.one_of("none", "all"), None, "String must be one of: none, all"),
        (v.one_of_any_case("A", "B"), "", "String must be one of (case insensitive): A, B"),
        (v.one_of_any_case("NONE"), None, "String must be one of (case insensitive): NONE"),
        (v.non_empty, "", "String must be non-empty"),
        (v.non_empty_without_control_characters, "", "String may not be empty"),
        (
            v.non_empty_without_control_characters,
            "a\x85\x7f",
            "String may not contain control sequences but had the following ASCII chars: 133, 127",
        ),
        (v.unique_aliases, None, "entry must be non null"),
        (v.unique_aliases, ["a", "a"], "Duplicate alias provided."),
        (
            v.no_duplicates("a", may_be_empty=False),
            [],
            "Configuration 'a' must not be empty. Valid values include: any non-empty value",
        ),
        (v.no_duplicates("a", may_be_empty=False), None, "Configuration 'a' values must not be null."),
        (v.no_duplicates("a", "x", "y"), ["x", "z"], "Invalid value z for configuration a: String must be one of: x, y"),
        (v.no_duplicates("topics"), None, "Configuration 'topics' values must not be null."),
        (v.no_duplicates("topics"), ["", ""], "Configuration 'topics' values must not be duplicated."),
        (v.no_duplicates("topics"), ["a", ""], "Configuration 'topics' values must not be empty."),
        (v.all_of(v.non_null, v.at_least(1)), None, "entry must be non null"),
        (v.all_of(v.non_null, v.at_least(1)), 0, "Value must be at least 1"),
    ],
)
def test_refused(validator: Validator, value: object, reason: str) -> None:
    with pytest.raises(Invalid) as raised:
        validator(value)
    assert str(raised.value) == reason


@pytest.mark.parametrize("pattern", ["[", "(", "*", "\\", "a**", ")", "a{2,1}", "x{99999999999}", "(" * 5000])
def test_what_is_no_pattern(pattern: str) -> None:
    with pytest.raises(Invalid, match=r"^Invalid regex: "):
        v.regex(pattern)
