"""Whether a topic is still the one that was read, and keeps what is in it. One of the same name may stand in its place, and hold
nothing of it."""

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import TopicDescription

from workers.storage.kafka import COMPACT, TopicSettings, answered, cleanup_policy
from workers.storage.log import TopicLost

logger = logging.getLogger(__name__)

T = TypeVar("T")

_EVERY = 2.0
_SETTINGS_EVERY = 10.0
_SOON = 0.5
# A broker that has just come up may not know of a topic yet.
_MISSES = 2


class _Question(Generic[T]):
    """What is asked of Kafka again and again. Nobody waits for the answer."""

    def __init__(self, ask: Callable[[], Future[T]], clock: Callable[[], float]) -> None:
        self._ask = ask
        self._clock = clock
        self._asked: Future[T] | None = None
        self._ask_at = 0.0

    def again(self, seconds: float) -> None:
        self._ask_at = self._clock() + seconds

    def answer(self) -> Future[T] | None:
        """Each answer once, when it is there."""
        asked = self._asked
        if asked is None and self._clock() >= self._ask_at:
            self._asked = self._ask()
        elif asked is not None and asked.done():
            self._asked = None
            return asked
        return None


class TopicWatch:
    """One thread looks, again and again; any thread may ask what was seen."""

    def __init__(
        self,
        topic: str,
        describe: Callable[[], Future[TopicDescription]],
        settings: Callable[[], Future[TopicSettings]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.topic = topic
        self._describe = describe
        self._description = _Question(describe, clock)
        self._settings = _Question(settings, clock)
        self._id = ""
        self._misses = 0
        self._policy = COMPACT
        #: What is in the topic now does not continue what was read of it. That does not pass.
        self.replaced = False
        self._told: str | None = None

    def begin(self) -> TopicDescription:
        """From now on it is to stay this one, which is returned. Waits. Raises KafkaException."""
        found = answered(self._describe())
        self._id, self._misses, self._policy, self.replaced, self._told = str(found.topic_id), 0, COMPACT, False, None
        self._description.again(_EVERY)
        return found

    def look(self) -> None:
        if (description := self._description.answer()) is not None:
            self._take_description(description)
            self._description.again(_SOON if self._misses else _EVERY)
        if (settings := self._settings.answer()) is not None:
            self._take_settings(settings)
            self._settings.again(_SETTINGS_EVERY)
        self._tell()

    def lose(self) -> None:
        """It does not continue what was read of it."""
        self.replaced = True
        self._tell()

    def _take_description(self, answer: Future[TopicDescription]) -> None:
        try:
            found = answer.result()
        except KafkaException as error:
            if error.args[0].code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
                self._misses += 1
            return
        self._misses = 0
        self.replaced |= str(found.topic_id) != self._id

    def _take_settings(self, answer: Future[TopicSettings]) -> None:
        try:
            self._policy = cleanup_policy(answer.result())
        except KafkaException as error:
            logger.debug("The settings of topic %s cannot be seen: %s", self.topic, error)

    def _tell(self) -> None:
        fault = self.fault
        if fault == self._told:
            return
        self._told = fault
        if fault is None:
            logger.warning("Topic %s is well again", self.topic)
        else:
            logger.critical("%s", fault)

    # --- what was seen ------------------------------------------------------------------------------------------------

    @property
    def lost(self) -> bool:
        return self.replaced or self._misses >= _MISSES

    @property
    def fault(self) -> str | None:
        """What is wrong with it, and what to do."""
        if self.replaced:
            return (
                f"Topic {self.topic} was deleted and created anew, or cut short, while it was in use. Nothing more is written "
                f"to it. Restart this process when it holds again what it is to hold."
            )
        if self.lost:
            return f"Topic {self.topic} was deleted while it was in use. Restore it, and restart this process then."
        if self._policy != COMPACT:
            return (
                f"Topic {self.topic} has 'cleanup.policy={self._policy}' now and is going to lose what is in it. Set it to "
                f"'cleanup.policy={COMPACT}' again."
            )
        return None

    def check(self) -> None:
        """Raises TopicLost."""
        if self.lost:
            raise TopicLost(self.fault)
