"""Tables of documents, and the tests that they name. Not a test module."""

import ast
import re
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]


def tables(document: str) -> list[list[list[str]]]:
    """Of `docs/…`, in their order: the rows below the heading, as their cells."""
    found: list[list[list[str]]] = []
    rows: list[list[str]] | None = None
    for line in (PROJECT / "docs" / document).read_text().splitlines():
        if not line.startswith("|"):
            rows = None
        elif line.startswith("|---"):
            rows = []
            found.append(rows)
        elif rows is not None:
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return found


def named_tests(cell: str) -> list[tuple[str, str]]:
    """`path::name` of a cell that has nothing else in it; each of them is there."""
    named = re.findall(r"`([\w/.]+)::(\w+)`", cell)
    assert re.sub(r"`[^`]*`", "", cell).strip() == "", cell
    for path, name in named:
        assert name.startswith("test_"), name
        assert name in functions(PROJECT / path), f"{path}::{name}"
    return named


@cache
def functions(file: Path) -> frozenset[str]:
    """Of a module, by their names."""
    return frozenset(node.name for node in ast.parse(file.read_text()).body if isinstance(node, ast.FunctionDef))
