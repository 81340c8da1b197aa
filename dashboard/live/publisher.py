"""Passing a change on, if there is anything to pass it to."""

import logging
from functools import cache

import redis
from django.conf import settings

from dashboard.live.messages import CHANNEL

logger = logging.getLogger(__name__)


class Publisher:
    """Never raises and never waits long: a change that cannot be passed on is found by the pages themselves, seconds later."""

    def __init__(self, url: str) -> None:
        self._redis = redis.Redis.from_url(url, socket_timeout=1, socket_connect_timeout=1)
        self._down = False

    def publish(self, message: bytes, channel: str = CHANNEL) -> None:
        try:
            self._redis.publish(channel, message)
        except redis.RedisError as error:
            if not self._down:
                logger.warning("live updates pause, Redis is not there: %s", error)
            self._down = True
        else:
            self._down = False


@cache
def publisher() -> Publisher:
    """This process's own."""
    return Publisher(settings.REDIS_URL)
