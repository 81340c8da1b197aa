"""Two clusters in memory, and a move between them that takes no time."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from dashboard.activity import Who
from dashboard.clusters import Access
from dashboard.control import leases
from dashboard.follow.recorder import Recorder
from dashboard.models import Cluster, Move
from dashboard.moves import begin, claims
from dashboard.moves.plan import Options
from dashboard.moves.run import Run
from tests.dashboard.moves.paper import Memory

NOW = datetime(2026, 11, 22, 8, tzinfo=UTC)
OPERATOR = Who("operator")


class Clock:
    """Time passes where a run rests."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now

    def rest(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def old() -> Memory:
    memory = Memory("old")
    memory.put("orders")
    return memory


@pytest.fixture
def new() -> Memory:
    return Memory("new", version="0.9.0")


@pytest.fixture(autouse=True)
def both(db: None, old: Memory, new: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Registered, and followed once."""
    by_url = {f"http://{memory.name}": memory for memory in (old, new)}

    def client(access: Access) -> object:
        return by_url[access.urls[0]].client()

    monkeypatch.setattr("dashboard.clusters._client", client)
    for memory in (old, new):
        cluster = Cluster.objects.create(name=memory.name, urls=[f"http://{memory.name}"])
        recorder = Recorder(cluster)
        recorder.reached(memory.version, NOW)
        recorder.listing(memory.entries(), datetime.now(UTC))


@pytest.fixture
def clock() -> Clock:
    return Clock()


Begin = Callable[..., Move]


@pytest.fixture
def begun(old: Memory) -> Begin:
    """Asks for a move of orders; config and options as given."""

    def begun(options: Options | None = None, name: str = "orders", new_name: str = "orders", **changed: str) -> Move:
        config = old.connectors[name].config
        source, target = (Cluster.objects.get(name=name) for name in ("old", "new"))
        configs = (config, {**config, **changed, "name": new_name})
        return begin.begin((source, name), (target, new_name), "source", configs, options or Options(), OPERATOR)

    return begun


Carry = Callable[..., Move]


@pytest.fixture
def carried_out(clock: Clock) -> Carry:
    """Runs a move to its end, or until `until` says so."""

    def carry(move: Move, until: Callable[[Move], bool] = lambda _: False) -> Move:
        assert leases.claim(claims.rows([move.pk]), "me", datetime.now(UTC))
        run = Run(move.pk, "me", clock=clock)
        for _ in range(2000):
            rest = run.step()
            move.refresh_from_db()
            if rest is None or until(move):
                Move.objects.filter(pk=move.pk).update(claimed_until=None)
                return move
            clock.rest(rest)
        raise AssertionError(f"It did not end: {move.state}, {move.waiting_for}")

    return carry
