"""What a client asks for beside the resource: `Accept`, and `Prefer: wait=<seconds>` (RFC 7240), how long it lets an answer wait
for news."""

import re

from django.http import HttpRequest

# A waiting request holds a thread; a client that wants to wait longer asks again.
LONGEST = 30.0
_WAIT = re.compile(r"(?:^|[,;\s])wait=(\d{1,4})(?:$|[,;\s])")


def wanted_wait(request: HttpRequest) -> float | None:
    """Seconds, at most LONGEST; None when the client did not ask."""
    found = _WAIT.search(request.headers.get("Prefer", ""))
    return min(float(found[1]), LONGEST) if found else None


def accepts(header: str, media_type: str) -> bool:
    """Whether an `Accept` takes it. No header, or an empty one, takes everything."""
    if not header.strip():
        return True
    wanted = {media_type, f"{media_type.partition('/')[0]}/*", "*/*"}
    # At whatever price: Jersey counts `q=0`, too.
    return any(part.partition(";")[0].strip() in wanted for part in header.lower().split(","))
