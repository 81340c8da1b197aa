"""Kafka Connect's keys that change nothing here, and why. Nobody's setting is dropped without a word."""

from collections.abc import Iterator, Mapping

_ENTRY_POINT = "connectors are Python packages, found by their entry points"
_AT_ONCE = "an offset is committed as soon as its records are written"
_OWN_PROTOCOL = "workers agree in a way of their own (docs/herder.md)"
_REDIS = "workers talk through Redis and Kafka, not by REST: nothing is there to be signed"
_LIBRDKAFKA = "Kafka's clients here are librdkafka's, with settings of their own"
_PLAIN = "connections to Kafka are neither encrypted nor signed in so far (`security.protocol`)"
_METRICS = "figures are at `/metrics` (docs/metrics.md)"
_OVERRIDES = "each connector gives its own: `producer.override.*`, `consumer.override.*`"
_PYTHON = "of TLS, what Python's has is all there is"
_CONVERTERS = "no converter has a setting of that name (docs/converters.md)"

_REASONS: Mapping[str, str] = {
    _ENTRY_POINT: "plugin.path plugin.discovery key.converter.plugin.version value.converter.plugin.version "
    "header.converter.plugin.version",
    _AT_ONCE: "offset.flush.interval.ms offset.flush.timeout.ms",
    _OWN_PROTOCOL: "connect.protocol rebalance.timeout.ms worker.sync.timeout.ms worker.unsync.backoff.ms",
    _REDIS: "inter.worker.key.generation.algorithm inter.worker.key.size inter.worker.key.ttl.ms "
    "inter.worker.signature.algorithm inter.worker.verification.algorithms",
    _LIBRDKAFKA: "client.dns.lookup connections.max.idle.ms metadata.max.age.ms metadata.recovery.strategy "
    "metadata.recovery.rebootstrap.trigger.ms receive.buffer.bytes send.buffer.bytes reconnect.backoff.ms "
    "reconnect.backoff.max.ms request.timeout.ms retry.backoff.ms retry.backoff.max.ms socket.connection.setup.timeout.ms "
    "socket.connection.setup.timeout.max.ms",
    "clients are named after the group": "client.id",
    _METRICS: "metric.reporters metrics.num.samples metrics.recording.level metrics.sample.window.ms",
}
WITHOUT_EFFECT = {key: reason for reason, keys in _REASONS.items() for key in keys.split()}
#: What keys begin with → why they change nothing.
PREFIXES = {
    "ssl.": _PLAIN,
    "sasl.": _PLAIN,
    "listeners.https.": _PYTHON,
    "admin.listeners.https.": _PYTHON,
    "producer.": _OVERRIDES,
    "consumer.": _OVERRIDES,
    "admin.": _OVERRIDES,
    "config.storage.": "internal topics are made with Kafka Connect's own settings",
    "offset.storage.": "internal topics are made with Kafka Connect's own settings",
    "status.storage.": "internal topics are made with Kafka Connect's own settings",
    "key.converter.": _CONVERTERS,
    "value.converter.": _CONVERTERS,
    "header.converter.": _CONVERTERS,
    "metrics.context.": _METRICS,
}


def reason_of(key: str) -> str | None:
    """Why the key changes nothing; None for one that nobody knows."""
    return WITHOUT_EFFECT.get(key) or next((why for prefix, why in PREFIXES.items() if key.startswith(prefix)), None)


def by_reason() -> Iterator[tuple[str, list[str]]]:
    """For the docs. Prefixes end in `*`."""
    found: dict[str, list[str]] = {}
    for key, reason in [*WITHOUT_EFFECT.items(), *((f"{prefix}*", why) for prefix, why in PREFIXES.items())]:
        found.setdefault(reason, []).append(key)
    yield from found.items()
