"""Real parts for every tier: one broker and one Redis for the whole run, and one complete Drover on top of them.

Give your topics and connectors names of your own: the parts are shared.
"""

import os
from collections.abc import Generator, Iterator
from typing import Any

import hypothesis
import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.running import CLUSTERS_FILE, NO_CLUSTERS, RunningDrover, running


def pytest_configure() -> None:
    # JVMs that live for seconds, several at a time on few cores: what they would gain by compiling twice they never get back.
    # Spark's start takes a third less processor so.
    os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1")
    # How quickly examples are made and tried says how busy the machine is, and nothing of what is tested.
    hypothesis.settings.register_profile("busy", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
    hypothesis.settings.load_profile("busy")


class ByTier(LoadScopeScheduling):  # type: ignore[misc]
    """Of tests that run in several processes side by side (`make test`), those that share parts stay together: those of a tier,
    or of a module of the integration tests."""

    def _split_scope(self, nodeid: str) -> str:
        _, tier, rest = nodeid.split("/", 2)
        if tier != "integration":
            return tier
        # A folder there is of tests that have Spark in their own process, where there is but one of it.
        return f"{tier}/spark" if "/" in rest.partition("::")[0] else f"{tier}/{rest.partition('::')[0]}"


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByTier:
    return ByTier(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that failed tells what its installations complained of last."""
    report = yield
    if report.failed:
        for name, value in getattr(item, "funcargs", {}).items():
            if isinstance(value, RunningDrover):
                report.sections += [(f"{name}: {part}", text) for part, text in value.complaints().items()]
    return report


@pytest.fixture(scope="session")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDrover]:
    """Broker and Redis alone, started by `manage.py up --only broker,redis`."""
    with running(tmp_path_factory.mktemp("services"), "--only", "broker,redis") as services:
        yield services


@pytest.fixture(scope="session")
def kafka(services: RunningDrover) -> str:
    """The bootstrap servers of a real Apache Kafka broker."""
    return services.bootstrap_servers


@pytest.fixture(scope="session")
def redis_url(services: RunningDrover) -> str:
    """The URL of a real Redis."""
    return services.redis_url


@pytest.fixture(scope="session")
def drover(tmp_path_factory: pytest.TempPathFactory, kafka: str, redis_url: str) -> Iterator[RunningDrover]:
    """A complete Drover: worker, web and control of its own, given the broker and the Redis of `services` by name. The file of
    clusters in its data folder names none."""
    folder = tmp_path_factory.mktemp("drover")
    file = folder / CLUSTERS_FILE
    file.write_text(NO_CLUSTERS)
    settings = {"DROVER_CLUSTERS_FILE": str(file)}
    with running(folder, bootstrap_servers=kafka, redis_url=redis_url, settings=settings) as drover:
        yield drover


@pytest.fixture(scope="module")
def other_kafka(tmp_path_factory: pytest.TempPathFactory, redis_url: str) -> Iterator[str]:
    """The bootstrap servers of another broker."""
    with running(tmp_path_factory.mktemp("elsewhere"), "--only", "broker", redis_url=redis_url) as services:
        yield services.bootstrap_servers
