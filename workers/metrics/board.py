"""Where workers put their figures and web processes find them: one key in Redis for each worker, gone soon after the worker is.

Keys, not the fields of one hash: fields that expire by themselves need Redis 7.4, and no clock is compared with another this way.
"""

from collections.abc import Sequence

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

#: Seconds. Three pushes may be lost before a worker counts as silent.
INTERVAL, KEPT = 5.0, 20
# A page of figures is not worth waiting for.
_PATIENCE = 1.0


class Board:
    """Raises nothing: without Redis nothing is put and nobody has put anything. Thread-safe."""

    def __init__(self, redis_url: str, group_id: str) -> None:
        self._redis = redis.Redis.from_url(
            redis_url,
            socket_connect_timeout=_PATIENCE,
            socket_timeout=_PATIENCE,
            retry=Retry(NoBackoff(), 0),
        )
        self._prefix = f"drover:metrics:{group_id}:"

    def put(self, worker: str, figures: bytes) -> bool:
        """Whether Redis took it."""
        try:
            self._redis.set(self._prefix + worker, figures, ex=KEPT)
        except redis.RedisError:
            return False
        return True

    def remove(self, worker: str) -> None:
        """For a worker that leaves: nobody has to wait until it counts as silent."""
        try:
            self._redis.delete(self._prefix + worker)
        except redis.RedisError:
            return

    def read(self, workers: Sequence[str]) -> list[bytes | None]:
        """Each worker's figures, in one call; None for who has not put any lately."""
        try:
            found = self._redis.mget([self._prefix + worker for worker in workers]) if workers else []
        except redis.RedisError:
            return [None for _ in workers]
        return [figures if isinstance(figures, bytes) else None for figures in found]
