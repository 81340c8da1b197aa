"""`GET /connectors` as bytes: each connector's JSON is made once for as long as nothing about it changes."""

from collections.abc import Callable, Collection, Mapping
from typing import Generic, TypeVar

import orjson

from connect_api import shapes
from connect_api.compression import packed
from workers.herder.interface import View

T = TypeVar("T")
_EXPANDABLE = frozenset({"status", "info"})


class _Rendered(Generic[T]):
    """Name → ready JSON. What is shown is never changed, so the same object needs no second look."""

    def __init__(self, shape: Callable[[T], object]) -> None:
        self._shape = shape
        self._made: dict[str, tuple[T, orjson.Fragment]] = {}

    def of(self, found: Mapping[str, T]) -> dict[str, orjson.Fragment]:
        before = self._made
        made = {}
        for name, thing in found.items():
            known = before.get(name)
            made[name] = known if known is not None and known[0] is thing else self._render(thing)
        self._made = made
        return {name: fragment for name, (_, fragment) in made.items()}

    def _render(self, thing: T) -> tuple[T, orjson.Fragment]:
        return thing, orjson.Fragment(orjson.dumps(self._shape(thing)))


class Body:
    """An answer's bytes, and compressed as soon as somebody wants them so."""

    def __init__(self, plain: bytes) -> None:
        self.plain = plain
        self._packed: bytes | None = None

    def packed(self) -> bytes:
        if self._packed is None:
            self._packed = packed(self.plain)
        return self._packed


_NOTHING = Body(b"")


class Listing:
    """Any number of threads may ask; two at once may both do the same work."""

    def __init__(self) -> None:
        self._infos = _Rendered(shapes.connector_info)
        self._statuses = _Rendered(shapes.connector_status)
        #: what was expanded, None for a plain list → ETag of the newest answer, and the answer
        self._newest: dict[frozenset[str] | None, tuple[str, Body]] = {}

    def body(self, view: View, expand: Collection[str]) -> Body:
        """`expand` is as the query has it; what is unknown in it expands nothing."""
        wanted = _EXPANDABLE.intersection(expand) if expand else None
        etag, body = self._newest.get(wanted, ("", _NOTHING))
        if etag != view.etag:
            body = Body(orjson.dumps(list(view.infos) if wanted is None else self._expanded(view, wanted)))
            self._newest[wanted] = view.etag, body
        return body

    def _expanded(self, view: View, wanted: frozenset[str]) -> object:
        listed: dict[str, dict[str, orjson.Fragment]] = {name: {} for name in view.infos}
        # The order of the fields is Kafka Connect's.
        if "status" in wanted:
            for name, fragment in self._statuses.of(view.statuses).items():
                listed[name]["status"] = fragment
        if "info" in wanted:
            for name, fragment in self._infos.of(view.infos).items():
                listed[name]["info"] = fragment
        return listed
