"""Redis and Celery as the herder's requests use them, in memory. Not a test module."""

import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import redis

from workers.herder.requests import TASK, Replies, Requests


class FakeRedis:
    """`before[command]` runs once, just before the next command of that name is carried out: to let somebody else be quicker."""

    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}
        self.lists: dict[str, list[bytes]] = defaultdict(list)
        self.expiry: dict[str, float] = {}
        self.before: dict[str, Callable[[], object]] = {}
        self.errors: list[Exception] = []
        self._changed = threading.Condition()

    def _command(self, name: str) -> None:
        if self.errors:
            raise self.errors.pop(0)
        self.before.pop(name, lambda: None)()

    def set(
        self, key: str, value: str | bytes, *, nx: bool = False, xx: bool = False, ex: int | None = None, get: bool = False
    ) -> bool | bytes | None:
        self._command("setnx" if nx else "set")
        with self._changed:
            before = self.values.get(key)
            if (nx and before is not None) or (xx and before is None):
                return before if get else None
            self.values[key] = value.encode() if isinstance(value, str) else value
            self.expiry[key] = ex or 0
            return before if get else True

    def get(self, key: str) -> bytes | None:
        self._command("get")
        return self.values.get(key)

    def delete(self, *keys: str) -> int:
        self._command("delete")
        return sum(self.values.pop(key, None) is not None for key in keys)

    def lpush(self, key: str, value: bytes) -> None:
        self._command("lpush")
        with self._changed:
            self.lists[key].insert(0, value)
            self._changed.notify_all()

    def expire(self, key: str, seconds: float) -> None:
        self.expiry[key] = seconds

    def blpop(self, keys: Sequence[str], timeout: float) -> tuple[bytes, bytes] | None:
        self._command("blpop")
        with self._changed:
            self._changed.wait_for(lambda: any(self.lists[key] for key in keys), timeout)
            for key in keys:
                if self.lists[key]:
                    return key.encode(), self.lists[key].pop(0)
        return None

    def pipeline(self, transaction: bool = True) -> "FakeRedis":
        return self

    def execute(self) -> None: ...


@dataclass(frozen=True)
class Message:
    queue: str
    request: str
    action: str
    arguments: dict[str, Any]
    timeout: float
    forwarded: bool


class FakeCelery:
    """Takes the place of the Celery app: keeps what is sent, and tells `on_send` of it."""

    def __init__(self) -> None:
        self.sent: list[Message] = []
        self.on_send: Callable[[Message], object] = lambda message: None
        self.errors: list[Exception] = []

    def send_task(self, name: str, args: list[Any], *, queue: str, retry: bool, ignore_result: bool) -> None:
        assert (name, retry, ignore_result) == (TASK, False, True)
        if self.errors:
            raise self.errors.pop(0)
        message = Message(queue, *args)
        self.sent.append(message)
        self.on_send(message)


@dataclass
class Post:
    """One Redis, and whoever asks and answers over it."""

    redis: FakeRedis = field(default_factory=FakeRedis)
    celery: FakeCelery = field(default_factory=FakeCelery)

    def requests(self, timeout: float = 10.0) -> Requests:
        made = Requests(self.celery, "redis://nowhere", "leader", "worker.{}".format, timeout)  # type: ignore[arg-type]
        made._redis = self.redis  # type: ignore[assignment]
        return made

    def replies(self, me: str) -> Replies:
        made = Replies(self.celery, "redis://nowhere", me)  # type: ignore[arg-type]
        made._redis = self.redis  # type: ignore[assignment]
        return made


GONE = redis.ConnectionError("Redis is gone")
