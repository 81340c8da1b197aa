"""Answers of the admin client, without a broker."""

from concurrent.futures import Future

import pytest
from confluent_kafka import KafkaError, KafkaException

from workers.storage import kafka


def test_an_answer_is_handed_on() -> None:
    future: Future[int] = Future()
    future.set_result(7)
    assert kafka.answered(future) == 7


def test_silence_is_an_error_of_kafka_that_passes_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka, "ADMIN_TIMEOUT", -4.99)
    with pytest.raises(KafkaException) as caught:
        kafka.answered(Future())
    error = caught.value.args[0]
    assert isinstance(error, KafkaError)
    assert kafka.passes_by_itself(error)
