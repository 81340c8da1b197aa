"""From Redis to the streams: one subscription for all of them, a limit, and life without Redis."""

import time
from collections.abc import Iterator

import pytest
from django.test import Client

from dashboard.live import hub as hub_module
from dashboard.live import stream as stream_module
from dashboard.live.hub import DOWN, UP, Hub, Subscription
from dashboard.live.publisher import Publisher
from dashboard.live.stream import Stream
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
    eventually(lambda: all(hub._listener is None for hub, _ in pairs), 10)


def join(hub: Hub, joined: list[tuple[Hub, Subscription]]) -> Subscription:
    subscription = hub.join()
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
        eventually(lambda heard=subscription: heard.next(5) == b'data: {"cluster":"paper"}\n\n', 5)  # type: ignore[misc]


def test_places_are_limited_and_given_back(redis_url: str, joined: list[tuple[Hub, Subscription]]) -> None:
    hub = Hub(redis_url, 1)
    subscription = join(hub, joined)
    assert hub.join() is None
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
    subscription = Subscription()
    stream = Stream(Hub(NOWHERE, 1), subscription)
    subscription.put(b"data: 1\n\n")
    assert [next(stream) for _ in range(3)] == [b"retry: 2000\n\n", b"data: 1\n\n", b": beat\n\n"]
    monkeypatch.setattr(stream, "_ends_at", 0.0)
    assert list(stream) == []


def test_who_does_not_read_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    subscription = Subscription()
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
    eventually(lambda: hub._listener is None, 10)
