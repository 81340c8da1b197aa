"""Versions of plug-ins and what asks for one (KIP-891): Maven's version ranges, as `[1.0,2.0)` or `[1.2],[2.0,)`."""

import re
from dataclasses import dataclass

_PARTS = re.compile(r"\d+|[^\d.\-_]+")
#: Below a release, in this order; what is not named comes behind it.
_BEFORE_RELEASE = {"alpha": -6, "a": -6, "beta": -5, "b": -5, "milestone": -4, "m": -4, "rc": -3, "cr": -3, "snapshot": -2}
_RELEASE = ("", "ga", "final", "release")


class InvalidVersionSpec(ValueError):
    """The text says what is wrong with it, in Maven's words."""


#: A number, or the rank of a qualifier and the qualifier itself.
_Part = tuple[int, int, str]


def _key(version: str) -> list[_Part]:
    """To be compared with others: 4.3 is 4.3.0, and 4.3-rc1 comes before it."""
    parts: list[_Part] = []
    for text in _PARTS.findall(version.lower()):
        if text.isdecimal():
            parts.append((2, int(text), ""))
        elif text not in _RELEASE:
            rank = _BEFORE_RELEASE.get(text)
            parts.append((0, rank, "") if rank is not None else (1, 0, text))
    while parts and parts[-1] == (2, 0, ""):
        parts.pop()
    return parts


def compare(one: str, other: str) -> int:
    """Below, at or above 0."""
    mine, others = _key(one), _key(other)
    length = max(len(mine), len(others))
    # What has no more parts is as if it went on with zeros.
    nothing: _Part = (2, 0, "")
    for this, that in zip(mine + [nothing] * (length - len(mine)), others + [nothing] * (length - len(others)), strict=True):
        if this != that:
            return -1 if this < that else 1
    return 0


@dataclass(frozen=True, slots=True)
class Restriction:
    lower: str | None
    lower_inclusive: bool
    upper: str | None
    upper_inclusive: bool

    def contains(self, version: str) -> bool:
        above = 1 if self.lower is None else compare(version, self.lower)
        below = 1 if self.upper is None else compare(self.upper, version)
        return (above > 0 or (above == 0 and self.lower_inclusive)) and (below > 0 or (below == 0 and self.upper_inclusive))

    def __str__(self) -> str:
        left, right = "[" if self.lower_inclusive else "(", "]" if self.upper_inclusive else ")"
        return f"{left}{self.lower or ''},{self.upper or ''}{right}"


@dataclass(frozen=True, slots=True)
class VersionRange:
    restrictions: tuple[Restriction, ...]

    def contains(self, version: str) -> bool:
        return any(restriction.contains(version) for restriction in self.restrictions)

    def __str__(self) -> str:
        return ",".join(map(str, self.restrictions))


def required_version(spec: str | None) -> VersionRange | None:
    """What may be loaded; None for whichever is the newest. A version alone means exactly that one. Raises InvalidVersionSpec."""
    if spec is None or spec.strip() == "latest":
        return None
    text = spec.strip()
    return _ranges(text if text.startswith(("[", "(")) else f"[{text}]")


def _ranges(spec: str) -> VersionRange:
    found: list[Restriction] = []
    rest = spec
    while rest.startswith(("[", "(")):
        ends = [index for index in (rest.find(")"), rest.find("]")) if index >= 0]
        if not ends:
            raise InvalidVersionSpec(f"Unbounded range: {spec}")
        restriction = _restriction(rest[: min(ends) + 1])
        before = found[-1].upper if found else None
        if before is not None and (restriction.lower is None or compare(restriction.lower, before) < 0):
            raise InvalidVersionSpec(f"Ranges overlap: {spec}")
        found.append(restriction)
        rest = rest[min(ends) + 1 :].strip().removeprefix(",").strip()
    if rest:
        raise InvalidVersionSpec(f"Only fully-qualified sets allowed in multiple set scenario: {spec}")
    return VersionRange(tuple(found))


def _restriction(spec: str) -> Restriction:
    inclusive = spec[0] == "[", spec[-1] == "]"
    lower, comma, upper = (part.strip() for part in spec[1:-1].partition(","))
    if not comma:
        if inclusive != (True, True):
            raise InvalidVersionSpec(f"Single version must be surrounded by []: {spec}")
        return Restriction(lower, True, lower, True)
    if lower and upper and compare(upper, lower) < 0:
        raise InvalidVersionSpec(f"Range defies version ordering: {spec}")
    return Restriction(lower or None, inclusive[0], upper or None, inclusive[1])


def version_mismatch(plugin: str, version: str, spec: str | None) -> str | None:
    """What there is to say when the version that is asked for is not the one that is here. Raises InvalidVersionSpec."""
    wanted = required_version(spec)
    if wanted is None or wanted.contains(version):
        return None
    return f"Plugin {plugin} not found that matches the version range {wanted}, available versions: [{version}]"
