"""Topics that sources are the first to write to (KIP-158): made before their first record, as the connectors' configs say.

Each task asks once for each topic, as in Kafka Connect: one that was deleted is made anew for the next life of the task. What
several tasks of one job ask for is one question.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

from py4j.protocol import Py4JJavaError

from workers.connectors.base import ConnectError
from workers.connectors.topic_creation import NewTopic, TopicCreation

logger = logging.getLogger(__name__)


class TopicMaker(Protocol):
    def make_topics(self, wanted: Mapping[str, TopicCreation]) -> None:
        """Those of them that are not there. Raises ConnectError."""
        ...


class NewTopics:
    """Of one life of a task. `maker` gives who makes topics in the cluster that it writes to."""

    def __init__(self, creation: TopicCreation, maker: Callable[[], TopicMaker]) -> None:
        self.creation = creation
        self.maker = maker
        self.known: set[str] = set()


def ensure(asked: Sequence[tuple[NewTopics, Collection[str]]]) -> None:
    """That the topics are there which each task is about to write to; all tasks write to one cluster. Raises ConnectError."""
    wanted = {topic: one.creation for one, topics in asked for topic in topics if topic not in one.known}
    if not wanted:
        return
    asked[0][0].maker().make_topics(wanted)
    for one, topics in asked:
        one.known.update(topics)


# --- by Kafka's Java client -------------------------------------------------------------------------------------------


_FORBIDDEN = {"ClusterAuthorizationException", "TopicAuthorizationException"}


def make_missing(jvm: Any, admin: Any, wanted: Mapping[str, TopicCreation]) -> None:
    """See `TopicMaker`. Where a topic is there nothing is asked for that needs the right to make one."""
    missing = _missing(jvm, admin, wanted)
    if not missing:
        return
    java = jvm.java.util.regex.Pattern
    new = {topic: wanted[topic].new_topic(topic, java.matches) for topic in missing}
    topics = jvm.java.util.ArrayList()
    for one in new.values():
        settings = jvm.java.util.HashMap()
        for key, value in one.settings.items():
            settings.put(key, value)
        made = jvm.org.apache.kafka.clients.admin.NewTopic(one.name, one.partitions, one.replication_factor)
        topics.add(made.configs(settings))
    answers = admin.createTopics(topics).values()
    for topic, one in new.items():
        _await(answers.get(topic), one)


def _missing(jvm: Any, admin: Any, topics: Collection[str]) -> list[str]:
    names = jvm.java.util.ArrayList()
    for topic in topics:
        names.add(topic)
    answers = admin.describeTopics(names).topicNameValues()
    return [topic for topic in topics if not _is_there(answers.get(topic), topic)]


def _is_there(answer: Any, topic: str) -> bool:
    try:
        answer.get()
    except Py4JJavaError as error:
        kind, _ = _cause(error)
        if kind == "UnknownTopicOrPartitionException":
            return False
        if kind in _FORBIDDEN:
            raise ConnectError(f"Not authorized to describe topic(s) '{topic}'") from error
        raise ConnectError(f"Error while attempting to describe topics '{topic}'") from error
    return True


def _await(answer: Any, new: NewTopic) -> None:
    try:
        answer.get()
    except Py4JJavaError as error:
        kind, message = _cause(error)
        if kind == "TopicExistsException":
            # Somebody was quicker.
            return
        if kind in _FORBIDDEN:
            raise ConnectError(
                f"Task failed to create new topic {new.name}. Ensure that the task is authorized to create topics or that the "
                "topic exists and restart the task"
            ) from error
        if kind == "InvalidConfigurationException":
            raise ConnectError(f"Unable to create topic(s) '{new.name}': {message}") from error
        raise ConnectError(f"Error while attempting to create/find topic(s) '{new.name}'") from error
    logger.info("Created %s", new)


def _cause(error: Py4JJavaError) -> tuple[str, str]:
    """The class of Kafka's own exception, and what it says: the client gives it as the cause of an ExecutionException."""
    cause = error.java_exception.getCause() or error.java_exception
    return str(cause.getClass().getSimpleName()), str(cause.getMessage())
