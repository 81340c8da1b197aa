"""docs/scenarios.md names tests that there are, of real processes."""

import ast
import re
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
ROWS = [
    line.strip("|").split("|")
    for line in (PROJECT / "docs" / "scenarios.md").read_text().splitlines()
    if line.startswith("|") and not line.startswith(("|---", "| scenario |"))
]


def test_every_scenario_has_a_document_and_a_test_that_exists() -> None:
    assert len(ROWS) > 50
    for scenario, document, tests in ROWS:
        named = re.findall(r"`([\w/.]+)::(\w+)`", tests)
        assert scenario.strip(), document
        assert re.match(r" (KIP-\d+|Connect §)", document), scenario
        assert named, scenario
        assert re.sub(r"`[^`]*`", "", tests).strip() == "", f"{scenario}: {tests}"
        for path, name in named:
            assert path.startswith(("tests/conformance/", "tests/faults/", "tests/integration/")), path
            assert name in functions(PROJECT / path), f"{path}::{name}"


def functions(file: Path) -> set[str]:
    return {node.name for node in ast.parse(file.read_text()).body if isinstance(node, ast.FunctionDef)}
