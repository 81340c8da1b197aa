"""docs/configuration.md shows the settings that there are."""

from config.declared.tables import DOCS, renewed


def test_the_tables_are_up_to_date() -> None:
    text = DOCS.read_text()
    assert text == renewed(text), "python -m config.declared.tables"
