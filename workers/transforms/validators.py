"""What a transform's key may be (`configdef.Validator`), in Kafka Connect's words."""

from __future__ import annotations

import re

from workers.connectors import validators
from workers.connectors.configdef import Invalid

#: What Java writes in its own way, and how Python says the same.
_JAVA = (
    (re.compile(r"\\[pP](?:\{[^}]*\}|[A-Z])"), r"\\w"),
    (re.compile(r"\\[hHRXvVG]"), r"\\s"),
    (re.compile(r"\\z"), r"\\Z"),
    (re.compile(r"\(\?<(?![=!])"), "(?P<"),
    (re.compile(r"\\k<(\w+)>"), r"(?P=\1)"),
)
_LITERAL = re.compile(r"\\Q(.*?)(?:\\E|\Z)", re.DOTALL)


def non_empty_list(value: object) -> None:
    if not value:
        raise Invalid("Empty list")


def at_start(regex: str) -> str:
    """The pattern where it finds something at the beginning of a text."""
    return rf"\A(?:{regex})"


def whole(regex: str) -> str:
    """The pattern where it finds all of a text."""
    return rf"\A(?:{regex})\z"


def in_python(regex: str) -> str:
    """A Java pattern that has the same groups, and is valid as Java's is; what it matches may be something else."""
    said = _LITERAL.sub(lambda match: re.escape(match.group(1)), regex)
    for java, python in _JAVA:
        said = java.sub(python, said)
    return said


def java_regex(value: object) -> None:
    if value is None:
        raise Invalid('Invalid regex: Cannot invoke "String.isEmpty()" because "this.pattern" is null')
    try:
        validators.regex(in_python(str(value)))
    except Invalid:
        # Said of the pattern as it was given, if Python cannot read that one either.
        validators.regex(value)
        raise
