"""The plan: which processes one installation consists of, in which order, and when each counts as ready. Pure."""

import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace

from local import kafka, leftovers, redis
from local.installation import Installation
from local.java import Java

BROKER, REDIS, WORKER, WEB, CONTROL = NAMES = ("broker", "redis", "worker", "web", "control")


@dataclass(frozen=True)
class KafkaAnswers:
    bootstrap_servers: str


@dataclass(frozen=True)
class RedisAnswers:
    url: str


@dataclass(frozen=True)
class HttpAnswers:
    """`GET url` is answered, and with 200 unless any answer will do."""

    url: str
    healthy: bool = True


@dataclass(frozen=True)
class Runs:
    """Being there is all that is asked of it: it serves nobody."""


Probe = KafkaAnswers | RedisAnswers | HttpAnswers | Runs


@dataclass(frozen=True)
class ProcessSpec:
    name: str
    command: tuple[str, ...]
    probe: Probe
    # Started when these are ready.
    after: tuple[str, ...] = ()
    # How long it may take to finish cleanly before it is killed.
    stop_seconds: int = 10
    # What it sees beside what all see.
    environment: tuple[tuple[str, str], ...] = ()


def own_parts(installation: Installation) -> tuple[str, ...]:
    """The processes to run, in the order of their start: all but the parts that the user named."""
    replaced = {BROKER: not installation.own_broker, REDIS: not installation.own_redis}
    names = [name for name in NAMES if not replaced.get(name, False)]
    after = names.index(WORKER) + 1
    return (*names[:after], *further_workers(installation), *names[after:])


def further_workers(installation: Installation) -> tuple[str, ...]:
    return tuple(f"{WORKER}-{number}" for number in range(2, installation.workers + 1))


def plan(installation: Installation, java: Java, names: tuple[str, ...]) -> tuple[ProcessSpec, ...]:
    """The specs of `names` in the order of their start; the reverse is the order of their stop."""
    everything = (
        ProcessSpec(BROKER, kafka.command(installation, java), KafkaAnswers(installation.bootstrap_servers), stop_seconds=15),
        ProcessSpec(REDIS, redis.command(installation), RedisAnswers(installation.redis_url)),
        # A clean stop lets the running jobs commit what they wrote.
        ProcessSpec(
            WORKER, manage(installation, WORKER), worker_probe(installation, names), after=(BROKER, REDIS), stop_seconds=20
        ),
        *(further_worker(installation, name) for name in further_workers(installation)),
        ProcessSpec(
            WEB, manage(installation, WEB), HttpAnswers(f"{installation.inner_url}/", healthy=False), after=(BROKER, REDIS)
        ),
        # Nobody waits for it: it leaves the cores to those two while they start.
        ProcessSpec(CONTROL, manage(installation, CONTROL), Runs(), after=(BROKER, REDIS, WEB)),
    )
    # What the user named instead is ready already.
    return tuple(
        replace(spec, after=tuple(name for name in spec.after if name in names)) for spec in everything if spec.name in names
    )


def further_worker(installation: Installation, name: str) -> ProcessSpec:
    """One more in the first one's group: it takes its share as soon as it has joined."""
    worker_id = f"{socket.gethostname()}:{installation.port}{name.removeprefix(WORKER)}"
    return ProcessSpec(
        name,
        manage(installation, WORKER),
        Runs(),
        after=(BROKER, REDIS, WORKER),
        stop_seconds=20,
        environment=(("DROVER_WORKER_ID", worker_id),),
    )


def manage(installation: Installation, command: str) -> tuple[str, ...]:
    return (sys.executable, str(installation.project / "manage.py"), command)


def worker_probe(installation: Installation, names: tuple[str, ...]) -> Probe:
    """The worker listens on no port; `/health` is 200 once it answers the web process."""
    return HttpAnswers(f"{installation.inner_url}/health") if WEB in names else Runs()


def for_spark(java: Java, base: Mapping[str, str]) -> dict[str, str]:
    """What a process that starts a Spark driver needs to see, beside what the user has named."""
    own = {"PYSPARK_PYTHON": sys.executable}
    if "SPARK_LOCAL_IP" not in base and base.get("SPARK_MASTER", "local").startswith("local"):
        # Left to itself the driver listens on the address that the machine's name stands for.
        own["SPARK_LOCAL_IP"] = "127.0.0.1"
    if java.home and not base.get("JAVA_HOME"):
        own["JAVA_HOME"] = str(java.home)
    return own


def environment(installation: Installation, java: Java, base: Mapping[str, str]) -> dict[str, str]:
    """What every process gets to see: the user's environment, made definite, so that none derives a value differently."""
    own = {
        "DROVER_PORT": str(installation.port),
        "DROVER_HOST": installation.host,
        "DROVER_DATA_DIR": str(installation.data),
        **for_spark(java, base),
        "PYTHONUNBUFFERED": "1",
        leftovers.MARK: str(installation.data),
    }
    if installation.own_broker:
        own["KAFKA_BOOTSTRAP_SERVERS"] = installation.bootstrap_servers
    if installation.own_redis:
        own["REDIS_URL"] = installation.redis_url
    if not base.get("DROVER_SECRET_KEY") and not base.get("DROVER_SECRET_KEY_FILE"):
        own["DROVER_SECRET_KEY_FILE"] = str(installation.data / "secret-key")
    return {**base, **own}
