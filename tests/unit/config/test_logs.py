import logging

from config.logs import Repeats


def record(name: str, message: str) -> logging.LogRecord:
    return logging.LogRecord(name, logging.ERROR, "", 0, message, (), None)


def test_librdkafka_says_the_same_thing_once_in_a_while() -> None:
    now = [0.0]
    repeats = Repeats(30, lambda: now[0])
    assert repeats.filter(record("kafka", "Connect to 127.0.0.1:9092 failed (after 3ms)"))
    assert not repeats.filter(record("kafka", "Connect to 127.0.0.1:9092 failed (after 17ms)"))
    assert repeats.filter(record("kafka", "Another thing"))
    now[0] = 31
    assert repeats.filter(record("kafka", "Connect to 127.0.0.1:9092 failed (after 5ms)"))


def test_others_may_repeat_themselves() -> None:
    repeats = Repeats()
    assert all(repeats.filter(record("workers.herder", "again")) for _ in range(3))
