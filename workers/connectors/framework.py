"""The keys that every connector has, whatever its class: names, types, defaults and order are Kafka Connect's."""

from functools import partial

from workers.connectors.configdef import ConfigDef, Importance, Invalid, Key, Type, Validator, Width
from workers.connectors.plugin_keys import Versions, version_spec
from workers.connectors.validators import (
    at_least,
    no_duplicates,
    non_empty,
    non_empty_without_control_characters,
    one_of,
    one_of_any_case,
    regex,
    unique_aliases,
)
from workers.converters import catalogue as converters
from workers.converters.catalogue import Role

_COMMON, _TRANSFORMS, _PREDICATES, _ERRORS = "Common", "Transforms", "Predicates", "Error Handling"
_TOPICS, _EXACTLY_ONCE, _OFFSETS = "Topic Creation", "Exactly Once Support", "offsets.topic"


# --- versions and converters ------------------------------------------------------------------------------------------


def _converter_class(role: Role, name: str) -> str:
    found = converters.converter(role, name)
    if found is None:
        raise Invalid(f"Class {name} could not be found.")
    return found.name


def _unknown_version(name: str) -> str | None:
    """Which converters there are is known of one config (`enriched`)."""
    return None


def _converter(role: Role, order: int) -> tuple[Key, Key]:
    name = f"{role}.converter"
    return (
        Key(
            name,
            Type.CLASS,
            None,
            Importance.LOW,
            f"The class that makes bytes of a record's {role}, and the other way round; without it the worker's.",
            group=_COMMON,
            order_in_group=order,
            width=Width.SHORT,
            display_name=f"{role.capitalize()} converter class",
            lookup=partial(_converter_class, role),
        ),
        Key(
            f"{name}.plugin.version",
            Type.STRING,
            None,
            Importance.LOW,
            f"Which version of the {role} converter: one, a range of them, or latest.",
            version_spec,
            _COMMON,
            order + 1,
            Width.SHORT,
            f"{role.capitalize()} converter version",
            recommender=Versions(name, _unknown_version),
        ),
    )


# --- the keys ---------------------------------------------------------------------------------------------------------


def _error(
    order: int, name: str, kind: Type, default: object, text: str, title: str, width: Width, check: Validator | None = None
) -> Key:
    return Key(name, kind, default, Importance.MEDIUM, text, check, _ERRORS, order, width, title)


COMMON = ConfigDef(
    (
        Key(
            "name",
            Type.STRING,
            importance=Importance.HIGH,
            documentation="What the connector is called; no other one in the cluster may have the same name.",
            validator=non_empty_without_control_characters,
            group=_COMMON,
            order_in_group=1,
            width=Width.MEDIUM,
            display_name="Connector name",
        ),
        Key(
            "connector.class",
            Type.STRING,
            importance=Importance.HIGH,
            documentation="The connector's class: its Java class name, its Python class name, or a short form of either, "
            "as FileStreamSink.",
            group=_COMMON,
            order_in_group=2,
            width=Width.LONG,
            display_name="Connector class",
        ),
        Key(
            "connector.plugin.version",
            Type.STRING,
            default=None,
            documentation="Which version of the connector's class: one, a range of them, or latest.",
            validator=version_spec,
            group=_COMMON,
            order_in_group=3,
            width=Width.MEDIUM,
            display_name="Connector version",
        ),
        Key(
            "tasks.max",
            Type.INT,
            default=1,
            importance=Importance.HIGH,
            documentation="How many tasks the connector may have at most.",
            validator=at_least(1),
            group=_COMMON,
            order_in_group=4,
            width=Width.SHORT,
            display_name="Tasks max",
        ),
        Key(
            "tasks.max.enforce",
            Type.BOOLEAN,
            default=True,
            importance=Importance.LOW,
            documentation="Whether a connector that asks for more tasks than tasks.max fails.",
            group=_COMMON,
            order_in_group=5,
            width=Width.SHORT,
            display_name="Enforce tasks max",
        ),
        *_converter("key", 6),
        *_converter("value", 8),
        *_converter("header", 10),
        Key(
            "transforms",
            Type.LIST,
            default=(),
            importance=Importance.LOW,
            documentation="Names for the transformations that each record passes, in this order.",
            validator=unique_aliases,
            group=_TRANSFORMS,
            order_in_group=12,
            width=Width.LONG,
            display_name="Transforms",
        ),
        Key(
            "predicates",
            Type.LIST,
            default=(),
            importance=Importance.LOW,
            documentation="Names for the predicates that say of which records a transformation is.",
            validator=unique_aliases,
            group=_PREDICATES,
            order_in_group=13,
            width=Width.LONG,
            display_name="Predicates",
        ),
        Key(
            "config.action.reload",
            Type.STRING,
            default="restart",
            importance=Importance.LOW,
            documentation="What to do when a value that a config provider gave is over: restart the connector, or none.",
            validator=one_of("none", "restart"),
            group=_COMMON,
            order_in_group=14,
            width=Width.MEDIUM,
            display_name="Reload Action",
        ),
        _error(
            1,
            "errors.retry.timeout",
            Type.LONG,
            0,
            "For how many milliseconds an operation that failed is tried again; -1 for ever.",
            "Retry Timeout for Errors",
            Width.MEDIUM,
        ),
        _error(
            2,
            "errors.retry.delay.max.ms",
            Type.LONG,
            60000,
            "How many milliseconds lie between two tries at most.",
            "Maximum Delay Between Retries for Errors",
            Width.MEDIUM,
        ),
        _error(
            3,
            "errors.tolerance",
            Type.STRING,
            "none",
            "Whether a record that cannot be processed fails the task (none) or is passed over (all).",
            "Error Tolerance",
            Width.SHORT,
            one_of("none", "all"),
        ),
        _error(
            4,
            "errors.log.enable",
            Type.BOOLEAN,
            False,
            "Whether every failed operation is logged, and not only what fails the task.",
            "Log Errors",
            Width.SHORT,
        ),
        _error(
            5,
            "errors.log.include.messages",
            Type.BOOLEAN,
            False,
            "Whether the log shows the record itself, too.",
            "Log Error Details",
            Width.SHORT,
        ),
    )
)

