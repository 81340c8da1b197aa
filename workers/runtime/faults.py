"""Which failures pass by themselves. Pure."""

import re

from confluent_kafka import KafkaError, KafkaException

from workers.connectors.base import RetriableError
from workers.herder.traces import causes
from workers.pipeline.failures import RecordFailed
from workers.storage.kafka import passes_by_itself
from workers.storage.log import Fenced, LogError, TopicLost

# Kafka's RetriableException and its children, as far as a producer, consumer or admin client meets them.
_RETRIABLE = frozenset(
    {
        "TimeoutException",
        "DisconnectException",
        "NetworkException",
        "NotLeaderOrFollowerException",
        "LeaderNotAvailableException",
        "NotEnoughReplicasException",
        "NotEnoughReplicasAfterAppendException",
        "CoordinatorLoadInProgressException",
        "CoordinatorNotAvailableException",
        "NotCoordinatorException",
        "NotControllerException",
        "ReplicaNotAvailableException",
        "FencedLeaderEpochException",
        "KafkaStorageException",
        "BrokerNotAvailableException",
        "ThrottlingQuotaExceededException",
    }
)
# A machine that has too much to do.
_SLOW = "Timed out while waiting for the Python worker to connect back"
_KAFKA_ERROR = re.compile(r"org\.apache\.kafka\.common\.errors\.(\w+)")


def is_retriable(error: BaseException) -> bool:
    """Whether the same range may simply be tried again.

    Spark tells of an executor's failure in text only, wherever the executor is; so its text is what is looked at. The last
    error of Kafka's in it is the root cause.
    """
    chain = causes(error)
    if any(isinstance(cause, RecordFailed) for cause in chain):
        # Its text is of the record's own data, whatever that names.
        return False
    if any(isinstance(cause, RetriableError) for cause in chain):
        return True
    if any(isinstance(cause, LogError) and not isinstance(cause, Fenced | TopicLost) for cause in chain):
        return True
    if any(_librdkafka_retriable(cause) for cause in chain):
        return True
    text = "\n".join(str(cause) for cause in chain)
    names = _KAFKA_ERROR.findall(text)
    return names[-1] in _RETRIABLE if names else _SLOW in text


def _librdkafka_retriable(error: BaseException) -> bool:
    return (
        isinstance(error, KafkaException)
        and bool(error.args)
        and isinstance(error.args[0], KafkaError)
        and passes_by_itself(error.args[0])
    )


def lost_driver(error: BaseException) -> bool:
    """Whether Spark's own process is gone: nothing here can work until the worker has started anew."""
    from py4j.protocol import Py4JNetworkError

    return any(isinstance(cause, Py4JNetworkError | ConnectionRefusedError) for cause in causes(error))
