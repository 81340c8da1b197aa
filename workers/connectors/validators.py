"""What a key's value may be (`configdef.Validator`), in Kafka Connect's words."""

import re
import warnings
from collections.abc import Sequence

from workers.connectors.configdef import BLANKS, Invalid, Validator, in_message


def all_of(*validators: Validator) -> Validator:
    """One after another, until one refuses."""

    def check(value: object) -> None:
        for validator in validators:
            validator(value)

    return check


def non_null(value: object) -> None:
    if value is None:
        raise Invalid("entry must be non null")


def at_least(minimum: float) -> Validator:
    return between(minimum, None)


def between(minimum: float | None, maximum: float | None) -> Validator:
    def check(value: object) -> None:
        if not isinstance(value, int | float):
            raise Invalid("Value must be non-null")
        if minimum is not None and value < minimum:
            raise Invalid(f"Value must be at least {minimum}")
        if maximum is not None and value > maximum:
            raise Invalid(f"Value must be no more than {maximum}")

    return check


def one_of(*choices: str) -> Validator:
    def check(value: object) -> None:
        if value not in choices:
            raise Invalid(_one_of(choices))

    return check


def _one_of(choices: Sequence[str]) -> str:
    return f"String must be one of: {', '.join(choices)}"


def one_of_any_case(*choices: str) -> Validator:
    """`choices` are in capitals."""

    def check(value: object) -> None:
        if value is None or str(value).upper() not in choices:
            raise Invalid(f"String must be one of (case insensitive): {', '.join(choices)}")

    return check


def non_empty(value: object) -> None:
    if value is not None and not str(value):
        raise Invalid("String must be non-empty")


def non_empty_without_control_characters(value: object) -> None:
    if value is None:
        return
    if not str(value).strip(BLANKS):
        raise Invalid("String may not be empty")
    bad = [str(ord(char)) for char in str(value) if ord(char) < 32 or 127 <= ord(char) < 160]
    if bad:
        raise Invalid(f"String may not contain control sequences but had the following ASCII chars: {', '.join(bad)}")


def unique_aliases(value: object) -> None:
    non_null(value)
    if isinstance(value, list) and len(value) > len(set(value)):
        raise Invalid("Duplicate alias provided.")


def no_duplicates(name: str, *choices: str, may_be_empty: bool = True) -> Validator:
    """Of a list; its items may not be empty, and are some of the `choices` if there are any (KIP-1161)."""

    def check(value: object) -> None:
        wrong = None
        if not isinstance(value, list | tuple):
            wrong = "values must not be null."
        elif not (value or may_be_empty):
            wrong = "must not be empty. Valid values include: any non-empty value"
        elif len(value) > len(set(value)):
            wrong = "values must not be duplicated."
        elif "" in value:
            wrong = "values must not be empty."
        if wrong:
            raise Invalid(f"Configuration '{name}' {wrong}", whole=True)
        for item in value if choices and isinstance(value, list | tuple) else ():
            if item not in choices:
                raise Invalid(f"Invalid value {item} for configuration {name}: {_one_of(choices)}", whole=True)

    return check


def regex(value: object) -> None:
    try:
        with warnings.catch_warnings():
            # What Python says of patterns that it may come to read differently is for authors of programs.
            warnings.simplefilter("ignore", FutureWarning)
            re.compile(in_message(value))
    except (re.error, OverflowError, RecursionError) as error:
        raise Invalid(f"Invalid regex: {error}") from error
