"""Documents as YAML."""

import pytest

from dashboard.resources import text
from dashboard.resources.text import Unreadable


def test_there_and_back() -> None:
    document = {"kind": "KafkaConnector", "metadata": {"name": "a"}, "spec": {"config": {"a": "true", "b": "2020-01-01", "c": 1}}}
    told = text.to_text(document)
    assert told.startswith("kind: KafkaConnector\nmetadata:\n  name: a\n")
    assert text.from_text(told) == document


def test_a_date_is_a_text() -> None:
    assert text.from_text("a: 2020-01-01") == {"a": "2020-01-01"}


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("", "There is nothing in it."),
        ("a", "It has to be one document, an object; these are 1."),
        ("a: 1\n---\nb: 2", "It has to be one document, an object; these are 2."),
        ("a: [", "It is no YAML in line 1: "),
        ("a: 1\na: 2", "It is no YAML in line 1: a stands here twice."),
        ("a: &x [1]\nb: *x", "It is no YAML in line 2: aliases (*name) are not taken."),
        ("a: !!python/object:os.system {}", "It is no YAML in line 1: "),
        ("[" * 5000, "It is nested too deeply to be a document."),
        ("a: \x00", "It is no YAML: it has characters that do not belong there."),
    ],
)
def test_what_is_no_document(typed: str, told: str) -> None:
    with pytest.raises(Unreadable) as unreadable:
        text.from_text(typed)
    assert str(unreadable.value).startswith(told)
    assert "geheim" not in str(unreadable.value)


def test_what_can_be_edited() -> None:
    metadata = {"name": "a", "labels": {}, "annotations": {}, "generation": 3, "creationTimestamp": "x"}
    found = text.editable({"kind": "K", "metadata": metadata, "spec": {}, "status": {"conditions": []}})
    assert found == {"kind": "K", "metadata": {"name": "a", "labels": {}, "annotations": {}}, "spec": {}}
