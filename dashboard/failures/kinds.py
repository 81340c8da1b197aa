"""Which failures are the same failure: those whose root causes differ in nothing but numbers, names, paths and offsets."""

import hashlib
import re
from functools import lru_cache

from connect_client.traces import root_cause

_GAP = "…"
# A message that goes on for pages says at its beginning what it is about.
_MOST = 400
# Whatever stands between these is a value: a name, a path, a document.
_QUOTED = re.compile(r"""'[^']*'|"[^"]*"|`[^`]*`|\[[^\[\]]*\]|\{[^{}]*\}|\([^()]*\)|<[^<>]*>""")
# An unquoted name says what it is the name of: `Topic orders not present`.
_NAMED = re.compile(
    r"\b(topics?|partitions?|connectors?|tasks?|groups?|tables?|views?|columns?|fields?|schemas?|subjects?|hosts?|users?|brokers?|"
    r"nodes?|keys?|principals?|databases?|buckets?|index|file|path|container|application|stage)(\s+|[:=]\s*)"
    r"(?!(?:is|was|are|has|had|have|not|in|on|of|for|to|with|from|does|did|do|and|or|that|could|cannot|can|must|may|failed|found|"
    r"already|name|names|id|type|size)\b)[^\s,;]+",
    re.I,
)
# `java.io.IOException`, `pyspark.errors.exceptions.captured.StreamingQueryException`: a class stays.
_CLASS = re.compile(r"(?:[a-z_$][\w$]*\.)*_*[A-Z][A-Za-z$_]*[.,:;]*")
_WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?[.,:;!?]*|[-–—=:;,.&|]+")


def kind(trace: str | None) -> str:
    """16 hexadecimal digits, empty for a failure that told no trace."""
    return _kind(root_cause(trace))


@lru_cache(maxsize=4096)
def _kind(cause: str) -> str:
    return hashlib.sha256(shape(cause).encode()).hexdigest()[:16] if cause else ""


def shape(cause: str) -> str:
    """The root cause with a gap for everything that may differ between two failures of one kind."""
    text = cause[:_MOST]
    previous = ""
    while text != previous:
        # From the inside out: values are nested.
        text, previous = _QUOTED.sub(_GAP, text), text
    text = _NAMED.sub(lambda found: f"{found[1]} {_GAP}", text)
    words: list[str] = []
    for word in text.split():
        kept = word if _CLASS.fullmatch(word) or _WORD.fullmatch(word) else _GAP
        if kept != _GAP or words[-1:] != [_GAP]:
            words.append(kept)
    return " ".join(words)


def class_of(cause: str) -> str:
    """`IOException` of `java.io.IOException: disk full`; empty if the cause does not begin with a class."""
    head = cause.partition(":")[0].strip()
    return head.rpartition(".")[2] if _CLASS.fullmatch(head) else ""


def literal(cause: str) -> str:
    """What all failures of the kind have in their causes, word for word: the longest stretch without a gap. To search by."""
    return max((part.strip() for part in shape(cause).split(_GAP)), key=len)
