"""The document of the control room's API: complete, valid, and what docs/control-room-openapi.yaml says."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client
from django.urls import URLPattern
from drf_spectacular.validation import validate_schema

from dashboard.api import openapi
from dashboard.api.urls import urlpatterns

FILE = Path(__file__).resolve().parents[3] / "docs" / "control-room-openapi.yaml"
METHODS = ("get", "put", "post", "patch", "delete")


def served() -> Iterator[tuple[str, str]]:
    for pattern in urlpatterns:
        assert isinstance(pattern, URLPattern)
        path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(pattern.pattern))
        view = pattern.callback.view_class  # type: ignore[attr-defined]
        yield from ((method, f"/api/v1/{path}") for method in METHODS if hasattr(view, method))


def test_what_is_served_is_described_and_nothing_else() -> None:
    assert {(method, path) for path, item in openapi.document()["paths"].items() for method in item} == set(served())


def test_it_is_valid() -> None:
    validate_schema(openapi.document())


def test_the_file_is_up_to_date() -> None:
    assert FILE.read_bytes() == openapi.as_yaml(), "run `make openapi`"


def test_every_operation_says_what_it_does_under_a_name_of_its_own() -> None:
    operations = [operation for item in openapi.document()["paths"].values() for operation in item.values()]
    assert [one["operationId"] for one in operations if not one.get("description")] == []
    assert len({operation["operationId"] for operation in operations}) == len(operations)


def test_nothing_had_to_be_guessed(capsys: pytest.CaptureFixture[str]) -> None:
    openapi.document.cache_clear()
    openapi.document()
    assert "Warning" not in capsys.readouterr().err


def test_anybody_may_read_it(client: Client) -> None:
    assert client.get("/api/v1/openapi.json").json()["info"]["title"] == "Drover's control room"
