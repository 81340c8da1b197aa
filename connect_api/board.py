"""Where this process's views find the workers' figures."""

from functools import cache

from workers.metrics.board import Board


@cache
def board() -> Board:
    from workers import assembly
    from workers.config import worker_config

    return assembly.board(worker_config())
