"""A cluster in which configs can be changed, and browsers of people with different rights."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard import plugins
from dashboard.follow.recorder import Recorder
from dashboard.models import Cluster, Grant
from dashboard.rights import Role
from tests.dashboard.configs.paper import ConfigPaper


@pytest.fixture
def paper(monkeypatch: pytest.MonkeyPatch) -> ConfigPaper:
    """With `orders` in it."""
    paper = ConfigPaper()
    paper.add()
    monkeypatch.setattr("dashboard.clusters._client", lambda _access: paper.client())
    return paper


@pytest.fixture
def see(cluster: Cluster, paper: ConfigPaper) -> Callable[[], None]:
    """The follower looks once more; it has looked once already, at the plug-ins, too."""
    recorder = Recorder(cluster)

    def see() -> None:
        recorder.listing(paper.entries, datetime.now(UTC))

    see()
    plugins.refresh(cluster, paper.client())
    for plugin in cluster.plugins.all():
        plugins.define(plugin, paper.client())
    paper.asked.clear()
    return see


@pytest.fixture
def viewer(db: None) -> Client:
    return _client("viewer", Role.VIEWER, "*")


@pytest.fixture
def editor_of_orders(db: None) -> Client:
    """Sees nothing else."""
    return _client("olga", Role.EDITOR, "orders*")


def _client(name: str, role: Role, pattern: str) -> Client:
    user = User.objects.create_user(name)
    Grant.objects.create(user=user, role=role, pattern=pattern)
    client = Client()
    client.force_login(user)
    return client
