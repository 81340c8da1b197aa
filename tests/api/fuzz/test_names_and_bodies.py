"""Any name and any body, made up by Hypothesis. One API for all of them: each leaves nothing behind.
DROVER_FUZZ_SECONDS=600 looks for about ten minutes."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connect_api import herder as holder
from connect_api.paths import segment
from tests.api.conftest import Api, web_side
from tests.api.fuzz.conftest import SECONDS
from tests.fakes import Herding, until

# Control characters are refused, and blanks around a name are cut off.
NAMES = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=20).filter(lambda name: name == name.strip())
FIELDS = ("name", "config", "initial_state", "offsets", "partition", "offset", "connector.class", "tasks.max")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=3), inner, max_size=4),
    max_leaves=8,
)
BODIES = st.binary(max_size=40) | JSON.map(lambda body: json.dumps(body).encode()) | st.text(max_size=20).map(str.encode)
QUESTIONS = st.sampled_from(
    [
        ("POST", "/connectors"),
        ("PUT", "/connectors/a/config"),
        ("PUT", "/connectors/nope/config"),
        ("PATCH", "/connectors/a/offsets"),
        ("PATCH", "/connectors/nope/offsets"),
        ("PUT", "/connectors/nope/pause"),
        ("POST", "/connectors/nope/restart"),
        ("DELETE", "/connectors/nope"),
        ("PUT", "/nope"),
    ]
)
PATHS = st.text(st.sampled_from("/%;.aA0 \\?{}+~é"), max_size=12)


@pytest.fixture(scope="module")
def fuzzed() -> Iterator[Api]:
    with Herding().started() as herding:
        made = web_side(herding, herding.plugins)
        made.start()
        until(made._ready.is_set)
        holder.use(made)
        api = Api(herding, made)
        api.create("a")
        yield api
        holder.use(None)


pytestmark = pytest.mark.timeout(2 * SECONDS + 120)
often = settings(max_examples=10 * SECONDS or 150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@often
@given(name=NAMES)
def test_a_name_that_can_be_created_can_be_used(fuzzed: Api, name: str) -> None:
    path = f"/connectors/{segment(name)}"
    created = fuzzed.request("POST", "/connectors", {"name": name, "config": {"connector.class": "fake.Source"}})
    if name == "a":
        assert created.status_code == 409
        return
    assert created.status_code == 201, created.content
    fuzzed.herding.settle()
    assert created["Location"] == f"http://testserver{path}"
    for tail in ("", "/status", "/config", "/topics", "/tasks", "/tasks/0/status"):
        assert fuzzed.get(path + tail).status_code == 200, tail
    assert name in fuzzed.json("/connectors")
    assert fuzzed.json(path)["name"] == name
    assert fuzzed.request("POST", f"{path}/restart?includeTasks=true").status_code == 202
    assert fuzzed.request("DELETE", path).status_code == 204
    assert fuzzed.get(path).status_code == 404


@often
@given(question=QUESTIONS, body=BODIES)
def test_whatever_is_sent_is_answered_in_one_shape(fuzzed: Api, question: tuple[str, str], body: bytes) -> None:
    response = fuzzed.request(*question, body)
    assert response.status_code < 500, response.content
    if response.status_code >= 400:
        assert list(json.loads(response.content)) == ["error_code", "message"]


@often
@given(path=PATHS)
def test_whatever_is_asked_for_is_answered_in_one_shape(fuzzed: Api, path: str) -> None:
    response = fuzzed.get(f"/connectors/{path}")
    assert response.status_code < 500, response.content
    if response.status_code >= 400:
        assert list(json.loads(response.content)) == ["error_code", "message"]
