"""A cluster that is dead or slow hurts nobody but itself. It is a real server that takes requests and answers none."""

import socket
import threading
import time
from collections.abc import Iterator

import pytest
from django.test import Client

from connect_client import ConnectUnreachable
from dashboard.clusters import access, connect
from dashboard.follow.follower import Follower
from dashboard.follow.recorder import Recorder
from dashboard.follow.supervisor import _TIMEOUT
from dashboard.models import Cluster
from tests.dashboard.conftest import PACE, Notebook, PaperCluster
from tests.dashboard.test_pages import get, names, now

# Of what must not wait for the slow one; its own time-out is longer by far.
QUICK = 3.0


@pytest.fixture
def hangs() -> Iterator[str]:
    """The URL of a server that listens, takes what it is sent and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture
def slow(cluster: Cluster, paper: PaperCluster, hangs: str) -> Cluster:
    """It was read once, and hangs since; beside it `eu`, which answers."""
    slow = Cluster.objects.create(name="slow", urls=[hangs])
    for connector in ("lake", "orders"):
        paper.put(connector, "RUNNING", "FAILED")
    for each in (cluster, slow):
        Recorder(each).listing(paper.entries, now())
    return slow


def test_the_others_are_followed_shown_and_acted_upon_while_it_hangs(
    room: Client, slow: Cluster, paper: PaperCluster, follower: Follower
) -> None:
    ended = threading.Event()

    def wait() -> None:
        with connect(access(slow), timeout=_TIMEOUT) as client, pytest.raises(ConnectUnreachable, match="did not answer"):
            client.changes(None, 20)
        ended.set()

    waiting = threading.Thread(target=wait)
    waiting.start()
    began = time.monotonic()
    paper.put("lake", "RUNNING", "RUNNING")
    assert follower.step() == PACE.poll
    assert len(names(get(room, "/ui/"))) == 4
    assert room.post("/ui/clusters/eu/do/restart-failed/orders").status_code == 302
    assert 'id="cluster-slow"' in get(room, "/ui/settings/clusters/")
    assert time.monotonic() - began < QUICK
    assert not ended.is_set()
    waiting.join(_TIMEOUT * 2)
    assert ended.is_set()


def test_its_rows_stay_with_their_age_and_it_heals(room: Client, slow: Cluster, paper: PaperCluster, notebook: Notebook) -> None:
    quickly = connect(access(slow), timeout=0.2)
    following = Follower(slow, quickly, notebook, PACE)
    following.step()
    following.step()
    page = get(room, "/ui/")
    assert "Cluster slow cannot be reached" in page
    assert "did not answer within 0.2 s" in page
    assert "Its states are those of" in page
    assert page.count("row stale") == 2
    assert page.count("Cluster eu cannot") == 0
    following = Follower(slow, paper.client(), notebook, PACE)
    assert following.step() == PACE.poll
    assert "cannot be reached" not in get(room, "/ui/")


def test_it_is_told_dead_before_its_silence_is_taken_for_the_followers(slow: Cluster, notebook: Notebook) -> None:
    """Two attempts and the pause between them, whatever is asked for first."""
    client = connect(access(slow), timeout=0.2)
    following = Follower(slow, client, notebook, PACE)
    began = time.monotonic()
    for _ in range(2):
        following.step()
    assert time.monotonic() - began < 20 * 0.2


def test_another_address_of_it_is_asked_instead(hangs: str) -> None:
    """Its first worker hangs, its second is as good; and from then on nobody waits for the first."""
    answer = b'HTTP/1.1 200 OK\r\nContent-Length: 19\r\nConnection: close\r\n\r\n{"version":"4.3.0"}'
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            for _ in range(3):
                connection, _ = server.accept()
                with connection:
                    connection.recv(4096)
                    connection.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        urls = [hangs, f"http://127.0.0.1:{server.getsockname()[1]}"]
        with connect(access(Cluster(name="two", urls=urls)), timeout=0.5) as client:
            began = time.monotonic()
            assert [client.root().version for _ in range(3)] == ["4.3.0"] * 3
            assert time.monotonic() - began < 2 * 0.5
