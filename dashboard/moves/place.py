"""One of the two clusters of a move, and the connector's name there."""

from collections.abc import Iterable
from dataclasses import dataclass

from connect_client import ConnectClient, ConnectNotFound, ConnectorStatus
from dashboard.moves.decide import Config, Offsets, Where
from dashboard.offsets.changes import Change


class NotTold(Exception):
    """The connector is there, and nobody tells its state at this moment."""


@dataclass(frozen=True, slots=True)
class Place:
    """Asks, and nothing else. What a cluster does not answer is raised as it comes (ConnectError)."""

    where: Where
    client: ConnectClient

    def config(self) -> Config | None:
        """None: it is not there."""
        try:
            return self.client.config(self.where.name)
        except ConnectNotFound:
            return None

    def status(self) -> ConnectorStatus | None:
        """None: it is not there. Raises NotTold."""
        try:
            return self.client.status(self.where.name)
        except ConnectNotFound:
            if self.config() is None:
                return None
            raise NotTold(f"The state of {self.where} is not told at this moment.") from None

    def told(self) -> ConnectorStatus | None:
        """None also where it is not told yet."""
        try:
            return self.status()
        except NotTold:
            return None

    def offsets(self) -> Offsets:
        return tuple(self.client.offsets(self.where.name))

    def offsets_if_there(self) -> Offsets | None:
        """None: the connector is not there."""
        return None if self.config() is None else self.offsets()

    def alter(self, different: Iterable[Change]) -> None:
        self.client.alter_offsets(self.where.name, [one.wanted for one in different])
