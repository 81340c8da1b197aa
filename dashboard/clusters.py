"""Which clusters there are, and how they are reached."""

from dataclasses import dataclass, field
from functools import lru_cache

from django.conf import settings

from connect_client import Basic, Bearer, ConnectClient, ConnectUnusable, Tls, UnusableTls
from connect_client.client import refusing
from dashboard.models import Cluster
from dashboard.sealed import CannotUnseal, unseal

OWN = "local"


@dataclass(frozen=True, slots=True)
class Access:
    """All that it takes to reach a cluster. Secrets are still sealed: this may be shown in a trace."""

    urls: tuple[str, ...]
    auth: str = Cluster.Auth.NONE
    username: str = ""
    secret: str = field(default="", repr=False)
    authorities: str = ""
    certificate: str = ""
    private_key: str = field(default="", repr=False)


def access(cluster: Cluster) -> Access:
    return Access(
        tuple(cluster.urls),
        cluster.auth,
        cluster.username,
        cluster.secret,
        cluster.authorities,
        cluster.certificate,
        cluster.private_key,
    )


def register_own() -> None:
    """Drover's own cluster is one like any other, reached by its URL; only that nobody has to type it in. Where it is not to be
    shown, it is not there, and neither is what was known of it."""
    if not settings.OWN_CLUSTER:
        Cluster.objects.filter(origin=Cluster.Origin.OWN).delete()
        return
    own = {"urls": [settings.INNER_URL], "origin": Cluster.Origin.OWN}
    cluster, created = Cluster.objects.get_or_create(name=OWN, defaults=own)
    if not created and (cluster.urls, cluster.origin) != (own["urls"], own["origin"]):
        Cluster.objects.filter(pk=cluster.pk).update(**own)


def version(cluster: Cluster) -> str:
    """What it told last; empty if it never did."""
    snapshot = getattr(cluster, "snapshot", None)
    return snapshot.version if snapshot else ""


def client(cluster: Cluster) -> ConnectClient:
    return _client(access(cluster))


def connect(access: Access, *, timeout: float = 15.0) -> ConnectClient:
    """One of its own. Where what it takes cannot be used, every call ends in ConnectUnusable: whoever asks is told then."""
    try:
        return ConnectClient(access.urls, timeout=timeout, credentials=_credentials(access), tls=_tls(access))
    except (CannotUnseal, UnusableTls) as error:
        return ConnectClient(access.urls, transport=refusing(ConnectUnusable(f"Nobody was asked. {error}")))


def _credentials(access: Access) -> Basic | Bearer | None:
    match access.auth:
        case Cluster.Auth.BASIC:
            return Basic(access.username, unseal(access.secret))
        case Cluster.Auth.BEARER:
            return Bearer(unseal(access.secret))
    return None


def _tls(access: Access) -> Tls | None:
    if not (access.authorities or access.certificate):
        return None
    return Tls(access.authorities, access.certificate, unseal(access.private_key))


@lru_cache(maxsize=64)
def _client(access: Access) -> ConnectClient:
    """Kept, for its open connections: a click should not wait for a handshake."""
    return connect(access)
