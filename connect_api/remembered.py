"""Which answers may be given again as they are, and what tells that they are still true (`web/remembered.py`)."""

from urllib.parse import unquote

from connect_api import herder as holder
from web.remembered import MadeOf, nothing
from workers.herder.errors import HerderError
from workers.rest_config import rest_config

_CONNECTORS = b"connectors"
#: Under a connector.
_READ = frozenset({(), (b"status",), (b"config",), (b"tasks",)})


def source() -> MadeOf:
    """For the server. An operator may want a header that has the time in it: then no two answers are the same."""
    return nothing if any(rule.date for rule in rest_config().headers) else made_of


def made_of(target: bytes) -> tuple[object, ...] | None:
    """What `GET target` is answered from: the lists of connectors, and of one its info, config, status and tasks."""
    path, _, query = target.partition(b"?")
    first, *segments = path.split(b"/")
    herder = holder.made()
    if first or segments[:1] != [_CONNECTORS] or b";" in path or herder is None:
        return None
    try:
        if len(segments) == 1:
            return herder.made_of(None)
        if query or tuple(segments[2:]) not in _READ:
            return None
        return herder.made_of(unquote(segments[1].decode("ascii"), errors="strict"))
    except (HerderError, UnicodeDecodeError):
        # The one who is asked will say so.
        return None
