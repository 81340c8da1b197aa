"""Which failures pass by themselves, and how long to wait until they have."""

import pytest
from confluent_kafka import KafkaError, KafkaException
from py4j.protocol import Py4JNetworkError

from workers.connectors.base import ConnectError, RetriableError
from workers.runtime.backoff import delay
from workers.runtime.faults import is_retriable, lost_driver
from workers.storage.log import Fenced, LogError, TopicLost


def caused_by(outer: Exception, cause: BaseException) -> Exception:
    outer.__cause__ = cause
    return outer


def spark(text: str) -> Exception:
    """Spark tells of an executor's failure in text alone."""
    return RuntimeError(f"Job aborted due to stage failure: … Caused by: {text}")


ERRORS = "org.apache.kafka.common.errors"


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (RetriableError("later"), True),
        (ConnectError("never"), False),
        (ValueError("never"), False),
        (caused_by(RuntimeError("outer"), RetriableError("later")), True),
        (caused_by(RetriableError("later"), ValueError("root")), True),
        (KafkaException(KafkaError(KafkaError._ALL_BROKERS_DOWN)), True),
        (KafkaException(KafkaError(KafkaError._TRANSPORT)), True),
        (KafkaException(KafkaError(KafkaError.NOT_COORDINATOR)), True),
        (KafkaException(KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED)), False),
        (KafkaException(KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART)), False),
        (KafkaException("only text"), False),
        (KafkaException(), False),
        (caused_by(RuntimeError("outer"), KafkaException(KafkaError(KafkaError._TIMED_OUT))), True),
        (LogError("Writing to topic connect-offsets failed: timed out"), True),
        (TopicLost("Topic connect-offsets was deleted while it was in use"), False),
        (Fenced("Another process writes to topic connect-configs now"), False),
        (spark(f"{ERRORS}.TimeoutException: Topic t not present in metadata after 60000 ms."), True),
        (spark(f"{ERRORS}.NotLeaderOrFollowerException"), True),
        (spark(f"{ERRORS}.TopicAuthorizationException: Not authorized"), False),
        (spark(f"{ERRORS}.RecordTooLargeException: The message is 9 bytes"), False),
        # The last one is the root cause.
        (spark(f"{ERRORS}.TimeoutException … Caused by: {ERRORS}.TopicAuthorizationException"), False),
        (spark(f"{ERRORS}.SomethingElseException … Caused by: {ERRORS}.DisconnectException"), True),
        (spark("java.util.concurrent.TimeoutException"), False),
        (spark("java.net.SocketTimeoutException: Timed out while waiting for the Python worker to connect back"), True),
    ],
    ids=lambda value: str(value)[:60],
)
def test_is_retriable(error: Exception, expected: bool) -> None:
    assert is_retriable(error) is expected


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (Py4JNetworkError("Answer from Java side is empty"), True),
        (ConnectionRefusedError(), True),
        (caused_by(RuntimeError("outer"), Py4JNetworkError("gone")), True),
        (ConnectionResetError(), False),
        (ValueError(), False),
    ],
)
def test_lost_driver(error: Exception, expected: bool) -> None:
    assert lost_driver(error) is expected


@pytest.mark.parametrize(
    ("attempt", "seconds"),
    [(1, 0.3), (2, 0.6), (3, 1.2), (4, 2.4), (8, 38.4), (9, 60.0), (17, 60.0), (10_000, 60.0)],
)
def test_delay(attempt: int, seconds: float) -> None:
    assert delay(attempt) == pytest.approx(seconds)
