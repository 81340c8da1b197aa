"""docs/scenarios.md names tests that there are, of real processes."""

import re

from tests.documents import named_tests, tables

ROWS = [row for table in tables("scenarios.md") for row in table]


def test_every_scenario_has_a_document_and_a_test_that_exists() -> None:
    assert len(ROWS) > 50
    for scenario, document, tests in ROWS:
        assert scenario, document
        assert re.match(r"(KIP-\d+|Connect §)", document), scenario
        named = named_tests(tests)
        assert named, scenario
        for path, _ in named:
            assert path.startswith(("tests/conformance/", "tests/faults/", "tests/integration/")), path
