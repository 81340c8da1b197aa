"""Where this process's views find the workers' figures."""

from collections.abc import Sequence
from typing import Protocol


class Board(Protocol):
    def read(self, workers: Sequence[str]) -> list[bytes | None]:
        """Each worker's figures; None for who has not told any lately."""
        ...


_board: Board | None = None


def board() -> Board:
    """The one in Redis, made with the first request."""
    global _board
    if _board is None:
        from workers import assembly
        from workers.config import worker_config

        _board = assembly.board(worker_config())
    return _board


def use(board: Board | None) -> None:
    """From now on; None for one to be made. A process that hosts its worker gives that one's."""
    global _board
    _board = board
