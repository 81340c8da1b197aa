"""`/`, `/health`, `/connector-plugins` (facts §2, §7.1)."""

from collections.abc import Iterator

import pytest

from connect_api import herder as holder
from tests.api.conftest import Api, web_side
from tests.api.expect import expect_error, expect_json
from tests.fakes import Herding
from workers import COMMIT, VERSION


def test_the_root_says_version_commit_and_cluster(api: Api) -> None:
    expect_json(api.get("/"), 200, f'{{"version":"{VERSION}","commit":"{COMMIT}","kafka_cluster_id":"cluster-1"}}')


@pytest.mark.parametrize("accept", ["text/html", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"])
def test_people_are_sent_to_the_control_room(api: Api, accept: str) -> None:
    response = api.get("/", Accept=accept)
    assert (response.status_code, response["Location"]) == (302, "/ui/")


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_a_cache_must_tell_people_from_programs(api: Api, accept: str) -> None:
    assert "Accept" in api.get("/", Accept=accept)["Vary"]


def test_a_healthy_worker(api: Api) -> None:
    message = "Worker has completed startup and is ready to handle requests."
    expect_json(api.get("/health"), 200, f'{{"status":"healthy","message":"{message}"}}')


def test_a_leader_that_does_not_answer_is_unhealthy(api: Api) -> None:
    api.herding.herder.stop()
    message = "Worker was unable to handle this request and may be unable to handle other requests. Worker is shutting down"
    expect_json(api.get("/health"), 500, f'{{"status":"unhealthy","message":"{message}"}}')


def test_plugins_sinks_first(api: Api) -> None:
    expect_json(
        api.get("/connector-plugins"),
        200,
        '[{"class":"fake.Sink","type":"sink","version":"9.9"},{"class":"fake.Source","type":"source","version":"9.9"}]',
    )


# --- before the topics have been read ---------------------------------------------------------------------------------


@pytest.fixture
def starting(herding: Herding) -> Iterator[Api]:
    made = web_side(herding, herding.plugins)
    holder.use(made)
    yield Api(herding, made)
    holder.use(None)


def test_a_worker_that_is_starting_says_so(starting: Api) -> None:
    expect_json(starting.get("/health"), 503, '{"status":"starting","message":"Worker is still starting up."}')


@pytest.mark.parametrize("path", ["/connectors", "/connectors/a", "/connectors/a/status", "/connectors/a/tasks"])
def test_reads_are_503_until_the_topics_have_been_read(starting: Api, path: str) -> None:
    expect_error(starting.get(path), 503, "This worker is still starting up and has not yet read the internal topics")


@pytest.mark.parametrize("path", ["/", "/connector-plugins"])
def test_what_needs_no_topics_is_answered(starting: Api, path: str) -> None:
    assert starting.get(path).status_code == 200


def test_a_write_is_the_leaders_and_waits_for_nobody_here(starting: Api) -> None:
    assert starting.create().status_code == 201
