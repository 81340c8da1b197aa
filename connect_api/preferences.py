"""`Prefer: wait=<seconds>` (RFC 7240): how long a client lets an answer wait for news."""

import re

from django.http import HttpRequest

# A waiting request holds a thread; a client that wants to wait longer asks again.
LONGEST = 30.0
_WAIT = re.compile(r"(?:^|[,;\s])wait=(\d{1,4})(?:$|[,;\s])")


def wanted_wait(request: HttpRequest) -> float | None:
    """Seconds, at most LONGEST; None when the client did not ask."""
    found = _WAIT.search(request.headers.get("Prefer", ""))
    return min(float(found[1]), LONGEST) if found else None
