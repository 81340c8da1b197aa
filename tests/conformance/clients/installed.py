"""Fetches the clients by their own languages' package managers, what they are pinned to and nothing else, into `.clients`.

Once for each state of the files that pin them: what is there already is taken as it is.
"""

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.running import PROJECT
from tests.waiting import eventually

PINS = Path(__file__).resolve().parent
GO_CLIENT = "github.com/go-kafka/connect/cmd/kafka-connect"


def python_clients() -> Path:
    """The folder of a virtual environment with kafka-connect-py and kafka-connect-api."""
    return _fetched("python", [PINS / "requirements.txt"], _python)


def go_client() -> Path:
    """The program `kafka-connect` of github.com/go-kafka/connect."""
    return _fetched("go", [PINS / "go" / "go.mod", PINS / "go" / "go.sum"], _go) / "kafka-connect"


def _fetched(kind: str, pins: list[Path], fetch: Callable[[Path], None]) -> Path:
    state = hashlib.sha256(b"".join(file.read_bytes() for file in pins)).hexdigest()[:12]
    folder = PROJECT / ".clients" / f"{kind}-{state}"
    done = folder / "done"
    if not done.exists():
        fetch(folder)
        done.touch()
    return folder


def _python(folder: Path) -> None:
    _run(sys.executable, "-m", "venv", "--clear", str(folder))
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    _run(*pip, "--retries", "10", "--require-hashes", "-r", str(PINS / "requirements.txt"))


def _go(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    # A proxy of modules that falters is asked again; what has arrived is kept.
    eventually(lambda: _run("go", "mod", "download", cwd=PINS / "go"), "The download of Go modules")
    _run("go", "build", "-o", str(folder / "kafka-connect"), GO_CLIENT, cwd=PINS / "go")


def _run(*command: str, cwd: Path | None = None) -> bool:
    ended = subprocess.run(
        command, cwd=cwd, env={**os.environ, "GOFLAGS": "-mod=readonly"}, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, f"{' '.join(command)}:\n{ended.stdout}\n{ended.stderr}"
    return True
