"""Where a field is, in a record's nested data (KIP-821). Pure."""

from __future__ import annotations

from workers.transforms.base import TransformConfigError

V1, V2 = "V1", "V2"


def field_path(path: str, version: str) -> tuple[str, ...]:
    """The names on the way. V1 knows no way: the path is one name. In V2 they are parted by dots; a name with dots stands
    between backticks, and a backtick that is followed by a dot, but is part of the name, behind a backslash.

    Raises TransformConfigError.
    """
    if version.upper() == V1:
        return (path,)
    if not path:
        raise TransformConfigError("A field's path must not be empty.")
    steps: list[str] = []
    at = 0
    while at < len(path):
        step, at = _quoted(path, at) if path[at] == "`" else _plain(path, at)
        steps.append(step)
    if path.endswith("."):
        steps.append("")
    return tuple(steps)


def _plain(path: str, start: int) -> tuple[str, int]:
    end = path.find(".", start)
    return (path[start:], len(path)) if end < 0 else (path[start:end], end + 1)


def _quoted(path: str, opening: int) -> tuple[str, int]:
    step, start, at = "", opening + 1, opening + 1
    while True:
        at = path.find("`", at)
        escaped = at > 0 and path[at - 1] == "\\"
        last = at == len(path) - 1
        if at < 0 or (last and escaped):
            raise TransformConfigError(
                f"Incomplete backtick pair in path: [{path}], consider adding a backslash before backtick "
                f"at position {opening} to escape it"
            )
        if last:
            return step + path[start:at], at + 1
        if path[at + 1] != ".":
            at += 1
        elif escaped:
            step += path[start : at - 1] + "`"
            at += 1
            start = at
        else:
            return step + path[start:at], at + 2
