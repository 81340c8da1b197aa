"""When an idle task is looked at again, and Kafka asked again where its topics end. Pure."""

import math

#: How many looks a second there are at most, at all tasks together: what two hundredths of a core can do.
LOOKS = 1000
#: Looks that are due within this part of a pause are due together: who wakes up for one does the others as well.
_GRAIN = 1 / 20
#: Of so many partitions the ends may be asked as often as one likes; of the others, how many a second.
_FREE, _ASKED = 200, 2000


def next_look(now: float, interval: float, tasks: int) -> float:
    """When one of so many `tasks`, which has just been looked at, is looked at again: after `interval` seconds, or after as many
    times that as it takes with so many."""
    pause = interval * max(1, math.ceil(tasks / (LOOKS * interval)))
    grain = pause * _GRAIN
    return math.ceil((now + pause) / grain) * grain


def ends_age(least: float, partitions: int) -> float:
    """For how many seconds it is enough to know where so many partitions end: `least`, or longer where there are very many."""
    return max(least, (partitions - _FREE) / _ASKED)
