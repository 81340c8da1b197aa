"""The tables of docs/configuration.md. `python -m config.declared.tables` writes them anew."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from config.declared.installation import INSTALLATION, PARTS, ROOM
from config.declared.rest import REST
from config.declared.setting import Setting
from config.declared.without_effect import by_reason
from config.declared.worker import WORKER

DOCS = Path(__file__).resolve().parents[2] / "docs" / "configuration.md"
_PAGE = re.compile(r"docs/([\w.]+\.md)")
_BEGIN, _END = "<!-- {}: python -m config.declared.tables -->\n", "<!-- end -->\n"


def tables() -> dict[str, str]:
    """By the names of their marks in the docs."""
    return {
        "installation": _own(INSTALLATION),
        "parts": _own(PARTS),
        "control room": _own(ROOM),
        "rest": _connect(REST),
        "worker": _connect(WORKER),
        "without effect": _table(
            ("key", "why"), ((", ".join(map(_code, keys)), _PAGE.sub(r"[\1](\1)", reason)) for reason, keys in by_reason())
        ),
    }


def _connect(settings: Iterable[Setting[Any]]) -> str:
    return _table(
        ("variable", "Kafka Connect's key", "type", "default", "importance", "meaning"),
        (_row(setting, _code(setting.key), setting.importance if setting.key else "") for setting in settings),
    )


def _own(settings: Iterable[Setting[Any]]) -> str:
    return _table(("variable", "type", "default", "meaning"), (_row(setting) for setting in settings))


def _row(setting: Setting[Any], key: str | None = None, importance: str | None = None) -> Sequence[str]:
    first, last = (_code(setting.variable), setting.shown_kind(), setting.shown_default()), setting.meaning
    if key is None:
        return (*first, f"{_code(setting.key)}: {last}" if setting.key else last)
    return (first[0], key, *first[1:], importance or "", last)


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["".join(f" {cell} |" if cell else " |" for cell in row) for row in rows]
    return "".join(f"|{line}\n" for line in (f" {' | '.join(head)} |", "---|" * len(head), *lines))


def renewed(text: str) -> str:
    """The docs with the tables as they have to be. Raises ValueError where a mark is missing."""
    for name, table in tables().items():
        begin = _BEGIN.format(name)
        start = text.index(begin) + len(begin)
        text = text[:start] + table + text[text.index(_END, start) :]
    return text


if __name__ == "__main__":
    DOCS.write_text(renewed(DOCS.read_text()))
