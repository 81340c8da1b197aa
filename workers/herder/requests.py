"""Asking the leader: a Celery message carries the question through Redis, a Redis list of its own carries the answer back.

A question that nobody took in time expires, and one that was taken too late is dropped by the herder: after the caller was
told of a time-out nothing is recorded.
"""

import logging
import time
import uuid
from typing import Any

import redis
from celery import Celery
from kombu.exceptions import OperationalError

from workers.herder import wire
from workers.herder.actions import Done
from workers.herder.errors import HerderError, Unavailable

logger = logging.getLogger(__name__)

TASK = "workers.herder.request"
_REPLY_KEPT = 120
_UNREACHABLE = "Redis cannot be reached, so the request could not be handed to the herder. Nothing was changed."


def _reply_key(request: str) -> str:
    return f"drover:reply:{request}"


class Requests:
    """The asking side. Thread-safe."""

    def __init__(self, app: Celery, redis_url: str, queue: str, timeout: float):
        self._app = app
        self._redis = redis.Redis.from_url(redis_url, socket_connect_timeout=2, health_check_interval=30)
        self._queue = queue
        self._timeout = timeout

    def ask(self, action: str, arguments: dict[str, Any], timeout: float | None = None) -> Done:
        """The leader's answer. Raises the HerderError it gave, Unavailable without Redis, HerderError after the time-out."""
        request, limit = uuid.uuid4().hex, timeout or self._timeout
        deadline = time.time() + limit
        try:
            self._app.send_task(
                TASK, [request, action, arguments, deadline], queue=self._queue, expires=limit, retry=False, ignore_result=True
            )
        except (OperationalError, redis.RedisError) as error:
            raise Unavailable(_UNREACHABLE) from error
        return wire.opened(self._answer(request, deadline))

    def _answer(self, request: str, deadline: float) -> bytes:
        while (left := deadline - time.time()) > 0:
            try:
                answer = self._redis.blpop([_reply_key(request)], timeout=min(left, 5.0))
            except redis.RedisError:
                # Redis may be back, and with it the answer, before the time is over.
                time.sleep(min(left, 0.2))
                continue
            if answer is not None:
                body = answer[1]
                return body if isinstance(body, bytes) else body.encode()
        raise HerderError("Request timed out")


class Replies:
    """The answering side."""

    def __init__(self, redis_url: str):
        self._redis = redis.Redis.from_url(redis_url, socket_connect_timeout=2, socket_timeout=5, health_check_interval=30)

    def send(self, request: str, answer: bytes) -> None:
        try:
            pipeline = self._redis.pipeline(transaction=False)
            pipeline.lpush(_reply_key(request), answer)
            pipeline.expire(_reply_key(request), _REPLY_KEPT)
            pipeline.execute()
        except redis.RedisError:
            # The caller will be told of a time-out; what was done stays done and can be seen.
            logger.warning("The answer to request %s could not be sent", request, exc_info=True)
