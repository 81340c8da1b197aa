"""What a connector's config says of its records' errors (KIP-298). Pure."""

from __future__ import annotations

from dataclasses import dataclass

from workers.connectors import framework
from workers.connectors.base import ConnectError
from workers.connectors.configdef import Invalid
from workers.herder.values import Config, ConnectorType


@dataclass(frozen=True, slots=True)
class ErrorSettings:
    """`queue` is the dead letter queue's topic, None without one."""

    tolerates_all: bool = False
    log: bool = False
    log_records: bool = False
    queue: str | None = None
    queue_replication: int = 3
    queue_headers: bool = False

    @property
    def reports(self) -> bool:
        """Whether somebody is told of a record that fails, beside the task itself."""
        return self.log or self.queue is not None


def error_settings(config: Config, kind: ConnectorType) -> ErrorSettings:
    """`errors.retry.*` are not among them: what may pass by itself is never a record's conversion. Raises ConnectError."""
    try:
        values = framework.ERRORS.parse(config)
    except Invalid as error:
        raise ConnectError(str(error)) from error
    return ErrorSettings(
        tolerates_all=values["errors.tolerance"] == "all",
        log=bool(values["errors.log.enable"]),
        log_records=bool(values["errors.log.include.messages"]),
        queue=(str(values["errors.deadletterqueue.topic.name"]) or None) if kind == "sink" else None,
        queue_replication=int(str(values["errors.deadletterqueue.topic.replication.factor"])),
        queue_headers=bool(values["errors.deadletterqueue.context.headers.enable"]),
    )
