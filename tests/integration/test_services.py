"""The fixtures' own promise: a broker that takes and gives records, and a Redis that answers."""

import httpx
from confluent_kafka import Consumer, Producer
from redis import Redis

from tests.running import RunningDrover


def test_a_record_travels_through_the_broker(kafka: str) -> None:
    producer = Producer({"bootstrap.servers": kafka})
    producer.produce("test-services", b"hello")
    assert producer.flush(10) == 0

    consumer = Consumer({"bootstrap.servers": kafka, "group.id": "test-services", "auto.offset.reset": "earliest"})
    try:
        consumer.subscribe(["test-services"])
        message = consumer.poll(15)
    finally:
        consumer.close()
    assert message is not None
    assert message.error() is None
    assert message.value() == b"hello"


def test_redis_keeps_requests_rather_than_dropping_them(redis_url: str) -> None:
    with Redis.from_url(redis_url) as client:
        assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
        assert client.config_get("save") == {"save": ""}


def test_drover_runs_on_parts_that_are_named(drover: RunningDrover, kafka: str) -> None:
    assert drover.bootstrap_servers == kafka
    assert httpx.get(f"{drover.url}/health").status_code == httpx.codes.OK
    assert sorted(log.stem for log in (drover.data_dir / "logs").glob("*.log")) == ["control", "supervisord", "web", "worker"]
