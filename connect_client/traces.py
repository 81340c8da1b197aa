"""A stack trace as somebody reads it: the root cause first, then what it caused, the framework's own frames folded away."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

CAUSED_BY = "Caused by: "
_CAUSED = re.compile(rf"^{CAUSED_BY}", re.M)
_PYTHON = "Traceback (most recent call last):"
_PYTHON_SEPARATOR = re.compile(
    r"\n+(?:The above exception was the direct cause of|During handling of the above exception, another).*?\n+(?=Traceback)", re.S
)
_FRAMEWORK = re.compile(
    r"^\s*(?:at (?:java\.|javax\.|jakarta\.|jdk\.|sun\.|com\.sun\.|scala\.|py4j\.|org\.apache\.spark\.|org\.eclipse\.jetty\."
    r"|org\.apache\.kafka\.(?:connect\.(?:runtime|util)|common|clients)\.)|\.\.\. \d+ (?:more|common)"
    r'|(?:File "|at \S+\().*(?:/site-packages/|/lib/python3'
    r"|\b(?:workers/(?:herder|runtime)|pyspark|py4j|concurrent)/))"
)


@dataclass(frozen=True, slots=True)
class Frames:
    """Neighbouring frames that are all the framework's, or all not."""

    framework: bool
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@dataclass(frozen=True, slots=True)
class Link:
    """One exception of the chain. `rest` is what its message has beyond the first line."""

    headline: str
    rest: str
    frames: tuple[Frames, ...]


def root_cause(trace: str | None) -> str:
    """One line: what went wrong in the first place. The first headline of the chain, without all that it takes to draw one: it is
    asked for of thousands of traces."""
    text = (trace or "").strip("\n")
    if _PYTHON in text:
        return _python_link(_PYTHON_SEPARATOR.split(text, maxsplit=1)[0]).headline
    return _CAUSED.split(text)[-1].partition("\n")[0].strip()


def chain(trace: str | None) -> tuple[Link, ...]:
    """Every exception of the trace, the root cause first. Java's traces and Python's are told apart by their first line."""
    text = (trace or "").strip("\n")
    if not text.strip():
        return ()
    if _PYTHON in text:
        return tuple(_python_link(part) for part in _PYTHON_SEPARATOR.split(text))
    return tuple(reversed([_java_link(part) for part in _CAUSED.split(text)]))


def _java_link(part: str) -> Link:
    head, *lines = part.rstrip().split("\n")
    rest = [line for line in lines if not line[:1].isspace()]
    return Link(head.strip(), "\n".join(rest), _fold(line.strip() for line in lines if line[:1].isspace()))


def _python_link(part: str) -> Link:
    lines = [line for line in part.rstrip().split("\n") if line.strip() != _PYTHON]
    last_frame = max((at for at, line in enumerate(lines) if line[:1].isspace()), default=-1)
    head, *rest = lines[last_frame + 1 :] or [""]
    calls = re.split(r"\n(?=  File )", "\n".join(lines[: last_frame + 1])) if last_frame >= 0 else []
    return Link(head, "\n".join(rest), _fold(calls))


def _fold(lines: Iterable[str]) -> tuple[Frames, ...]:
    runs = groupby(lines, key=lambda line: bool(_FRAMEWORK.match(line)))
    return tuple(Frames(framework, tuple(run)) for framework, run in runs)
