"""What the client makes of answers: values, refusals, and no answer at all. The server is a function here."""

import gc
from collections.abc import Callable

import httpx
import pytest

from connect_client import (
    ConnectClient,
    ConnectConflict,
    ConnectNotFound,
    ConnectRefused,
    ConnectUnexpected,
    ConnectUnreachable,
    Group,
    Listing,
    Logger,
    PartitionOffset,
    Position,
    Unchanged,
)

Server = Callable[[httpx.Request], httpx.Response]
RESTARTING = {
    "name": "a",
    "connector": {"state": "RUNNING", "worker_id": "w"},
    "tasks": [{"id": 0, "state": "RESTARTING", "worker_id": "w"}],
}


def client(server: Server, url: str = "http://connect:8083", naps: list[float] | None = None) -> ConnectClient:
    slept = naps if naps is not None else []
    return ConnectClient(url, transport=httpx.MockTransport(server), sleep=slept.append)


def answering(status: int, **content: object) -> Server:
    return lambda _request: httpx.Response(status, **content)  # type: ignore[arg-type]


def test_a_base_path_is_kept() -> None:
    asked: list[str] = []

    def server(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        return httpx.Response(202, json=RESTARTING)

    status = client(server, "https://gate/connect/eu/").restart("a b", only_failed=True)
    assert asked == ["https://gate/connect/eu/connectors/a%20b/restart?includeTasks=true&onlyFailed=true"]
    assert status.tasks[0].state == "RESTARTING"


@pytest.mark.parametrize(("status", "kind"), [(404, ConnectNotFound), (500, ConnectRefused), (400, ConnectRefused)])
def test_a_refusal_carries_what_was_told(status: int, kind: type[ConnectRefused]) -> None:
    with pytest.raises(kind) as refusal, client(answering(status, json={"error_code": status, "message": "No."})) as connect:
        connect.status("a")
    assert (refusal.value.status, refusal.value.error_code, refusal.value.message) == (status, status, "No.")


@pytest.mark.parametrize(
    "content", [{"html": "<h1>Not yet</h1>"}, {"json": {"error_code": 404, "message": None}}, {"content": b""}]
)
def test_a_refusal_without_a_message_says_the_status(content: dict[str, object]) -> None:
    with pytest.raises(ConnectNotFound, match="HTTP 404 Not Found"):
        client(answering(404, **content)).status("a")


def test_409_is_tried_again_until_it_is_over() -> None:
    answers = iter([409, 409, 202])
    naps: list[float] = []
    client(lambda _request: httpx.Response(next(answers)), naps=naps).pause("a")
    assert naps == [0.2, 0.4]


def test_409_that_does_not_end_is_a_conflict() -> None:
    naps: list[float] = []
    with pytest.raises(ConnectConflict, match="rebalance"):
        client(answering(409, json={"error_code": 409, "message": "rebalance"}), naps=naps).pause("a")
    assert len(naps) == 4


def test_so_is_a_500_that_says_the_same() -> None:
    naps: list[float] = []
    told = {"error_code": 500, "message": "Request cannot be completed because a rebalance is expected"}
    with pytest.raises(ConnectConflict) as raised:
        client(answering(500, json=told), naps=naps).config("a")
    assert (len(naps), raised.value.status) == (4, 500)


def test_a_name_that_is_taken_is_not_tried_again() -> None:
    naps: list[float] = []
    with pytest.raises(ConnectConflict):
        client(answering(409, json={"error_code": 409, "message": "Connector a already exists"}), naps=naps).create("a", {})
    assert naps == []


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (httpx.ConnectError("[Errno 111] Connection refused"), "http://connect:8083 cannot be reached: Connection refused."),
        (httpx.ConnectTimeout("timed out"), "no connection within 3 s"),
        (httpx.ReadTimeout("timed out"), "did not answer within 15 s"),
        (httpx.RemoteProtocolError("Server disconnected without sending a response."), "cannot be reached: Server disconnected"),
    ],
)
def test_no_answer(error: httpx.HTTPError, words: str) -> None:
    def server(_request: httpx.Request) -> httpx.Response:
        raise error

    with pytest.raises(ConnectUnreachable) as unreachable:
        client(server).root()
    assert words in str(unreachable.value)


@pytest.mark.parametrize(
    "content", [{"html": "<p>Welcome to the proxy</p>"}, {"json": ["a"]}, {"json": {"commit": "x"}}, {"content": b""}]
)
def test_an_answer_of_somebody_else(content: dict[str, object]) -> None:
    with pytest.raises(ConnectUnexpected):
        client(answering(200, **content)).root()


@pytest.mark.parametrize(("status", "word"), [(200, "healthy"), (503, "starting"), (500, "unhealthy")])
def test_health_is_answered_whatever_the_status(status: int, word: str) -> None:
    health = client(answering(status, json={"status": word, "message": "m"})).health()
    assert (health.status, health.healthy) == (word, status == 200)


