"""When a topic counts as lost, without a broker: `clock` is the test's, and so are the answers."""

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, cast

import pytest
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import ConfigEntry

from workers.storage.kafka import TopicSettings
from workers.storage.log import TopicLost
from workers.storage.topic_watch import TopicWatch

UNKNOWN, TIMEOUT = KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._TIMED_OUT


class Looking:
    def __init__(self) -> None:
        self.now = 0.0
        self.asked: list[Future[Any]] = []
        self._answer: Any = None
        self.settings: Future[TopicSettings] = Future()
        self.watch = TopicWatch("t", self._describe, lambda: self.settings, lambda: self.now)
        self.begin("id-1")

    def _describe(self) -> "Future[Any]":
        self.asked.append(Future())
        if self._answer is not None:
            self.asked[-1].set_result(self._answer)
        return self.asked[-1]

    def begin(self, topic_id: str) -> None:
        self._answer = cast(Any, SimpleNamespace(topic_id=topic_id))
        self.watch.begin()
        self._answer = None
        self.asked.clear()

    def look(self, answer: str | int) -> None:
        """Some time later, with that answer: the topic's id, or an error."""
        self.now += 10
        self.watch.look()
        if isinstance(answer, str):
            self.asked[-1].set_result(cast(Any, SimpleNamespace(topic_id=answer)))
        else:
            self.asked[-1].set_exception(KafkaException(KafkaError(answer)))
        self.watch.look()

    def policy(self, answer: str | int) -> None:
        """Some time later: what the topic's policy is, or an error."""
        self.settings = Future()
        self.now += 100
        self.watch.look()
        if isinstance(answer, str):
            self.settings.set_result({"cleanup.policy": ConfigEntry("cleanup.policy", answer)})
        else:
            self.settings.set_exception(KafkaException(KafkaError(answer)))
        self.watch.look()

    def lost(self) -> str | None:
        try:
            self.watch.check()
        except TopicLost as error:
            return "created anew" if "created anew" in str(error) else "deleted"
        return None


@pytest.mark.parametrize(
    ("answers", "lost"),
    [
        ([], None),
        (["id-1", "id-1"], None),
        # One broker that does not know of it yet.
        ([UNKNOWN], None),
        ([UNKNOWN, "id-1", UNKNOWN], None),
        ([UNKNOWN, UNKNOWN], "deleted"),
        ([UNKNOWN, TIMEOUT, UNKNOWN], "deleted"),
        ([UNKNOWN, UNKNOWN, "id-1"], None),
        ([TIMEOUT] * 5, None),
        (["id-2"], "created anew"),
        ([UNKNOWN, UNKNOWN, "id-2"], "created anew"),
        # What was read in between is not what it was.
        (["id-2", "id-1"], "created anew"),
    ],
)
def test_what_is_lost(answers: list[str | int], lost: str | None) -> None:
    looking = Looking()
    for answer in answers:
        looking.look(answer)
    assert looking.lost() == lost
    assert looking.watch.lost is (lost is not None)


def test_it_is_asked_now_and_then_and_never_twice_at_once() -> None:
    looking = Looking()
    for _ in range(5):
        looking.watch.look()
    assert looking.asked == []
    looking.now = 10.0
    for _ in range(5):
        looking.watch.look()
    looking.now = 100.0
    looking.watch.look()
    assert len(looking.asked) == 1


def test_one_that_cannot_be_read_on_is_lost_until_it_is_read_from_its_beginning() -> None:
    looking = Looking()
    looking.watch.lose()
    assert looking.lost() == "created anew"
    looking.begin("id-2")
    looking.look("id-2")
    assert looking.lost() is None


def test_one_that_is_not_compacted_any_more_is_written_to_but_not_well(caplog: pytest.LogCaptureFixture) -> None:
    looking = Looking()
    for answer in ("delete", TIMEOUT, "delete"):
        looking.policy(answer)
        assert looking.lost() is None
        assert "Topic t has 'cleanup.policy=delete' now" in (looking.watch.fault or "")
    looking.policy("compact")
    assert looking.watch.fault is None
    assert [record.levelname for record in caplog.records] == ["CRITICAL", "WARNING"], "each change once"
