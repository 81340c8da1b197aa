"""Everything that can be known to stand in the way before anything is started; each finding is one sentence for the user."""

import errno
import os
import shutil
import socket
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

import psutil
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.utils import DatabaseError, Error

from config.listeners import Listener
from local import java, probes
from local.installation import Installation, is_loopback
from local.processes import BROKER, REDIS, WEB, WORKER
from web import tls

FREE_BYTES_NEEDED = 1024**3
BROKER_SECONDS = 5.0
# Linux allows 107 bytes for the path of a socket, macOS 103; supervisord binds a longer name first, with its process id.
LONGEST_SOCKET_PATH = 90


def machine_problems(installation: Installation, insecure: bool) -> list[str]:
    """What about this machine stands in the way; asked before anything is written."""
    return _found(
        host_problem(installation, insecure),
        listeners_problem(installation),
        path_problem(installation),
        space_problem(installation.data),
        java_problem(),
    )


def part_problems(installation: Installation, names: tuple[str, ...]) -> list[str]:
    """What stands in the way of the parts: our own need their ports, and those that the user named have to answer."""
    return _found(
        *(port_problem(what, host, port) for what, host, port in wanted_ports(installation, names)),
        None if installation.own_broker else broker_problem(installation.bootstrap_servers),
        None if installation.own_redis else redis_problem(installation.redis_url),
        None if installation.own_database else database_problem(),
        spark_problem(settings.SPARK_MASTER) if WORKER in names else None,
    )


def _found(*answers: str | None) -> list[str]:
    return [answer for answer in answers if answer]


def host_problem(installation: Installation, insecure: bool) -> str | None:
    open_to_all = next((listener.host for listener in installation.listeners if not _guarded(listener)), None)
    if insecure or open_to_all is None:
        return None
    return (
        f"DROVER_HOST is {open_to_all}, which other machines reach, and the REST API asks nobody to sign in: "
        "put a proxy that does in front of 127.0.0.1, or say --insecure."
    )


def _guarded(listener: Listener) -> bool:
    """By where it is, or by a certificate that it demands of whoever comes."""
    return is_loopback(listener.host) or (listener.is_tls and tls.demands_certificate(listener.admin))


def listeners_problem(installation: Installation) -> str | None:
    try:
        for listener in installation.listeners:
            if listener.is_tls:
                tls.context(listener.admin)
        return None
    except tls.TlsRefused as problem:
        return f"{problem}."


def path_problem(installation: Installation) -> str | None:
    if len(os.fsencode(installation.run / "supervisor.sock")) <= LONGEST_SOCKET_PATH:
        return None
    return f"The data folder's path {installation.data} is too long to hold a socket: choose a shorter one with DROVER_DATA_DIR."


def space_problem(data: Path) -> str | None:
    """Asked before the folder is made, so of the nearest one that exists."""
    existing = next(folder for folder in (data, *data.parents) if folder.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        return f"The data folder {data} cannot be written to: choose another with DROVER_DATA_DIR or --data-dir."
    free = shutil.disk_usage(existing).free
    if free >= FREE_BYTES_NEEDED:
        return None
    return (
        f"There is too little disk space for {data}: {_megabytes(free)} are free and {_megabytes(FREE_BYTES_NEEDED)} are needed."
    )


def java_problem() -> str | None:
    try:
        java.find()
        return None
    except java.JavaUnusable as problem:
        return str(problem)


def _megabytes(size: int) -> str:
    return f"{size // 1024**2} MB"


def wanted_ports(installation: Installation, names: Iterable[str]) -> list[tuple[str, str, int]]:
    """What will listen where."""
    ports = {
        WEB: [("the web server", listener.host, listener.port) for listener in installation.listeners],
        BROKER: [
            ("Kafka", "127.0.0.1", installation.kafka_port),
            ("Kafka's controller", "127.0.0.1", installation.controller_port),
        ],
        REDIS: [("Redis", "127.0.0.1", installation.redis_port)],
    }
    return [wanted for name in names for wanted in ports.get(name, [])]


def port_problem(what: str, host: str, port: int) -> str | None:
    """Binds for a moment, as the process itself will: only that tells of every way in which a port can be taken."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        with socket.socket(family, kind, protocol) as probe:
            # All of ours set it too: a port in TIME_WAIT is free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            return None
    except socket.gaierror:
        return f"DROVER_HOST is {host}, which is no address of this machine."
    except OSError as error:
        reason = f"is in use{_by_whom(port)}" if error.errno == errno.EADDRINUSE else f"cannot be listened on ({error.strerror})"
        return f"Port {port}, for {what}, {reason}: end that, or choose another range with DROVER_PORT or --port."


def _by_whom(port: int) -> str:
    try:
        for connection in psutil.net_connections("tcp"):
            listens = connection.status == psutil.CONN_LISTEN and connection.laddr and connection.laddr.port == port
            if listens and connection.pid:
                return f" by {psutil.Process(connection.pid).name()} (process {connection.pid})"
    except psutil.Error:
        # macOS tells this to root only.
        pass
    return ""


def broker_problem(bootstrap_servers: str) -> str | None:
    if probes.kafka_answers(bootstrap_servers, BROKER_SECONDS):
        return None
    return (
        f"No Kafka broker answers at {bootstrap_servers}, which KAFKA_BOOTSTRAP_SERVERS names: start it, or unset the variable."
    )


def redis_problem(url: str) -> str | None:
    if probes.redis_answers(url):
        return None
    return f"No Redis answers at {without_password(url)}, which REDIS_URL names: start it, or unset the variable."


def database_problem() -> str | None:
    try:
        connections[DEFAULT_DB_ALIAS].ensure_connection()
        return None
    except (DatabaseError, Error) as error:
        reason = str(error).strip().splitlines()[0]
        return f"The database that DATABASE_URL names cannot be reached ({reason}): start it, or unset the variable."


def spark_problem(master: str) -> str | None:
    """Only a standalone cluster is asked; the others are reached through their own clients."""
    if not master.startswith("spark://"):
        return None
    first = master.removeprefix("spark://").split(",")[0]
    host, _, port = first.partition(":")
    try:
        socket.create_connection((host, int(port or 7077)), timeout=BROKER_SECONDS).close()
        return None
    except (OSError, ValueError):
        return f"No Spark master answers at {master}, which SPARK_MASTER names: start it, or unset the variable."


def without_password(url: str) -> str:
    parts = urlsplit(url)
    if not parts.password:
        return url
    return parts._replace(netloc=f"***@{parts.netloc.rpartition('@')[2]}").geturl()