SOURCE = COMMON.with_keys(
    Key(
        "topic.creation.groups",
        Type.LIST,
        (),
        Importance.LOW,
        "Names for groups of topics that are made with settings of their own.",
        unique_aliases,
        _TOPICS,
        1,
        Width.LONG,
        "Topic Creation Groups",
    ),
    Key(
        "exactly.once.support",
        Type.STRING,
        "requested",
        Importance.MEDIUM,
        "Whether the connector is refused where its records cannot be written exactly once (required), or not (requested).",
        one_of_any_case("REQUIRED", "REQUESTED"),
        _EXACTLY_ONCE,
        2,
        Width.SHORT,
        "Exactly once support",
    ),
    Key(
        "transaction.boundary",
        Type.STRING,
        "poll",
        Importance.MEDIUM,
        "Where a transaction ends that writes exactly once: after each poll, after an interval, or where the connector says.",
        one_of_any_case("INTERVAL", "POLL", "CONNECTOR"),
        _EXACTLY_ONCE,
        3,
        Width.SHORT,
        "Transaction Boundary",
    ),
    Key(
        "transaction.boundary.interval.ms",
        Type.LONG,
        None,
        Importance.LOW,
        "With transaction.boundary=interval: how many milliseconds a transaction lasts.",
        lambda value: None if value is None else at_least(0)(value),
        _EXACTLY_ONCE,
        4,
        Width.SHORT,
        "Transaction boundary interval",
    ),
    Key(
        "offsets.storage.topic",
        Type.STRING,
        None,
        Importance.LOW,
        "A topic of its own for the connector's offsets; without it the worker's.",
        non_empty,
        _OFFSETS,
        1,
        Width.LONG,
        "Offsets topic",
    ),
)

SINK = COMMON.with_keys(
    Key(
        "topics",
        Type.LIST,
        (),
        Importance.HIGH,
        "The topics to read from.",
        no_duplicates("topics"),
        _COMMON,
        4,
        Width.LONG,
        "Topics",
    ),
    Key(
        "topics.regex",
        Type.STRING,
        "",
        Importance.HIGH,
        "A pattern for the names of the topics to read from, in place of a list.",
        regex,
        _COMMON,
        4,
        Width.LONG,
        "Topics regex",
    ),
    _error(
        6,
        "errors.deadletterqueue.topic.name",
        Type.STRING,
        "",
        "The topic for records that cannot be processed; empty for none.",
        "Dead Letter Queue Topic Name",
        Width.MEDIUM,
    ),
    _error(
        7,
        "errors.deadletterqueue.topic.replication.factor",
        Type.SHORT,
        3,
        "How many replicas that topic has if it is made.",
        "Dead Letter Queue Topic Replication Factor",
        Width.MEDIUM,
    ),
    _error(
        8,
        "errors.deadletterqueue.context.headers.enable",
        Type.BOOLEAN,
        False,
        "Whether a record in that topic has headers that say what went wrong.",
        "Enable Error Context Headers",
        Width.MEDIUM,
    ),
)

#: What becomes of records that cannot be processed (KIP-298).
ERRORS = ConfigDef(tuple(key for key in SINK.keys if key.group == _ERRORS))
