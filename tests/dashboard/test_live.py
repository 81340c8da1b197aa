"""From Redis to the streams: one subscription for all of them, a limit, and life without Redis."""

import time
from collections.abc import Iterator

import orjson
import pytest
from django.test import Client

from dashboard.live import hub as hub_module
from dashboard.live import stream as stream_module
from dashboard.live.hub import DOWN, UP, Hub, Subscription
from dashboard.live.messages import RIGHTS_CHANGED, Told
from dashboard.live.publisher import Publisher
from dashboard.live.stream import Stream
from dashboard.rights.roles import ADMIN_OF_ALL, NOTHING, Given, Rights, Role
from dashboard.views import live as live_view
from tests.waiting import eventually

NOWHERE = "redis://127.0.0.1:1/0"


@pytest.fixture
def joined() -> Iterator[list[tuple[Hub, Subscription]]]:
    """Leaves whatever the test joined, so that no listener outlives it."""
    pairs: list[tuple[Hub, Subscription]] = []
    yield pairs
    for hub, subscription in pairs:
        hub.leave(subscription)
    eventually(lambda: all(hub._listener is None for hub, _ in pairs))


def join(hub: Hub, joined: list[tuple[Hub, Subscription]]) -> Subscription:
    subscription = hub.join(ADMIN_OF_ALL)
    assert subscription is not None
    joined.append((hub, subscription))
    return subscription


def test_every_stream_hears_what_is_published(redis_url: str, joined: list[tuple[Hub, Subscription]]) -> None:
    hub = Hub(redis_url, 2)
    first, second = join(hub, joined), join(hub, joined)
    assert (first.next(5), second.next(5)) == (UP, UP)
    Publisher(redis_url).publish(b'{"cluster":"paper"}')
    # A whole Drover may be up on the same Redis, and have something to say as well.
    for subscription in (first, second):
        eventually(lambda heard=subscription: heard.next(5) == b'data: {"cluster":"paper"}\n\n')  # type: ignore[misc]


ORDERS = Rights((Given(Role.VIEWER, "eu", "orders-*"),))


def message(*names: str, cluster: str = "eu", gone: tuple[str, ...] = ()) -> dict[str, object]:
    return {"cluster": cluster, "connectors": [{"name": name} for name in names], "gone": list(gone)}


@pytest.mark.parametrize(
    ("has", "told", "seen"),
    [
        (ADMIN_OF_ALL, message("orders-1", "lake"), message("orders-1", "lake")),
        (ORDERS, message("orders-1", "lake"), message("orders-1")),
        (ORDERS, message("lake", gone=("orders-2", "pay")), message(gone=("orders-2",))),
        (ORDERS, message("lake"), None),
        (ORDERS, message("orders-1", cluster="us"), None),
        (ORDERS, {"cluster": "us", "refresh": True}, None),
        (ORDERS, {"cluster": "eu", "refresh": True}, {"cluster": "eu", "refresh": True}),
        (ORDERS, {"cluster": "eu", "connector": "lake"}, None),
        (ORDERS, {"cluster": "eu", "connector": "orders-1"}, {"cluster": "eu", "connector": "orders-1"}),
        (ORDERS, {"job": 4}, {"job": 4}),
        (NOTHING, message("orders-1"), None),
    ],
)
def test_a_reader_is_told_of_what_it_may_see(has: Rights, told: object, seen: object) -> None:
    passed_on = Told.parse(orjson.dumps(told)).to(has)
    assert (orjson.loads(passed_on) if passed_on else None) == seen


def test_streams_begin_anew_when_rights_have_changed() -> None:
    hub, subscription = Hub(NOWHERE, 1), Subscription(ORDERS)
    hub._subscriptions.add(subscription)
    hub._pass_on(orjson.dumps(message("lake")))
    hub._pass_on(orjson.dumps(message("orders-1")))
    assert subscription.next(0) == b"data: " + orjson.dumps(message("orders-1")) + b"\n\n"
    hub._pass_on(RIGHTS_CHANGED)
    assert list(Stream(hub, subscription)) == [b"retry: 2000\n\n"]


def test_places_are_limited_and_given_back(redis_url: str, joined: list[tuple[Hub, Subscription]]) -> None:
    hub = Hub(redis_url, 1)
    subscription = join(hub, joined)
    assert hub.join(ADMIN_OF_ALL) is None
    # A browser that is gone before the first byte.
    Stream(hub, subscription).close()
    join(hub, joined)


def test_streams_are_told_that_redis_is_away(joined: list[tuple[Hub, Subscription]]) -> None:
    hub = Hub(NOWHERE, 2)
    assert join(hub, joined).next(5) == DOWN
    # Also whoever comes later.
    assert join(hub, joined).next(5) == DOWN


def test_publishing_without_redis_is_no_error() -> None:
    started = time.monotonic()
    publisher = Publisher(NOWHERE)
    publisher.publish(b"{}")
    publisher.publish(b"{}")
    assert time.monotonic() - started < 3


def test_a_stream_beats_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_module, "BEAT", 0.01)
    subscription = Subscription(ADMIN_OF_ALL)
    stream = Stream(Hub(NOWHERE, 1), subscription)
    subscription.put(b"data: 1\n\n")
    assert [next(stream) for _ in range(3)] == [b"retry: 2000\n\n", b"data: 1\n\n", b": beat\n\n"]
    monkeypatch.setattr(stream, "_ends_at", 0.0)
    assert list(stream) == []


def test_who_does_not_read_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    subscription = Subscription(ADMIN_OF_ALL)
    for _ in range(hub_module._BACKLOG + 1):
        subscription.put(b"x")
    assert list(Stream(Hub(NOWHERE, 1), subscription)) == [b"retry: 2000\n\n"]


def test_the_view_streams_or_says_that_it_is_full(room: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub(NOWHERE, 1)
    monkeypatch.setattr(live_view, "hub", lambda: hub)
    response = room.get("/ui/live")
    assert (response.status_code, response.headers["Content-Type"]) == (200, "text/event-stream")
    assert (response.headers["Cache-Control"], response.headers["X-Accel-Buffering"]) == ("no-cache", "no")
    full = room.get("/ui/live")
    assert (full.status_code, full.headers["Retry-After"]) == (503, "30")
    response.close()
    again = room.get("/ui/live")
    assert again.status_code == 200
    again.close()
    eventually(lambda: hub._listener is None)