def test_health_that_older_connect_does_not_have() -> None:
    with pytest.raises(ConnectNotFound):
        client(answering(404, json={"error_code": 404, "message": "HTTP 404 Not Found"})).health()


def test_following_a_server_that_holds_requests() -> None:
    asked: list[tuple[str | None, str | None]] = []

    def server(request: httpx.Request) -> httpx.Response:
        asked.append((request.headers.get("Prefer"), request.headers.get("If-None-Match")))
        headers = {"ETag": '"7"', "Preference-Applied": "wait"}
        return httpx.Response(304 if "If-None-Match" in request.headers else 200, json={"a": {}}, headers=headers)

    connect = client(server)
    first = connect.changes(None, 20)
    assert first == Listing({"a": {}}, '"7"', holds=True)
    assert connect.changes('"7"', 20) == Unchanged(holds=True)
    assert asked == [("wait=20", None), ("wait=20", '"7"')]


def test_following_a_server_that_does_not() -> None:
    assert client(answering(200, json={"a": {}})).changes(None, 20) == Listing({"a": {}}, None, holds=False)


def test_a_list_of_names_is_not_what_was_asked_for() -> None:
    with pytest.raises(ConnectUnexpected, match="shape"):
        client(answering(200, json=["a", "b"])).changes(None, 20)


def test_workers_are_asked_for_on_a_condition() -> None:
    asked: list[str | None] = []

    def server(request: httpx.Request) -> httpx.Response:
        asked.append(request.headers.get("If-None-Match"))
        body: dict[str, object] = {"epoch": 3, "leader": None, "workers": [], "moving": []}
        return httpx.Response(304 if asked[-1] else 200, json=body, headers={"ETag": '"7"'})

    connect = client(server)
    assert connect.workers() == Group(3, None, (), (), etag='"7"')
    assert connect.workers('"7"') == Unchanged(holds=False)
    assert asked == [None, '"7"']


def test_workers_of_kafka_connect_are_not_told() -> None:
    with pytest.raises(ConnectNotFound):
        client(answering(404, json={"error_code": 404, "message": "HTTP 404 Not Found"})).workers()


def test_workers_in_another_shape() -> None:
    with pytest.raises(ConnectUnexpected, match="shape"):
        client(answering(200, json={"workers": {}})).workers()


def test_offsets_are_read_and_the_servers_word_on_a_change_is_given() -> None:
    at = PartitionOffset({"kafka_topic": "t", "kafka_partition": 0}, {"kafka_offset": 5})
    with client(answering(200, json={"offsets": [at.to_json()]})) as connect:
        assert connect.offsets("a") == [at]
    with client(answering(200, json={"message": "Done."})) as connect:
        assert (connect.alter_offsets("a", [at]), connect.reset_offsets("a")) == ("Done.", "Done.")


def test_topics_are_read() -> None:
    with client(answering(200, json={"a": {"topics": ["t2", "t1"]}})) as connect:
        assert connect.topics("a") == ["t1", "t2"]
    with client(answering(200, json={"b": {"topics": []}})) as connect, pytest.raises(ConnectUnexpected, match="shape"):
        connect.topics("a")


def test_positions_are_read() -> None:
    partition = {"kafka_topic": "t", "kafka_partition": 1}
    told = [
        {"partition": partition, "offset": {"kafka_offset": 5}, "beginning": 2, "end": 9, "at": 7},
        {"partition": partition, "offset": None, "beginning": 0, "end": 0, "at": None},
    ]
    with client(answering(200, json={"positions": told})) as connect:
        assert connect.positions("a", 1) == [Position("t", 1, 5, 2, 9, 7), Position("t", 1, None, 0, 0)]
    with (
        client(answering(404, json={"error_code": 404, "message": "HTTP 404 Not Found"})) as connect,
        pytest.raises(ConnectNotFound),
    ):
        connect.positions("a")


def test_loggers_are_read_also_where_it_is_not_told_when_they_were_set() -> None:
    told = {
        "root": {"level": "INFO"},
        "org.a": {"level": "DEBUG", "last_modified": 5},
        "org.b": {"level": "WARN", "last_modified": None},
    }
    with client(answering(200, json=told)) as connect:
        assert connect.loggers() == [Logger("org.a", "DEBUG", 5), Logger("org.b", "WARN", None), Logger("root", "INFO", None)]


def test_a_level_is_set_for_one_worker_or_for_all() -> None:
    with client(answering(200, json=["org.a", "org.a.b"])) as connect:
        assert connect.set_level("org.a", "DEBUG") == ("org.a", "org.a.b")
        assert connect.set_level("org.a", "DEBUG", cluster=True) == ("org.a", "org.a.b")
    with client(answering(204)) as connect:
        assert connect.set_level("org.a", "DEBUG", cluster=True) is None


def test_one_that_nobody_has_any_more_leaves_no_connection_open() -> None:
    client = ConnectClient("http://nobody")
    (address,) = client._addresses._all
    assert not address.http.is_closed
    del client
    gc.collect()
    assert address.http.is_closed
