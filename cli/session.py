"""What the commands of one call share: whom they ask, found out when somebody is asked."""

import os
from dataclasses import dataclass, field
from pathlib import Path

import click

from cli import contexts
from cli.cluster import OneCluster
from cli.contexts import Context, Contexts, Kind, Said
from cli.room import Room
from cli.room_http import RoomHttp
from cli.target import Target


@dataclass
class Session:
    said: Said = field(default_factory=Said)
    _target: Target | None = None

    @property
    def file(self) -> Path:
        return contexts.path(os.environ)

    def contexts(self) -> Contexts:
        return contexts.read(self.file)

    @property
    def target(self) -> Target:
        """Raises Cannot, UnusableTls."""
        if self._target is None:
            context = contexts.chosen(self.said, Contexts() if self.said.url or self.said.connect else self.contexts())
            self._target = opened(context)
        return self._target

    def close(self) -> None:
        if self._target is not None:
            self._target.close()


def opened(context: Context) -> Target:
    if context.kind is Kind.ROOM:
        return Room(RoomHttp(context.urls[0], context.token, context.tls()))
    return OneCluster(context)


pass_session = click.make_pass_decorator(Session, ensure=True)
