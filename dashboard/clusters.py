"""Which clusters there are, and how they are reached."""

from functools import lru_cache

from django.conf import settings

from connect_client import ConnectClient
from dashboard.models import Cluster

OWN = "local"


def register_own() -> None:
    """Drover's own cluster is one like any other, reached by its URL; only that nobody has to type it in."""
    url = f"http://127.0.0.1:{settings.PORT}"
    cluster, created = Cluster.objects.get_or_create(name=OWN, defaults={"url": url})
    if not created and cluster.url != url:
        cluster.url = url
        cluster.save(update_fields=("url",))


def client(cluster: Cluster) -> ConnectClient:
    return _client(cluster.url)


@lru_cache(maxsize=64)
def _client(url: str) -> ConnectClient:
    """Kept, for its open connections: a click should not wait for a handshake."""
    return ConnectClient(url)
