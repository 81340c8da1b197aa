"""Between what is wished and what is stored, where secrets are sealed."""

from dataclasses import replace

from dashboard.models import Cluster
from dashboard.registry.wish import Wish
from dashboard.sealed import CannotUnseal, seal, unseal


def wish_of(cluster: Cluster) -> Wish:
    """As it is stored. Secrets that cannot be unsealed any more are as if there were none."""
    return Wish(
        name=cluster.name,
        urls=tuple(cluster.urls),
        auth=cluster.auth,
        username=cluster.username,
        secret=_opened(cluster.secret),
        authorities=cluster.authorities,
        certificate=cluster.certificate,
        private_key=_opened(cluster.private_key),
        poll_seconds=cluster.poll_seconds,
        bootstrap_servers=cluster.bootstrap_servers,
    )


def put(cluster: Cluster, wish: Wish) -> None:
    """Into the row, not yet into the database. A secret that is the same stays sealed as it is, so that nobody has to be reached
    anew."""
    before = wish_of(cluster)
    cluster.name, cluster.urls = wish.name, list(normal(wish).urls)
    cluster.auth, cluster.username = wish.auth, wish.username
    cluster.authorities, cluster.certificate = wish.authorities, wish.certificate
    cluster.poll_seconds, cluster.bootstrap_servers = wish.poll_seconds, wish.bootstrap_servers
    if wish.secret != before.secret or not wish.secret:
        cluster.secret = seal(wish.secret)
    if wish.private_key != before.private_key or not wish.private_key:
        cluster.private_key = seal(wish.private_key)


def normal(wish: Wish) -> Wish:
    """As it would be read again."""
    return replace(wish, urls=tuple(url.rstrip("/") for url in wish.urls))


def settings_of(cluster: Cluster) -> dict[str, object]:
    """What may be shown to administrators and noted: of secrets, whether there are any."""
    return {
        "name": cluster.name,
        "urls": cluster.urls,
        "auth": cluster.auth,
        "username": cluster.username,
        "secret_is_set": bool(cluster.secret),
        "authorities": cluster.authorities,
        "certificate": cluster.certificate,
        "private_key_is_set": bool(cluster.private_key),
        "poll_seconds": cluster.poll_seconds,
        "bootstrap_servers": cluster.bootstrap_servers,
    }


def _opened(sealed: str) -> str:
    try:
        return unseal(sealed)
    except CannotUnseal:
        return ""
