"""Several addresses of one cluster: which are tried, in which order, and what is never said twice."""

from collections.abc import Callable

import httpx
import pytest

from connect_client import ConnectClient, ConnectDenied, ConnectNotFound, ConnectPartly, ConnectUnreachable, calls
from connect_client.addresses import Fate, fate, goes_on
from connect_client.retry import RetryPolicy

ERROR_PAGE = {"html": "<html><title>Error 404 Not Found</title></html>"}
OLD = {"name": "a", "connector": {"state": "RUNNING", "worker_id": "w"}}
TASKS = [{"id": 0, "state": "FAILED", "worker_id": "w"}, {"id": 1, "state": "RUNNING", "worker_id": "w"}]


def refused() -> httpx.HTTPError:
    return httpx.ConnectError("[Errno 111] Connection refused")


def silent() -> httpx.HTTPError:
    return httpx.ReadTimeout("timed out")


@pytest.mark.parametrize(
    ("attempt", "became"),
    [
        (httpx.Response(200, json={}), Fate.ANSWERED),
        (httpx.Response(409, json={"error_code": 409}), Fate.ANSWERED),
        (httpx.Response(500, html="Oh."), Fate.ANSWERED),
        (httpx.Response(404, json={"error_code": 404, "message": "HTTP 404 Not Found"}), Fate.ANSWERED),
        (httpx.Response(503, json={"status": "starting"}), Fate.ANSWERED),
        (httpx.Response(404, **ERROR_PAGE), Fate.NOT_SENT),  # type: ignore[arg-type]
        (httpx.Response(503), Fate.NOT_SENT),
        (httpx.Response(502, html="Bad Gateway"), Fate.LOST),
        (httpx.Response(504), Fate.LOST),
        (refused(), Fate.NOT_SENT),
        (httpx.ConnectTimeout("t"), Fate.NOT_SENT),
        (httpx.PoolTimeout("t"), Fate.NOT_SENT),
        (httpx.InvalidURL("u"), Fate.NOT_SENT),
        (silent(), Fate.LOST),
        (httpx.WriteTimeout("t"), Fate.LOST),
        (httpx.ReadError("r"), Fate.LOST),
        (httpx.RemoteProtocolError("p"), Fate.LOST),
    ],
)
def test_what_became_of_a_request(attempt: httpx.Response | httpx.HTTPError, became: Fate) -> None:
    assert fate(attempt) is became


@pytest.mark.parametrize(
    ("became", "call", "lost_before", "on"),
    [
        (Fate.ANSWERED, calls.root(), 0, False),
        (Fate.NOT_SENT, calls.create("a", {}), 0, True),
        (Fate.NOT_SENT, calls.root(), 1, True),
        (Fate.LOST, calls.root(), 0, True),
        (Fate.LOST, calls.root(), 1, False),
        (Fate.LOST, calls.stop("a"), 0, True),
        (Fate.LOST, calls.create("a", {}), 0, False),
        (Fate.LOST, calls.restart("a", only_failed=True), 0, False),
        (Fate.LOST, calls.alter_offsets("a", []), 0, False),
        (Fate.LOST, calls.delete("a"), 0, False),
    ],
)
def test_whether_the_next_address_is_tried(became: Fate, call: calls.Call, lost_before: int, on: bool) -> None:
    assert goes_on(became, call, lost_before) is on


class Cluster:
    """Three addresses, each with what it does: answer, or raise."""

    def __init__(self, **does: httpx.HTTPError | httpx.Response | None) -> None:
        self.does = {"one": None, "two": None, "three": None} | does
        self.asked: list[str] = []
        urls = [f"http://{host}:8083/base" for host in self.does]
        transport = httpx.MockTransport(self.answer)
        self.client = ConnectClient(urls, transport=transport, retry=RetryPolicy(attempts=1), timeout=5)

    def answer(self, request: httpx.Request) -> httpx.Response:
        assert request.url.path.startswith("/base/")
        self.asked.append(request.url.host)
        does = self.does[request.url.host]
        if isinstance(does, Exception):
            raise does
        return does or httpx.Response(200, json={"version": "4.3.0"})


def test_the_first_is_asked_while_it_answers() -> None:
    cluster = Cluster()
    cluster.client.root()
    cluster.client.root()
    assert cluster.asked == ["one", "one"]


def test_whoever_answered_last_is_asked_first() -> None:
    cluster = Cluster(one=refused())
    cluster.client.root()
    cluster.does["one"] = None
    cluster.client.root()
    assert cluster.asked == ["one", "two", "two"]
    cluster.does["two"] = refused()
    cluster.client.root()
    assert cluster.asked[3:] == ["two", "three"]


def test_a_worker_that_only_begins_to_listen_is_not_asked() -> None:
    cluster = Cluster(one=httpx.Response(404, html="<h2>HTTP ERROR 404</h2>"))
    assert cluster.client.root().version == "4.3.0"
    cluster = Cluster(**dict.fromkeys(("one", "two", "three"), httpx.Response(404, html="<h2>HTTP ERROR 404</h2>")))
    with pytest.raises(ConnectNotFound, match="HTTP 404 Not Found"):
        cluster.client.root()


