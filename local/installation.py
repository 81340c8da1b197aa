"""One installation: its data folder, its ports, and which parts are its own."""

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from django.conf import settings

from config.listeners import Listener, url


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
    scheme: str = "http"
    #: What the web process listens at beside `host` and `port`.
    more: tuple[Listener, ...] = ()
    #: Where other processes of the installation reach it, if not at `url`.
    inner: str | None = None

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
        """Where people on this machine reach the web process."""
        return url(self.listeners[0])

    @property
    def inner_url(self) -> str:
        return self.inner or self.url

    @property
    def listeners(self) -> tuple[Listener, ...]:
        return Listener(self.scheme, self.host, self.port), *self.more


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
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
        scheme=settings.LISTENERS[0].scheme,
        more=(*settings.LISTENERS[1:], *(settings.ADMIN_LISTENERS or ())),
        inner=settings.INNER_URL if settings.LISTENERS[0].is_tls else None,
    )
