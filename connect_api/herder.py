"""The herder that this process's views ask."""

from functools import cache

from workers.herder.interface import Herder


@cache
def herder() -> Herder:
    """Made with the first request; from then on it follows the topics."""
    from workers.assembly import remote_herder
    from workers.config import worker_config

    made = remote_herder(worker_config())
    made.start()
    return made
