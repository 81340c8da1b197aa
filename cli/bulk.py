"""Something done to many connectors of one cluster by the client itself: a bounded number at once, seen to its end."""

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace

from cli import judging, pace
from cli.ends import Interrupted
from cli.values import Item, ItemState, Options, Progress, Ref, Run, Verb, counts
from connect_client import ConnectClient, ConnectError, ConnectNotFound, ConnectorStatus, ConnectUnreachable
from connect_client.features import Feature, supports

#: As many as the control room asks one cluster for at a time.
AT_ONCE = 8


@dataclass(slots=True)
class Bulk:
    """`client` waits for rebalances, but not once `ended` is set. `statuses`: those that something is to be done to, as they are;
    of None nothing is told."""

    client: ConnectClient
    version: str
    verb: Verb
    options: Options
    statuses: Mapping[str, ConnectorStatus | None]
    ended: threading.Event
    _items: dict[str, Item] = field(default_factory=dict)
    _asked: dict[str, judging.Asked] = field(default_factory=dict)
    _calls: dict[str, Future[None]] = field(default_factory=dict)

    def run(self) -> Run:
        for name, status in self.statuses.items():
            out = judging.why_not(self.verb, self.options, status)
            self._items[name] = replace(out, ref=Ref("", name)) if out else Item(Ref("", name), ItemState.WAITING)
        pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="drover")
        try:
            for name in [name for name, item in self._items.items() if not item.state.ended]:
                self._calls[name] = pool.submit(self._ask, name)
            trouble = ""
            while self._calls or self._asked:
                yield self._progress(trouble=trouble)
                self._wait()
                trouble = self._look()
            yield self._progress(over=True)
        except KeyboardInterrupt:
            self._end(pool)
            raise Interrupted(self._what_goes_on()) from None
        finally:
            self._end(pool)

    def _end(self, pool: ThreadPoolExecutor) -> None:
        """What is being asked is answered first, so that it can be said what was asked for; nothing else is asked any more."""
        self.ended.set()
        pool.shutdown(cancel_futures=True)

    def _wait(self) -> None:
        """For answers; once all are there, a while."""
        if self._calls:
            wait(self._calls.values(), timeout=pace.LOOK)
        else:
            pace.pause(pace.LOOK)

    def _ask(self, name: str) -> None:
        self._items[name] = replace(self._items[name], state=ItemState.ASKED)
        self._asked[name] = judging.asked(Ref("", name), self.verb, self.options, self.statuses[name], pace.now())
        try:
            self._request(name)
        except BaseException:
            del self._asked[name]
            raise
        self._asked[name] = replace(self._asked[name], asked_at=pace.now())

    def _request(self, name: str) -> None:
        if self.verb is not Verb.RESTART:
            _REQUESTS[self.verb](self.client, name)
        elif self.options.include_tasks:
            in_one_call = supports(self.version, Feature.RESTART_IN_ONE_CALL)
            self.client.restart(name, only_failed=self.options.only_failed, in_one_call=in_one_call)
        else:
            self.client.restart_connector(name, only_failed=self.options.only_failed)

    def _look(self) -> str:
        """Answers first, then states; why there are none, if there are none."""
        for name in [name for name, call in self._calls.items() if call.done()]:
            error = self._calls.pop(name).exception()
            if error is not None:
                self._items[name] = _refused(Ref("", name), self.verb, error)
        asked = [name for name in list(self._asked) if name not in self._calls]
        if not asked:
            return ""
        try:
            there = self.client.connectors()
        except ConnectError as error:
            self._give_up(asked, str(error))
            return str(error)
        for name in asked:
            found = there.get(name)
            # One that has no status for a moment is not gone.
            if found is not None and found.status is None:
                continue
            self._asked[name], self._items[name] = judging.judged(self._asked[name], found.status if found else None, pace.now())
            if self._items[name].state.ended:
                del self._asked[name]
        return ""

    def _give_up(self, names: Sequence[str], trouble: str) -> None:
        for name in names:
            if pace.now() - self._asked[name].asked_at > judging.LIMIT:
                del self._asked[name]
                self._items[name] = Item(Ref("", name), ItemState.UNKNOWN, trouble)

    def _progress(self, *, over: bool = False, trouble: str = "") -> Progress:
        items = list(self._items.values())
        return Progress(self.verb, items, counts(items), over=over, trouble=trouble)

    def _what_goes_on(self) -> str:
        waiting = sum(item.state is ItemState.WAITING for item in self._items.values())
        if not waiting:
            return "What was asked for goes on in the cluster."
        return f"What was asked for goes on in the cluster; {waiting} of {len(self._items)} were not asked for."


_REQUESTS: Mapping[Verb, Callable[[ConnectClient, str], None]] = {
    Verb.PAUSE: ConnectClient.pause,
    Verb.RESUME: ConnectClient.resume,
    Verb.STOP: ConnectClient.stop,
    Verb.DELETE: ConnectClient.delete,
}


def _refused(ref: Ref, verb: Verb, error: BaseException) -> Item:
    if isinstance(error, ConnectNotFound) and verb is Verb.DELETE:
        return Item(ref, ItemState.DONE)
    if not isinstance(error, ConnectError):
        raise error
    return Item(ref, ItemState.UNKNOWN if isinstance(error, ConnectUnreachable) else ItemState.REFUSED, str(error))
