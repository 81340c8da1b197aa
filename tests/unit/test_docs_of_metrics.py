"""docs/metrics.md names every metric, and none that there is not."""

import re
from pathlib import Path

from workers.metrics import catalogue

DOCS = Path(__file__).resolve().parents[2] / "docs" / "metrics.md"


def test_the_tables_hold_exactly_what_there_is() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", DOCS.read_text(), re.MULTILINE)
    assert len(rows) == len(set(rows))
    assert set(rows) == {metric.name for metric in catalogue.ALL}
