"""One subscription per web process, however many pages are open."""

import logging
import queue
import threading

import redis

from dashboard.live.messages import CHANNEL, Told, event
from dashboard.rights.roles import Rights

logger = logging.getLogger(__name__)

UP = event(b'"up"', "link")
DOWN = event(b'"down"', "link")
_RETRY_AFTER = 1.0
# A reader this far behind does not read any more; it is cut off, comes back and fetches what it missed.
_BACKLOG = 500


class Subscription:
    """What one stream still has to write, of what its reader may see. `next` is None when nothing came in time."""

    def __init__(self, has: Rights) -> None:
        self.has = has
        self._waiting: queue.Queue[bytes] = queue.Queue(_BACKLOG)
        self.cut_off = False

    def put(self, item: bytes) -> None:
        try:
            self._waiting.put_nowait(item)
        except queue.Full:
            self.cut_off = True

    def next(self, timeout: float) -> bytes | None:
        try:
            return self._waiting.get(timeout=timeout)
        except queue.Empty:
            return None


class Hub:
    """Listens while somebody does. Each stream holds a thread of the server, hence the limit."""

    def __init__(self, url: str, limit: int) -> None:
        self._url = url
        self._limit = limit
        self._lock = threading.Lock()
        self._subscriptions: set[Subscription] = set()
        self._listener: threading.Thread | None = None
        self._link: bytes | None = None

    def join(self, has: Rights) -> Subscription | None:
        """None: there are as many as there may be."""
        with self._lock:
            if len(self._subscriptions) >= self._limit:
                return None
            subscription = Subscription(has)
            self._subscriptions.add(subscription)
            if self._link is not None:
                subscription.put(self._link)
            if self._listener is None:
                self._listener = threading.Thread(target=self._listen, name="live-hub", daemon=True)
                self._listener.start()
            return subscription

    def leave(self, subscription: Subscription) -> None:
        with self._lock:
            self._subscriptions.discard(subscription)
        # Whoever still waits for its next item need not.
        subscription.put(b"")

    def _listen(self) -> None:
        pause = threading.Event()
        while not self._ended():
            try:
                self._follow_channel()
            except redis.RedisError as error:
                self._tell_link(DOWN, f"Redis is not there: {error}")
                pause.wait(_RETRY_AFTER)

    def _ended(self) -> bool:
        """Decided under the lock that `join` holds, so that nobody is left waiting on a listener that is about to end."""
        with self._lock:
            if self._subscriptions:
                return False
            self._listener = self._link = None
            return True

    def _follow_channel(self) -> None:
        client = redis.Redis.from_url(self._url, socket_timeout=5, socket_connect_timeout=2, health_check_interval=10)
        with (
            client,
            client.pubsub(  # type: ignore[no-untyped-call]
                ignore_subscribe_messages=True
            ) as channel,
        ):
            channel.subscribe(CHANNEL)
            self._tell_link(UP, "live updates flow")
            while self._subscriptions:
                message = channel.get_message(timeout=1.0)
                if message is not None:
                    self._pass_on(message["data"])

    def _pass_on(self, message: bytes) -> None:
        told = Told.parse(message)
        with self._lock:
            subscriptions = list(self._subscriptions)
        for subscription in subscriptions:
            if told.rights_changed:
                # It comes back at once, and is looked up anew.
                subscription.cut_off = True
                subscription.put(b"")
            elif seen := told.to(subscription.has):
                subscription.put(event(seen))

    def _tell_link(self, link: bytes, why: str) -> None:
        if self._link != link:
            logger.info("%s", why)
            self._link = link
            self._tell(link)

    def _tell(self, item: bytes) -> None:
        with self._lock:
            subscriptions = list(self._subscriptions)
        for subscription in subscriptions:
            subscription.put(item)
