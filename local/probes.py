"""Asks a process whether it is ready."""

import logging

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from config.listeners import UNIX
from local.processes import HttpAnswers, KafkaAnswers, Probe, RedisAnswers, Runs

SECONDS = 0.5
# `/health` is passed on to the worker: asking again before it answers would only make the queue longer.
HTTP_SECONDS = 3.0
# librdkafka reports every refused connection; while a broker starts that is the expected case.
_silent = logging.getLogger("local.probes.librdkafka")
_silent.addHandler(logging.NullHandler())
_silent.propagate = False


def answers(probe: Probe) -> bool:
    match probe:
        case KafkaAnswers(bootstrap_servers):
            return kafka_answers(bootstrap_servers, SECONDS)
        case RedisAnswers(url):
            return redis_answers(url)
        case HttpAnswers(url, healthy):
            return http_answers(url, healthy)
        case Runs():
            return True


def kafka_answers(bootstrap_servers: str, seconds: float) -> bool:
    """A broker has told its metadata, in which at least one broker is alive."""
    client = AdminClient(
        {"bootstrap.servers": bootstrap_servers, "reconnect.backoff.ms": 50, "reconnect.backoff.max.ms": 200}, logger=_silent
    )
    try:
        return bool(client.list_topics(timeout=seconds).brokers)
    except KafkaException:
        return False


def redis_answers(url: str) -> bool:
    # These two clients take half a second to import: done here, that passes while the broker starts.
    import redis

    try:
        with redis.Redis.from_url(url, socket_connect_timeout=SECONDS, socket_timeout=SECONDS) as client:
            return bool(client.ping())
    except (redis.RedisError, OSError):
        return False


def http_answers(url: str, healthy: bool) -> bool:
    import httpx

    transport = None
    if url.startswith(UNIX):
        socket, _, path = url.removeprefix(UNIX).rpartition("/")
        url, transport = f"http://localhost/{path}", httpx.HTTPTransport(uds=socket)
    try:
        with httpx.Client(transport=transport, timeout=HTTP_SECONDS, trust_env=False) as client:
            status = client.get(url).status_code
        return status == httpx.codes.OK or not healthy
    except httpx.HTTPError:
        return False