@pytest.mark.parametrize(
    "change",
    [
        lambda client: client.create("a", {}),
        lambda client: client.restart("a", only_failed=True),
        lambda client: client.delete("a"),
        lambda client: client.alter_offsets("a", []),
    ],
)
def test_what_may_have_been_carried_out_is_not_said_again(change: Callable[[ConnectClient], object]) -> None:
    cluster = Cluster(one=silent())
    with pytest.raises(ConnectUnreachable, match=r"http://one:8083/base did not answer within 5 s\.") as lost:
        change(cluster.client)
    assert lost.value.sent
    assert cluster.asked == ["one"]
    # But the next request goes elsewhere.
    cluster.client.root()
    assert cluster.asked == ["one", "two"]


def test_what_did_not_get_there_is_said_elsewhere() -> None:
    cluster = Cluster(one=refused(), two=httpx.ConnectTimeout("t"), three=httpx.Response(204))
    cluster.client.delete("a")
    assert cluster.asked == ["one", "two", "three"]


def test_silence_is_put_up_with_once() -> None:
    cluster = Cluster(one=silent(), two=silent())
    with pytest.raises(ConnectUnreachable) as unreachable:
        cluster.client.root()
    assert cluster.asked == ["one", "two"]
    assert str(unreachable.value).count("did not answer within 5 s") == 2
    cluster.client.root()
    assert cluster.asked == ["one", "two", "three"]


def test_who_waits_for_changes_asks_again_by_himself() -> None:
    cluster = Cluster(one=silent())
    with pytest.raises(ConnectUnreachable, match="within 25 s"):
        cluster.client.changes('"7"', 20)
    assert cluster.asked == ["one"]
    # Without anything to compare with nobody holds the request, and it is no longer waited for.
    with pytest.raises(ConnectUnreachable, match="within 5 s"):
        Cluster(one=silent(), two=silent()).client.changes(None, 20)


def test_none_can_be_reached() -> None:
    cluster = Cluster(one=refused(), two=httpx.ConnectTimeout("t"), three=refused())
    with pytest.raises(ConnectUnreachable) as unreachable:
        cluster.client.create("a", {})
    assert not unreachable.value.sent
    assert str(unreachable.value) == (
        "http://one:8083/base cannot be reached: Connection refused. "
        "http://two:8083/base cannot be reached: no connection within 3 s. "
        "http://three:8083/base cannot be reached: Connection refused."
    )


@pytest.mark.parametrize(("status", "words"), [(401, "401, Unauthorized"), (403, "403, Forbidden")])
def test_who_may_not_is_told_so_and_nobody_else_is_asked(status: int, words: str) -> None:
    cluster = Cluster(one=httpx.Response(status, text="User cannot access the resource."))
    with pytest.raises(ConnectDenied, match=f"http://one:8083/base answered {words}"):
        cluster.client.root()
    assert cluster.asked == ["one"]


class Old:
    """Before KIP-745: a restart is of the connector instance, whatever its parameters, and is answered with nothing."""

    def __init__(self, refuses: str = "") -> None:
        self.asked: list[str] = []
        self.refuses = refuses
        self.client = ConnectClient("http://old", transport=httpx.MockTransport(self.answer), retry=RetryPolicy(attempts=1))

    def answer(self, request: httpx.Request) -> httpx.Response:
        path = request.url.raw_path.decode()
        if path == self.refuses:
            return httpx.Response(409, json={"error_code": 409, "message": "rebalance"})
        if request.method == "GET":
            return httpx.Response(200, json={**OLD, "tasks": TASKS})
        self.asked.append(path)
        return httpx.Response(204)


@pytest.mark.parametrize(
    ("only_failed", "in_one_call", "asked", "states"),
    [
        (True, False, ["/connectors/a/tasks/0/restart"], ["RUNNING", "RESTARTING", "RUNNING"]),
        (
            False,
            False,
            ["/connectors/a/restart", "/connectors/a/tasks/0/restart", "/connectors/a/tasks/1/restart"],
            ["RESTARTING", "RESTARTING", "RESTARTING"],
        ),
        (
            True,
            True,
            ["/connectors/a/restart?includeTasks=true&onlyFailed=true", "/connectors/a/tasks/0/restart"],
            ["RUNNING", "RESTARTING", "RUNNING"],
        ),
    ],
)
def test_a_restart_where_it_is_not_known_in_one_call(
    only_failed: bool, in_one_call: bool, asked: list[str], states: list[str]
) -> None:
    old = Old()
    status = old.client.restart("a", only_failed=only_failed, in_one_call=in_one_call)
    assert old.asked == asked
    assert [status.connector.state, *[task.state for task in status.tasks]] == states


def test_a_restart_that_stops_half_way_says_so() -> None:
    with pytest.raises(ConnectPartly, match="2 of 3 were asked to restart, then: rebalance"):
        Old("/connectors/a/tasks/1/restart").client.restart("a", only_failed=False, in_one_call=False)
