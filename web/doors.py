"""The addresses that a process takes: `listeners`, `admin.listeners`, and where need be a socket for its own installation."""

import socket
from contextlib import ExitStack
from pathlib import Path

from django.conf import settings

from config.listeners import UNIX
from connect_api.admin import ADMIN
from web import tls
from web.server import Door, bound


def take(stack: ExitStack) -> list[Door]:
    """Given back at the stack's end. Raises CannotListen, TlsRefused."""
    wanted = (*settings.LISTENERS, *(settings.ADMIN_LISTENERS or ()))
    contexts = [tls.context(listener.admin) if listener.is_tls else None for listener in wanted]
    return [
        Door(stack.enter_context(bound(listener.host, listener.port)), context, ADMIN if listener.admin else "")
        for listener, context in zip(wanted, contexts, strict=True)
    ]


def take_inner(stack: ExitStack) -> list[Door]:
    """For this installation's other processes, where no listener is without TLS."""
    if not settings.INNER_URL.startswith(UNIX):
        return []
    path = Path(settings.INNER_URL.removeprefix(UNIX))
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    taken = stack.enter_context(socket.socket(socket.AF_UNIX))
    taken.bind(str(path))
    path.chmod(0o600)
    return [Door(taken)]
