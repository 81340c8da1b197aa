"""The moves of all who ask."""

import threading
from collections.abc import Collection
from datetime import datetime

from dashboard.control import leases
from dashboard.control.crew import Crew
from dashboard.moves import claims
from dashboard.moves.run import Run


class Moves(Crew[int]):
    one = "move"

    def claimable(self, now: datetime) -> list[int]:
        return claims.claimable(now)

    def claim(self, item: int, now: datetime) -> bool:
        return leases.claim(claims.rows([item]), self.by, now)

    def rows(self, items: Collection[int] | None = None) -> leases.Rows:
        return claims.rows(items)

    def work(self, item: int, stop: threading.Event) -> None:
        Run(item, self.by).work(stop)
