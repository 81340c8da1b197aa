"""The OpenAPI document: complete, valid, what docs/openapi.yaml says, and told by nobody else's server."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml
from django.contrib.staticfiles import finders
from django.urls import URLPattern
from drf_spectacular.validation import validate_schema
from jsonschema import Draft202012Validator

from connect_api.openapi import document, operations, parameters, schemas
from connect_api.urls import urlpatterns
from tests.api.conftest import Api

DOCUMENT = document.document()
FILE = Path(__file__).resolve().parents[2] / "docs" / "openapi.yaml"


def test_the_file_is_up_to_date() -> None:
    assert FILE.read_bytes() == document.as_yaml(), "run `make openapi`"


def test_it_is_valid() -> None:
    validate_schema(DOCUMENT)


def served() -> Iterator[tuple[str, str]]:
    """Method and path of everything that the URL patterns lead to; HEAD and OPTIONS are everywhere."""
    for pattern in urlpatterns:
        assert isinstance(pattern, URLPattern)
        path = re.sub(r"\(\?P<(\w+)>[^)]*\)", r"{\1}", str(pattern.pattern)).replace("\\.", ".")
        view = pattern.callback.view_class  # type: ignore[attr-defined]
        for method in ("get", "put", "post", "patch", "delete"):
            if hasattr(view, method):
                yield method, "/" + path.removeprefix("^").removesuffix("$").removesuffix("/?")


def test_what_is_served_is_described_and_nothing_else() -> None:
    described = {(method, path) for path, item in DOCUMENT["paths"].items() for method in item}
    assert described == set(served())


def test_every_declaration_is_used() -> None:
    assert {(method.lower(), path) for method, path in operations.ALL} == set(served())
    used = set(re.findall(r'#/components/(\w+/[\w-]+)"', document.as_json().decode()))
    assert used == {f"schemas/{name}" for name in schemas.ALL} | {f"parameters/{name}" for name in parameters.ALL} | {
        f"headers/{name}" for name in parameters.HEADERS
    }


@pytest.mark.parametrize("path", DOCUMENT["paths"])
def test_the_parameters_of_a_path_are_described(path: str) -> None:
    for operation in DOCUMENT["paths"][path].values():
        named = {parameter["$ref"].rpartition("/")[2] for parameter in operation["parameters"]}
        assert set(re.findall(r"{(\w+)}", path)) == {
            parameters.ALL[name]["name"] for name in named if parameters.ALL[name]["in"] == "path"
        }


def test_every_operation_is_described_beyond_its_summary() -> None:
    for path, item in DOCUMENT["paths"].items():
        for method, operation in item.items():
            assert operation["description"].rstrip(".") != operation["summary"], f"{method} {path}"


def contents() -> Iterator[tuple[str, dict[str, Any]]]:
    """All that is told of bodies, with where it is told."""
    for path, item in DOCUMENT["paths"].items():
        for method, operation in item.items():
            for status, answer in operation["responses"].items():
                yield from ((f"{method} {path} {status}", content) for content in answer.get("content", {}).values())
            for content in operation.get("requestBody", {}).get("content", {}).values():
                yield f"{method} {path}", content


@pytest.mark.parametrize("content", [pytest.param(content, id=name) for name, content in contents()])
def test_an_example_is_what_its_schema_says(content: dict[str, Any]) -> None:
    validator = Draft202012Validator({**content["schema"], "components": DOCUMENT["components"]})
    examples = [each["value"] for each in content.get("examples", {}).values()]
    for example in [content["example"]] if "example" in content else examples:
        validator.validate(orjson.loads(orjson.dumps(example)))


def test_every_failure_has_the_error_shape() -> None:
    for name, content in contents():
        status = name.rpartition(" ")[2]
        if status.startswith(("4", "5")) and "/health" not in name:
            assert content["schema"]["$ref"].endswith("/Error"), name
            assert content["example"]["error_code"] == int(status)


def test_it_is_served(api: Api) -> None:
    as_json, as_yaml = api.get("/api/openapi.json"), api.get("/api/openapi.yaml")
    assert (as_json["Content-Type"], as_yaml["Content-Type"]) == ("application/json", "application/yaml")
    assert orjson.loads(as_json.content) == yaml.safe_load(as_yaml.content) == orjson.loads(orjson.dumps(DOCUMENT))


def test_the_page_has_all_it_needs_from_here(api: Api) -> None:
    page = api.get("/api/docs")
    assert page["Content-Type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in page["Content-Security-Policy"]
    assert "unsafe" not in page["Content-Security-Policy"]
    linked = re.findall(r'(?:src|href)="([^"]*)"', page.content.decode())
    assert len(linked) > 4
    for link in linked:
        if link.startswith("/static/"):
            assert finders.find(link.removeprefix("/static/")), link
        else:
            assert api.get(link).status_code == 200, link
