"""The herder that this process's views ask."""

import gc
import threading

from workers.herder.interface import Herder

_lock = threading.Lock()
_herder: Herder | None = None


def herder() -> Herder:
    """Made once, with the first request; from then on it follows the topics."""
    global _herder
    with _lock:
        if _herder is None:
            _herder = _remote()
        return _herder


def made() -> Herder | None:
    """If there is one already. Nobody is waited for."""
    return _herder


def use(herder: Herder | None) -> None:
    """Whom the views ask from now on; None for one to be made. A process that hosts a herder of its own gives that."""
    global _herder
    with _lock:
        _herder = herder


def _remote() -> Herder:
    from workers.assembly import remote_herder
    from workers.config import worker_config

    made = remote_herder(worker_config())
    made.start()
    # What is there now stays: the collector need not look through all of Django for a twentieth of a second, in a request's time.
    gc.collect()
    gc.freeze()
    return made
