"""What commands are made of: one interface, with an implementation for a control room and one for a single Connect cluster.

What an implementation does not have, it cannot do, and says why in a sentence.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

from cli.ends import Cannot
from cli.values import (
    Config,
    Described,
    Filter,
    Level,
    Options,
    PluginLine,
    Ref,
    Row,
    Run,
    Sight,
    Verb,
)
from connect_client import PartitionOffset

Document = Mapping[str, Any]


class Target(ABC):
    """Methods raise ConnectError, and Cannot for what is not had here."""

    #: Whether rows are of several clusters.
    several = False

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def clusters(self) -> list[dict[str, Any]]:
        """`{"name", "contact", "version", "connectors", "error"}` of each."""

    @abstractmethod
    def connectors(self, wanted: Filter) -> list[Row]: ...

    @abstractmethod
    def find(self, name: str, cluster: str = "") -> Row:
        """The one that is meant. Raises NotFound, and Cannot where it may be one of several."""

    @abstractmethod
    def watch(self, wanted: Filter) -> Iterator[Sight]:
        """As it is, and again whenever there may be something new, for ever."""

    @abstractmethod
    def describe(self, row: Row) -> Described: ...

    @abstractmethod
    def act(self, verb: Verb, rows: Sequence[Row], options: Options) -> Run:
        """Does it, and tells how it goes until it is over."""

    @abstractmethod
    def restart_failed(self, wanted: Filter, *, everywhere: bool) -> Run:
        """Whatever has failed of what is wanted; of all clusters only if that is said."""

    @abstractmethod
    def plugins(self) -> list[PluginLine]: ...

    @abstractmethod
    def plugin_keys(self, class_name: str, cluster: str) -> list[dict[str, Any]]: ...

    @abstractmethod
    def config(self, ref: Ref) -> Config: ...

    @abstractmethod
    def put_config(self, ref: Ref, config: Config) -> None: ...

    @abstractmethod
    def create(self, ref: Ref, config: Mapping[str, str | None], initial_state: str) -> None: ...

    @abstractmethod
    def home(self, cluster: str) -> str:
        """The cluster for something new, which has to be said where there are several. Raises Cannot."""

    @abstractmethod
    def loggers(self, cluster: str) -> list[Level]: ...

    @abstractmethod
    def set_level(self, cluster: str, logger: str, level: str, *, whole: bool) -> Sequence[str] | None:
        """The loggers that were changed, of one worker; None: all workers will have it."""

    @abstractmethod
    def offsets(self, ref: Ref) -> list[PartitionOffset]: ...

    @abstractmethod
    def alter_offsets(self, ref: Ref, offsets: Sequence[PartitionOffset]) -> str:
        """What it was answered with."""

    @abstractmethod
    def reset_offsets(self, ref: Ref) -> str: ...

    def resources(self, kind: str = "", cluster: str = "") -> list[Document]:
        _nobody_keeps_them()

    def resource(self, kind: str, name: str) -> Document:
        _nobody_keeps_them()

    def would_put(self, kind: str, name: str, document: Document) -> Document:
        """`{"action": "create" | "update" | "unchanged", "changes": [{"path", "before", "after"}]}`; nothing is done."""
        _nobody_keeps_them()

    def put_resource(self, kind: str, name: str, document: Document) -> Document:
        _nobody_keeps_them()

    def delete_resource(self, kind: str, name: str) -> None:
        _nobody_keeps_them()

    def annotate(self, kind: str, name: str, annotations: Mapping[str, str | None]) -> Document:
        _nobody_keeps_them()


def _nobody_keeps_them() -> NoReturn:
    raise Cannot(
        "A Connect cluster by itself has nobody who keeps resources and sees to them: this takes the context of a control room."
    )
