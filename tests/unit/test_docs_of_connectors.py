"""docs/connectors: each page is in the index, the tests that it names are there, and the pages of Drover's own connectors name
every key."""

import re

import pytest

from tests.documents import named_tests, tables
from tests.pages import DOCS
from workers.connectors.base import Connector
from workers.connectors.file.sink import FileStreamSinkConnector
from workers.connectors.file.source import FileStreamSourceConnector
from workers.connectors.generator.source import GeneratorSourceConnector

FOLDER = DOCS / "connectors"


def test_each_row_names_the_tests_that_show_it() -> None:
    *_, shown = tables("connectors/README.md")
    assert all(named_tests(cell) for _, *cells in shown for cell in cells)


def test_the_index_has_each_page_once() -> None:
    linked = re.findall(r"^\| \[`\w+`\]\(([\w-]+\.md)\)", (FOLDER / "README.md").read_text(), re.MULTILINE)
    assert sorted(linked) == sorted(page.name for page in FOLDER.glob("*.md") if page.name != "README.md")


@pytest.mark.parametrize(
    ("page", "connector"),
    [
        ("file-source", FileStreamSourceConnector),
        ("file-sink", FileStreamSinkConnector),
        ("generator", GeneratorSourceConnector),
    ],
)
def test_a_page_names_every_key_with_its_type(page: str, connector: type[Connector]) -> None:
    rows = re.findall(r"^\| `([\w.]+)` \| (\w+) \|", (FOLDER / f"{page}.md").read_text(), re.MULTILINE)
    assert dict(rows) == {key.name: key.type.value for key in connector.config_def.keys}
