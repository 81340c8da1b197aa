"""A failure as text for the status topic: the cause first, for people; then where it happened."""

import sys
import traceback
from collections.abc import Callable

from config.concealment import concealment_of


def _name(error: BaseException) -> str:
    kind = type(error)
    return kind.__name__ if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}.{kind.__name__}"


def _headline(error: BaseException, conceal: Callable[[str], str]) -> str:
    text = conceal(str(error).strip())
    return f"{_name(error)}: {text}" if text else _name(error)


def _below_its_root(filename: str) -> str:
    """The path as it is imported by: `workers/runtime/sink_job.py`, wherever the installation lies."""
    roots = [root.rstrip("/") + "/" for root in sys.path if root and filename.startswith(root.rstrip("/") + "/")]
    return filename.removeprefix(max(roots, key=len, default=""))


def causes(error: BaseException) -> list[BaseException]:
    """The failure and what led to it, root cause last."""
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in chain:
        chain.append(current)
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return chain


def trace(error: BaseException) -> str:
    """Laid out as clients of Kafka Connect expect it: a headline, indented frames, `Caused by:` for each cause."""
    conceal = concealment_of(error).conceal
    parts = []
    for index, cause in enumerate(causes(error)):
        frames = traceback.extract_tb(cause.__traceback__)
        parts.append(("Caused by: " if index else "") + _headline(cause, conceal))
        parts += [f"\tat {frame.name}({_below_its_root(frame.filename)}:{frame.lineno})" for frame in reversed(frames)]
    return "\n".join(parts) + "\n"
