"""How many records are due. Pure."""

from dataclasses import dataclass

#: What was missed is made up for, for so many seconds: a pause is not followed by all that it held up.
MEMORY = 5.0


@dataclass(frozen=True, slots=True)
class Pace:
    """`due` records at the time `at` (seconds). A new one begins with one record."""

    rate: float
    at: float
    due: float = 1.0

    def now(self, time: float) -> "Pace":
        return Pace(self.rate, time, min(max(1.0, self.rate * MEMORY), self.due + (time - self.at) * self.rate))

    def less(self, records: int) -> "Pace":
        return Pace(self.rate, self.at, self.due - records)
