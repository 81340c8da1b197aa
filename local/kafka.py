"""A single Apache Kafka broker (KRaft: broker and controller in one process) from the jars that Ivy fetched."""

import subprocess
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from pathlib import Path

from local.installation import Installation
from local.java import Java

# Idle it needs a fifth of this; the rest is room for fetches and the log cleaner.
HEAP = ("-Xms96m", "-Xmx512m")
JVM_OPTIONS = (*HEAP, "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError", "-Djava.awt.headless=true")


class FormatFailed(Exception):
    """Kafka's storage tool refused the data folder; the message is for the user."""


def properties(installation: Installation) -> dict[str, str]:
    """`server.properties` for one node on loopback. The log folder is the only value that has to stay the same between starts."""
    return {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@127.0.0.1:{installation.controller_port}",
        "listeners": f"PLAINTEXT://127.0.0.1:{installation.kafka_port},CONTROLLER://127.0.0.1:{installation.controller_port}",
        "advertised.listeners": f"PLAINTEXT://{installation.bootstrap_servers}",
        "controller.listener.names": "CONTROLLER",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name": "PLAINTEXT",
        "log.dirs": str(log_folder(installation)),
        "auto.create.topics.enable": "true",
        "num.partitions": "1",
        "offsets.topic.replication.factor": "1",
        "offsets.topic.num.partitions": "5",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "transaction.state.log.num.partitions": "5",
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.min.isr": "1",
        "share.coordinator.state.topic.num.partitions": "1",
        "group.initial.rebalance.delay.ms": "0",
        # Kafka sets 128 MB of heap aside for compaction; this is still room for a million distinct keys in one pass.
        "log.cleaner.dedupe.buffer.size": str(32 * 1024 * 1024),
        # A broker that was killed may register again only when its old session has ended.
        "broker.session.timeout.ms": "3000",
        "broker.heartbeat.interval.ms": "1000",
    }


def log_folder(installation: Installation) -> Path:
    return installation.data / "kafka"


def java_command(
    installation: Installation, java: Java, *arguments: str, options: tuple[str, ...] = JVM_OPTIONS
) -> tuple[str, ...]:
    logging = f"-Dlog4j2.configurationFile={Path(__file__).with_name('log4j2.properties')}"
    return (str(java.executable), *options, logging, "-cp", f"{installation.jars / 'broker'}/*", *arguments)


def command(installation: Installation, java: Java) -> tuple[str, ...]:
    return java_command(installation, java, "kafka.Kafka", str(properties_file(installation)))


def properties_file(installation: Installation) -> Path:
    return installation.run / "server.properties"


def render(values: dict[str, str]) -> str:
    """A Java properties file; a backslash is the only character of ours that it would read as something else."""
    return "".join(f"{key}={value.replace(chr(92), chr(92) * 2)}\n" for key, value in values.items())


def new_cluster_id() -> str:
    """A random identifier in Kafka's own form, 22 characters of URL-safe base64. A dash at its head would read as an option."""
    while (identifier := urlsafe_b64encode(uuid.uuid4().bytes).rstrip(b"=").decode()).startswith("-"):
        pass
    return identifier


def prepare(installation: Installation, java: Java, more: Mapping[str, str] = {}) -> None:
    """Writes the configuration, with `more` settings of Kafka's, and, the first time, formats the log folder.

    Raises FormatFailed.
    """
    properties_file(installation).write_text(render({**properties(installation), **more}))
    if (log_folder(installation) / "meta.properties").exists():
        return
    # A format that was interrupted leaves a folder without meta.properties; the tool then goes on where it was.
    arguments = ("format", "-t", new_cluster_id(), "-c", str(properties_file(installation)), "--ignore-formatted")
    result = subprocess.run(
        java_command(installation, java, "kafka.tools.StorageTool", *arguments, options=("-Xmx128m", "-XX:TieredStopAtLevel=1")),
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        last = (result.stderr or result.stdout).strip().splitlines()[-1:] or ["no output"]
        raise FormatFailed(f"Kafka could not format {log_folder(installation)}: {last[0]}")
