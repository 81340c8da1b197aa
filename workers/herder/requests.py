"""Asking the leader: a Celery message carries the question through Redis, a Redis list of its own carries the answer back.

Who takes a question claims it first, and who gives up waiting withdraws it by claiming it himself. So after the caller was
told of a time-out nothing is recorded, and what was taken is answered. No machine's clock is compared with another's.
"""

import logging
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
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
_ASK_AGAIN = 5.0
_CLAIM_KEPT = 24 * 3600
# What was taken is answered: no write takes longer than that.
_GRACE = 35.0
_UNREACHABLE = "Redis cannot be reached, so the request could not be handed to the herder. Nothing was changed."
_WITHDRAWN, _FORWARDED = "withdrawn", "forwarded to "


def _reply_key(request: str) -> str:
    return f"drover:reply:{request}"


def _claim_key(request: str) -> str:
    return f"drover:claim:{request}"


def _put_claim(client: redis.Redis, request: str, holder: str) -> str:
    """Takes the claim and says, in the same step, who had it before: of two who come at once each knows which he was."""
    before = client.set(_claim_key(request), holder, ex=_CLAIM_KEPT, get=True)
    return _text(before if isinstance(before, str | bytes) else None)


def _text(value: str | bytes | None) -> str:
    return value.decode() if isinstance(value, bytes) else value or ""


class TimedOut(HerderError):
    """Nobody took the request in time; nobody will."""


class Requests:
    """The asking side. Thread-safe. `queue_of` names a worker's own queue."""

    def __init__(self, app: Celery, redis_url: str, queue: str, queue_of: Callable[[str], str], timeout: float) -> None:
        self._app = app
        self._redis = redis.Redis.from_url(redis_url, socket_connect_timeout=2, health_check_interval=30, decode_responses=False)
        self._queue = queue
        self._queue_of = queue_of
        self._timeout = timeout

    def ask(self, action: str, arguments: dict[str, Any], timeout: float | None = None, *, worker_id: str | None = None) -> Done:
        """The answer of the leader, or of the worker that is named. Raises the HerderError it gave, Unavailable without Redis,
        TimedOut."""
        queue = self._queue if worker_id is None else self._queue_of(worker_id)
        request, limit = uuid.uuid4().hex, timeout or self._timeout
        send(self._app, queue, request, action, arguments, limit)
        answer = self._answer_or_ask_again(queue, request, action, arguments, limit)
        if answer is None and not self._withdraw(request):
            answer = self._answer(request, min(limit, _GRACE))
        if answer is None:
            raise TimedOut("Request timed out")
        return wire.opened(answer)

    def _answer_or_ask_again(
        self, queue: str, request: str, action: str, arguments: dict[str, Any], limit: float
    ) -> bytes | None:
        """A message can get lost with the one who was just taking it, or with all that is in Redis. A second one does no harm:
        it bears the same id."""
        deadline = time.monotonic() + limit
        while (left := deadline - time.monotonic()) > 0:
            answer = self._answer(request, min(left, _ASK_AGAIN))
            if answer is not None:
                return answer
            if left > _ASK_AGAIN:
                with suppress(Unavailable):
                    send(self._app, queue, request, action, arguments, left - _ASK_AGAIN)
        return None

    def _answer(self, request: str, seconds: float) -> bytes | None:
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            try:
                answer = self._redis.blpop([_reply_key(request)], timeout=min(left, 5.0))
            except redis.RedisError:
                # Redis may be back, and with it the answer, before the time is over.
                time.sleep(min(left, 0.2))
                continue
            if answer is not None:
                body = answer[1]
                return body if isinstance(body, bytes) else body.encode()
        return None

    def _withdraw(self, request: str) -> bool:
        """Whether nobody will carry it out any more."""
        try:
            holder = _put_claim(self._redis, request, _WITHDRAWN)
            # On its way to the worker that it is for, who has not taken it: it may be gone.
            if holder and not holder.startswith(_FORWARDED):
                _put_claim(self._redis, request, holder)
                return False
            return True
        except redis.RedisError:
            return False


def send(
    app: Celery, queue: str, request: str, action: str, arguments: dict[str, Any], timeout: float, *, forwarded: bool = False
) -> None:
    """Raises Unavailable."""
    try:
        app.send_task(TASK, [request, action, arguments, timeout, forwarded], queue=queue, retry=False, ignore_result=True)
    except (OperationalError, redis.RedisError) as error:
        raise Unavailable(_UNREACHABLE) from error


class Claim(Enum):
    """What became of a worker's claim to a request."""

    OURS = "ours"
    WITHDRAWN = "withdrawn"


class Replies:
    """The answering side. `me` is this life of the worker."""

    def __init__(self, app: Celery, redis_url: str, me: str) -> None:
        self._app = app
        self._me = me
        self._redis = redis.Redis.from_url(redis_url, socket_connect_timeout=2, socket_timeout=5, health_check_interval=30)

    def claim(self, request: str) -> Claim:
        """Whoever held it is dead, or leads no more: what he has written of it is in the topic. Without Redis there is no asker
        to be told: the request counts as withdrawn."""
        try:
            if _put_claim(self._redis, request, self._me) == _WITHDRAWN:
                _put_claim(self._redis, request, _WITHDRAWN)
                logger.info("Request %s is dropped: its caller has given up", request)
                return Claim.WITHDRAWN
            return Claim.OURS
        except redis.RedisError:
            logger.warning("Request %s is dropped: it cannot be claimed", request, exc_info=True)
            return Claim.WITHDRAWN

    def forward(self, request: str, queue: str, action: str, arguments: dict[str, Any], timeout: float) -> None:
        """Hands the request on, once: who gets it answers the asker. Raises Unavailable."""
        try:
            self._redis.set(_claim_key(request), f"{_FORWARDED}{queue}", ex=_CLAIM_KEPT)
        except redis.RedisError as error:
            raise Unavailable(_UNREACHABLE) from error
        send(self._app, queue, request, action, arguments, timeout, forwarded=True)

    def send(self, request: str, answer: bytes) -> None:
        try:
            pipeline = self._redis.pipeline(transaction=False)
            pipeline.lpush(_reply_key(request), answer)
            pipeline.expire(_reply_key(request), _REPLY_KEPT)
            pipeline.execute()
        except redis.RedisError:
            # The caller will be told of a time-out; what was done stays done and can be seen.
            logger.warning("The answer to request %s could not be sent", request, exc_info=True)
