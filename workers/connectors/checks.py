"""What several keys of a connector's config say together, and what it asks for that is not here.

A class that is not here is refused where it is asked for (`unavailable`); the default is never refused.
"""

import re
from collections.abc import Mapping

from workers.connectors.configdef import ConfigDef, ConfigValue, Given
from workers.connectors.enriching import enriched
from workers.connectors.framework import SINK, SOURCE
from workers.converters import catalogue as converters

_UNAVAILABLE = (*(f"{role}.converter" for role in converters.ROLES), "transforms", "predicates")


def unavailable(config: Given) -> list[str]:
    """What a config asks for that is not here: done without it, something else would be written."""
    full = enriched(SINK, config)
    asking = [key for key in full.keys if key.name in _UNAVAILABLE or key.name.startswith(("transforms.", "predicates."))]
    messages = ConfigDef(tuple(asking)).errors(config)
    for role in converters.ROLES:
        if (found := converters.asked_for(role, config)) is not None:
            messages += found.config_def.errors(converters.config_of(role, config))
    return messages


def check_source(config: Given, values: Mapping[str, ConfigValue]) -> None:
    """What is required is refused, not accepted and not kept: sources are at least once."""
    support, boundary = values["exactly.once.support"], values["transaction.boundary"]
    if str(support.value).upper() == "REQUIRED":
        support.errors.append("This worker does not have exactly-once source support enabled.")
    if str(boundary.value).upper() == "CONNECTOR":
        boundary.errors.append(
            "The connector does not support connector-defined transaction boundaries with the given configuration. "
            "Please reconfigure it to use a different transaction boundary definition."
        )


def source_errors(config: Given) -> list[str]:
    """As `check_source` has them."""
    keys = ("exactly.once.support", "transaction.boundary")
    values = {value.name: ConfigValue(value.name, value.value) for value in SOURCE.validate(config) if value.name in keys}
    check_source(config, values)
    return [message for value in values.values() for message in value.errors]


def check_sink(config: Given, values: Mapping[str, ConfigValue]) -> None:
    """Topics are given by list or by pattern, and the dead letter queue is none of them."""
    topics, pattern = values["topics"], values["topics.regex"]
    given = [bool((config.get(key) or "").strip()) for key in ("topics", "topics.regex")]
    if all(given):
        for value in (topics, pattern):
            value.errors.append("topics and topics.regex are mutually exclusive options, but both are set.")
    if not any(given):
        for value in (topics, pattern):
            value.errors.append("Must configure one of topics or topics.regex")
    queue = (config.get("errors.deadletterqueue.topic.name") or "").strip()
    if queue and given[0] and isinstance(topics.value, list) and queue in topics.value:
        topics.errors.append(
            f"The DLQ topic '{queue}' may not be included in the list of topics "
            f"('topics=[{', '.join(topics.value)}]') consumed by the connector"
        )
    if queue and given[1] and not pattern.errors and _matches(str(pattern.value), queue):
        pattern.errors.append(
            f"The DLQ topic '{queue}' may not be matched by the regex for the topics "
            f"('topics.regex={pattern.value}') consumed by the connector"
        )


def _matches(pattern: str, topic: str) -> bool:
    return re.fullmatch(pattern, topic) is not None
