"""Rules, a receiver, and time that a test sets."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from dashboard.models import AlertRule, Cluster
from dashboard.sealed import seal
from tests.dashboard.alerts.receivers import Receiver, receiver

NOW = datetime(2026, 11, 22, 3, tzinfo=UTC)
MakeRule = Callable[..., AlertRule]


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(variable, raising=False)
    with receiver() as one:
        yield one


@pytest.fixture
def make_rule(cluster: Cluster, hook: Receiver) -> MakeRule:
    """A rule whose messages go to `hook`, told at once."""

    def make_rule(name: str = "failed", url: str = "", key: str = "", **fields: Any) -> AlertRule:
        fields = {"states": ["FAILED", "DEGRADED", "UNREACHABLE"], "lasting_seconds": 0, **fields}
        return AlertRule.objects.create(name=name, address=seal(url or hook.url), key=seal(key), **fields)

    return make_rule
