"""`/connectors/{c}/topics` (facts §3.12)."""

from collections.abc import Iterator

import pytest

from connect_api import herder as holder
from tests.api.conftest import Api, web_side
from tests.api.expect import expect_empty, expect_error, expect_json
from tests.fakes import Herding, until
from workers.herder.topics import TopicTracking
from workers.herder.values import TaskId


def test_the_topics_that_the_tasks_used(api: Api) -> None:
    api.create()
    expect_json(api.get("/connectors/a/topics"), 200, '{"a":{"topics":[]}}')
    api.herding.topics.record(TaskId("a", 0), ["t2", "t1"])
    expect_json(api.get("/connectors/a/topics"), 200, '{"a":{"topics":["t1","t2"]}}')


def test_of_an_unknown_connector_none(api: Api) -> None:
    expect_json(api.get("/connectors/no/topics"), 200, '{"no":{"topics":[]}}')
    expect_empty(api.request("PUT", "/connectors/no/topics/reset"), 202)


def test_after_a_reset_they_come_back_with_the_next_record(api: Api) -> None:
    api.create()
    api.herding.topics.record(TaskId("a", 0), ["t1", "t2"])
    expect_empty(api.request("PUT", "/connectors/a/topics/reset"), 202)
    expect_json(api.get("/connectors/a/topics"), 200, '{"a":{"topics":[]}}')
    api.herding.topics.record(TaskId("a", 0), ["t2"])
    expect_json(api.get("/connectors/a/topics"), 200, '{"a":{"topics":["t2"]}}')


def test_a_connector_created_anew_has_none(api: Api) -> None:
    api.create()
    api.herding.topics.record(TaskId("a", 0), ["t1"])
    api.request("DELETE", "/connectors/a")
    expect_json(api.get("/connectors/a/topics"), 200, '{"a":{"topics":[]}}')
    api.herding.settle()
    api.create()
    expect_json(api.get("/connectors/a/topics"), 200, '{"a":{"topics":[]}}')


@pytest.fixture
def tracking(request: pytest.FixtureRequest, herding: Herding) -> Iterator[Api]:
    """An API whose process has the given settings."""
    made = web_side(herding, herding.plugins, request.param)
    made.start()
    until(made._ready.is_set)
    holder.use(made)
    yield Api(herding, made)
    holder.use(None)


@pytest.mark.parametrize("tracking", [TopicTracking(enabled=False)], indirect=True)
def test_where_topics_are_not_tracked(tracking: Api) -> None:
    expect_error(tracking.get("/connectors/a/topics"), 403, "Topic tracking is disabled.")
    expect_error(tracking.request("PUT", "/connectors/a/topics/reset"), 403, "Topic tracking is disabled.")


@pytest.mark.parametrize("tracking", [TopicTracking(allow_reset=False)], indirect=True)
def test_where_they_may_not_be_reset(tracking: Api) -> None:
    tracking.create()
    tracking.herding.topics.record(TaskId("a", 0), ["t"])
    expect_error(tracking.request("PUT", "/connectors/a/topics/reset"), 403, "Topic tracking reset is disabled.")
    expect_json(tracking.get("/connectors/a/topics"), 200, '{"a":{"topics":["t"]}}')
