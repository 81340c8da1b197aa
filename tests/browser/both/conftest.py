"""Drover's own cluster and a real Apache Kafka Connect in one control room: `sites`; `site` is each of them in turn."""

import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from connect_client import ConnectClient
from tests.browser.both.site import Site, Watched
from tests.browser.paper import registered
from tests.proxy import proxying
from tests.room import Room
from tests.running import RunningDrover
from tests.two_clusters import Apache, apache_connect
from tests.waiting import eventually


@pytest.fixture(scope="package")
def worker(kafka: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Apache]:
    """One for all of these tests."""
    # What a worker that has gone ran is another's after so many milliseconds, in place of five minutes.
    with apache_connect(kafka, tmp_path_factory.mktemp("apache"), {"scheduled.rebalance.max.delay.ms": "30000"}) as worker:
        yield worker


@pytest.fixture(scope="package")
def apache(worker: Apache, drover: RunningDrover, kafka: str) -> Iterator[ConnectClient]:
    """Registered as `apache`; once the room knows it and its plug-ins."""
    room = Room(drover)
    with registered(drover, "apache", worker.client.url, bootstrap_servers=kafka):
        eventually(lambda: "apache" in str(room.get("plugins")), "Apache Kafka Connect's plug-ins")
        yield worker.client
    room.close()


@pytest.fixture
def sites(
    drover: RunningDrover, worker: Apache, apache: ConnectClient, kafka: str, tmp_path: Path
) -> Iterator[tuple[Site, Site]]:
    """Connectors that a test makes are deleted at its end."""
    with drover.client() as local, cleared(apache):
        yield (
            Site("local", local, kafka, "connect-configs", tmp_path),
            Site("apache", apache, kafka, f"{worker.group}-config", tmp_path),
        )


@pytest.fixture(params=["local", "apache"])
def site(request: pytest.FixtureRequest, sites: tuple[Site, Site]) -> Site:
    return next(site for site in sites if site.cluster == request.param)


@pytest.fixture
def watched(drover: RunningDrover, sites: tuple[Site, Site], name: str) -> Iterator[tuple[Watched, Watched]]:
    with ExitStack() as stack:

        def registered_again(site: Site) -> Watched:
            proxy = stack.enter_context(proxying(site.client.url))
            cluster = f"{name}-{site.cluster}"
            stack.enter_context(registered(drover, cluster, proxy.url))
            return Watched(replace(site, cluster=cluster), proxy)

        local, apache = map(registered_again, sites)
        yield local, apache


@pytest.fixture
def room(drover: RunningDrover) -> Iterator[Room]:
    room = Room(drover)
    yield room
    room.close()


@pytest.fixture
def name() -> str:
    return f"b-{uuid.uuid4().hex[:6]}"


@pytest.fixture
def cluster(name: str, room: Room) -> Iterator[str]:
    """The name of one that a test adds; it is not left."""
    yield name
    if any(one["name"] == name for one in room.get("clusters")):
        room.delete(f"clusters/{name}")


@contextmanager
def cleared(client: ConnectClient) -> Iterator[None]:
    before = set(client.connectors())
    yield
    for name in set(client.connectors()) - before:
        client.delete(name)
