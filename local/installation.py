"""One installation: its data folder, its ports, and which parts are its own."""

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from django.conf import settings


@dataclass(frozen=True)
class Installation:
    """Everything the process plan is computed from. A part that the user named (`REDIS_URL`, ...) is not our own."""

    project: Path
    data: Path
    host: str
    port: int
    bootstrap_servers: str
    redis_url: str
    own_broker: bool
    own_redis: bool
    own_database: bool
    #: Workers of one group, each with a Spark driver of its own.
    workers: int = 1

    @property
    def kafka_port(self) -> int:
        return self.port + 1

    @property
    def controller_port(self) -> int:
        return self.port + 2

    @property
    def redis_port(self) -> int:
        return self.port + 3

    @property
    def logs(self) -> Path:
        return self.data / "logs"

    @property
    def run(self) -> Path:
        """What is written anew at every start: configurations, the lock, the supervisor's socket."""
        return self.data / "run"

    @property
    def jars(self) -> Path:
        return self.project / ".jars"

    @property
    def url(self) -> str:
        """Where this machine reaches the web process, whatever wider address it is bound to."""
        host = self.host
        if host in {"0.0.0.0", "::"}:
            host = "127.0.0.1" if host == "0.0.0.0" else "::1"
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def is_named(name: str, environment: Mapping[str, str]) -> bool:
    """Whether the user named a part of their own, directly or by a `..._FILE` that holds the secret."""
    return bool(environment.get(name) or environment.get(f"{name}_FILE"))


def at(installation: Installation, data_dir: str | None) -> Installation:
    """The installation whose data folder a flag names, where it names one."""
    return replace(installation, data=Path(data_dir).expanduser().resolve()) if data_dir else installation


def this_installation() -> Installation:
    """The installation that the settings, and so the environment, describe."""
    return Installation(
        project=Path(settings.BASE_DIR),
        # One folder, one name: leftovers are found by it.
        data=Path(settings.DATA_DIR).resolve(),
        host=settings.HOST,
        port=settings.PORT,
        bootstrap_servers=settings.KAFKA_BOOTSTRAP_SERVERS,
        redis_url=settings.REDIS_URL,
        own_broker=not is_named("KAFKA_BOOTSTRAP_SERVERS", os.environ),
        own_redis=not is_named("REDIS_URL", os.environ),
        own_database=not is_named("DATABASE_URL", os.environ),
        workers=settings.WORKERS,
    )
