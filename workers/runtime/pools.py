"""Spark's FAIR pools: whose jobs share the cores evenly with whose. Pure."""

from zlib import crc32

# Spark keeps a pool for ever, and goes through all of them whenever it looks for work.
_POOLS = 32
#: Of the jobs that are done for several tasks together: never behind somebody's backlog.
COMMON = "common"


def pool_of(task: str | None) -> str:
    """Of a task's own job; None: of a common one."""
    return COMMON if task is None else f"alone-{crc32(task.encode()) % _POOLS}"
