"""That something waits, told to the control processes over Redis. A hint: they look once a second anyhow."""

import logging
import threading
from collections.abc import Callable

import redis
from django.conf import settings

from dashboard.live.publisher import publisher

logger = logging.getLogger(__name__)

_RETRY_AFTER = 1.0


def hint(channel: str) -> None:
    publisher().publish(b"1", channel)


def listen(stop: threading.Event, told: Callable[[], None], channel: str) -> None:
    """Until stopped; whenever Redis is there."""
    while not stop.is_set():
        try:
            _listen(stop, told, channel)
        except redis.RedisError as error:
            logger.debug("%s are looked for once a second, Redis is not there: %s", channel, error)
            stop.wait(_RETRY_AFTER)


def _listen(stop: threading.Event, told: Callable[[], None], name: str) -> None:
    client = redis.Redis.from_url(settings.REDIS_URL, socket_timeout=5, socket_connect_timeout=2, health_check_interval=10)
    with (
        client,
        client.pubsub(  # type: ignore[no-untyped-call]
            ignore_subscribe_messages=True
        ) as channel,
    ):
        channel.subscribe(name)
        # Whatever was asked for while nothing was heard.
        told()
        while not stop.is_set():
            if channel.get_message(timeout=1.0) is not None:
                told()
