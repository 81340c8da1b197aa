"""Real Apache Kafka Connect workers, for tests that compare or hand over."""

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from connect_client import ConnectClient
from local import java
from tests.running import PROJECT, free_port
from tests.waiting import eventually

STRING_CONVERTER = "org.apache.kafka.connect.storage.StringConverter"

# In a worker's folder, for those who kill it.
PID = "worker.pid"


@dataclass(frozen=True)
class Release:
    """One of Apache Kafka Connect: where its jars are (log4j is the broker's where it brings none: without, it has no loggers to
    show), and its log4j's setting, a file name and what is in the file."""

    jars: tuple[str, ...]
    log4j: str
    file: str
    logging: str
    #: `/health` (KIP-1017).
    tells_health: bool = True

    def ready(self, client: ConnectClient) -> bool:
        return client.health().status == "healthy" if self.tells_health else client.connectors() == {}


NEWEST = Release(
    ("peer/*.jar", "broker/log4j-*.jar"),
    "log4j2.configurationFile",
    "log4j2.properties",
    """\
status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d] %p %m (%c)%n
rootLogger.level = info
rootLogger.appenderRef.console.ref = console
""",
)
#: 2.8, before restarts in one call, stopping, offsets and initial states.
OLDER = Release(
    ("older/*.jar",),
    "log4j.configuration",
    "log4j.properties",
    """\
log4j.rootLogger=INFO, console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=[%d] %p %m (%c)%n
""",
    tells_health=False,
)


@contextmanager
def connect_worker(
    bootstrap_servers: str,
    folder: Path,
    *,
    group: str,
    settings: Mapping[str, str] = {},
    port: int | None = None,
    release: Release = NEWEST,
) -> Iterator[ConnectClient]:
    """Apache Kafka Connect, 4.3 unless another is meant, distributed. `worker.properties` has its settings; its internal topics
    bear the group's name."""
    properties = {"group.id": group, **settings}
    for kind in ("config", "offset", "status"):
        properties[f"{kind}.storage.topic"] = f"{group}-{kind}"
        properties[f"{kind}.storage.replication.factor"] = "1"
    with _running("ConnectDistributed", bootstrap_servers, folder, properties, port=port, release=release) as client:
        yield client


@contextmanager
def connect_standalone(bootstrap_servers: str, folder: Path, *connectors: Path) -> Iterator[ConnectClient]:
    """Apache Kafka Connect 4.3, standalone, with connectors from files."""
    properties = {"offset.storage.file.filename": str(folder / "connect.offsets")}
    with _running("ConnectStandalone", bootstrap_servers, folder, properties, connectors) as client:
        yield client


@contextmanager
def _running(
    main: str,
    bootstrap_servers: str,
    folder: Path,
    more: Mapping[str, str],
    connectors: Sequence[Path] = (),
    *,
    port: int | None = None,
    release: Release = NEWEST,
) -> Iterator[ConnectClient]:
    url = f"http://127.0.0.1:{port or free_port()}"
    properties = {
        "bootstrap.servers": bootstrap_servers,
        "listeners": url,
        "key.converter": STRING_CONVERTER,
        "value.converter": STRING_CONVERTER,
        "plugin.discovery": "only_scan",
        # A sink's task that stops waits for the fetch that is under way; with nothing to read that is this long.
        "consumer.fetch.max.wait.ms": "20",
        # Else nobody sees for a minute how far it has got.
        "offset.flush.interval.ms": "500",
        **more,
    }
    logging = folder / release.file
    logging.write_text(release.logging)
    file = folder / "worker.properties"
    file.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
    jars = [jar for where in release.jars for jar in sorted((PROJECT / ".jars").glob(where))]
    command = [str(java.find().executable), "-Xmx512m", f"-D{release.log4j}={logging.as_uri()}"]
    command += ["-cp", ":".join(map(str, jars))]
    with (folder / "connect.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, f"org.apache.kafka.connect.cli.{main}", str(file), *map(str, connectors)],
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    (folder / PID).write_text(str(process.pid))
    try:
        with ConnectClient(url) as client:

            def ended_or_healthy() -> bool:
                return process.poll() is not None or release.ready(client)

            eventually(ended_or_healthy, "Apache Kafka Connect's start")
            assert process.poll() is None, (folder / "connect.log").read_text()[-4000:]
            yield client
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
