"""Jobs of a control room: begun once, whatever gets lost on the way, and followed to their end."""

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from cli import pace
from cli.ends import Exit, Failure, Interrupted
from cli.room_http import RoomHttp
from cli.values import Item, ItemState, Options, Progress, Ref, Run, Verb, counts
from connect_client import ConnectConflict, ConnectUnreachable
from connect_client.states import State

# A control room that is being restarted is back by then.
_PATIENCE = 60.0
_WANTED = {Verb.PAUSE: State.PAUSED, Verb.RESUME: State.RUNNING, Verb.STOP: State.STOPPED}
_BROKEN = (State.FAILED, State.DEGRADED)


@dataclass(frozen=True, slots=True)
class Preview:
    """What is asked for: `which` is `{"connectors": […]}` or `{"filter": …}`; `states` as far as they were looked up."""

    verb: Verb
    options: Options
    which: Mapping[str, object]
    states: Mapping[Ref, State]

    @property
    def body(self) -> dict[str, object]:
        told: dict[str, object] = {"verb": self.verb.value, **self.which}
        if self.verb is Verb.RESTART:
            told["options"] = {"only_failed": self.options.only_failed, "include_tasks": self.options.include_tasks}
        return told

    def already(self, ref: Ref) -> bool:
        """Whether what is left out is as it was wanted to be."""
        state = self.states.get(ref)
        if self.verb is Verb.RESTART:
            return self.options.only_failed and state is not None and state not in _BROKEN
        return state is not None and _WANTED.get(self.verb) is state


class Jobs:
    def __init__(self, http: RoomHttp) -> None:
        self._http = http

    def run(self, wanted: Preview) -> Run:
        """Begins, and tells how it goes. What is left out is told at the end."""
        asked = self._http.body(self._http.send("POST", "jobs", body={**wanted.body, "dry_run": True}))
        left_out = [_left_out(one, wanted) for one in asked["left_out"]]
        if not asked["connectors"] and all(item.fine for item in left_out):
            yield _over(wanted.verb, left_out)
            return
        try:
            # Where nothing is left to do, this says whether that is for want of a role.
            job = self._begun(wanted)
        except ConnectConflict:
            # Or somebody else has done since the preview what there was to do.
            yield _over(wanted.verb, left_out)
            return
        yield from self._followed(job, wanted.verb, left_out)

    def _begun(self, wanted: Preview) -> Mapping[str, Any]:
        """The key makes asking twice asking once."""
        key = {"Idempotency-Key": str(uuid.uuid4())}
        for attempt in range(3):
            try:
                told: Mapping[str, Any] = self._http.body(self._http.send("POST", "jobs", body=wanted.body, headers=key))
                return told
            except ConnectUnreachable:
                if attempt == 2:
                    raise
                pace.pause(pace.LOOK)
            except KeyboardInterrupt:
                raise Interrupted(f"The job may have begun: {self._http.url}/ui/jobs/ tells.") from None
        raise AssertionError("not reached")

    def _followed(self, job: Mapping[str, Any], verb: Verb, left_out: list[Item]) -> Run:
        number, where = job["id"], f"{self._http.url}/ui/jobs/{job['id']}"
        progress = _progress(job, verb, where)
        silent_since: float | None = None
        try:
            while not _ended(job):
                yield progress
                pace.pause(pace.LOOK)
                try:
                    job = self._http.get(f"jobs/{number}")
                    progress, silent_since = _progress(job, verb, where), None
                except ConnectUnreachable as error:
                    silent_since = silent_since or pace.now()
                    if pace.now() - silent_since > _PATIENCE:
                        raise Failure(f"{error} The job goes on: {where}", Exit.UNREACHABLE) from error
                    progress = replace(progress, trouble=str(error))
            items = [*self._items(number), *left_out]
            yield replace(progress, items=items, counts=counts(items), over=True)
        except KeyboardInterrupt:
            raise Interrupted(f"The job goes on in the control room: {where}") from None

    def _items(self, number: int) -> Iterator[Item]:
        page: int | None = 1
        while page is not None:
            told = self._http.get(f"jobs/{number}", [("page", str(page))])
            yield from map(_item, told["items"])
            page = told["next"]


def _over(verb: Verb, items: list[Item]) -> Progress:
    return Progress(verb, items, counts(items), over=True)


def _progress(job: Mapping[str, Any], verb: Verb, where: str) -> Progress:
    return Progress(verb, [_item(one) for one in job["items"]], job["counts"], where=where)


def _ended(job: Mapping[str, Any]) -> bool:
    return job["state"] in ("done", "cancelled")


def _item(told: Mapping[str, Any]) -> Item:
    return Item(Ref(told["cluster"], told["connector"]), ItemState(told["state"]), told["cause"], told["back_after"])


def _left_out(told: Mapping[str, str], wanted: Preview) -> Item:
    ref = Ref(told["cluster"], told["name"])
    return Item(ref, ItemState.LEFT_OUT, told["reason"], already=wanted.already(ref))
