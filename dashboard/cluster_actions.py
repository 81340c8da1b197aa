"""Adding, changing and removing clusters, with a note of it. Whether they may is asked before (`dashboard.rights`)."""

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from django.db import IntegrityError, transaction

from connect_client import ConnectError
from dashboard.activity import Who, note
from dashboard.clusters import Access, access, connect
from dashboard.live.messages import refresh
from dashboard.live.publisher import publisher
from dashboard.models import Cluster
from dashboard.registry import stored
from dashboard.registry.check import check, taken
from dashboard.registry.tried import Tried
from dashboard.registry.wish import Errors, Wish, completed, read, without_what_is_not_used

# Of each address; they are asked at the same time, and somebody waits.
_TRY_FOR = 5.0


class Unacceptable(Exception):
    """Nothing was changed. `errors`: a sentence for each field."""

    def __init__(self, errors: Errors) -> None:
        super().__init__("; ".join(f"{field}: {error}" for field, error in errors.items()))
        self.errors = errors


def wanted(raw: Mapping[str, object], cluster: Cluster | None) -> Wish:
    """What somebody wishes, whole; `cluster` is the one that is to be changed. Raises Unacceptable."""
    wish, errors = read(raw)
    if cluster is None:
        errors = {**taken(wish.name, Cluster.objects.values_list("name", flat=True)), **errors}
    else:
        if wish.name not in ("", cluster.name):
            errors["name"] = f"A cluster keeps its name: add {wish.name} as another one."
        wish = completed(replace(wish, name=cluster.name), stored.wish_of(cluster))
    wish = without_what_is_not_used(wish)
    errors = {**check(wish), **errors}
    if errors:
        raise Unacceptable(errors)
    return wish


def add(raw: Mapping[str, object], who: Who) -> Cluster:
    """Raises Unacceptable."""
    wish = wanted(raw, None)
    cluster = Cluster()
    stored.put(cluster, wish)
    try:
        with transaction.atomic():
            cluster.save()
    except IntegrityError:
        # Somebody else was quicker.
        raise Unacceptable({"name": f"There is a cluster {wish.name} already."}) from None
    note(who, "add-cluster", cluster=cluster.name, after=stored.settings_of(cluster))
    publisher().publish(refresh(cluster.name))
    return cluster


def change(cluster: Cluster, raw: Mapping[str, object], who: Who) -> Cluster:
    """Raises Unacceptable."""
    wish = wanted(raw, cluster)
    before = stored.settings_of(cluster)
    stored.put(cluster, wish)
    # Of a file that is named no more.
    cluster.origin = Cluster.Origin.ROOM
    cluster.save()
    note(who, "change-cluster", cluster=cluster.name, before=before, after=stored.settings_of(cluster))
    publisher().publish(refresh(cluster.name))
    return cluster


def remove(cluster: Cluster, who: Who) -> None:
    """With all that is known of it. The cluster itself is not touched, nor asked."""
    before = stored.settings_of(cluster)
    cluster.delete()
    note(who, "remove-cluster", cluster=cluster.name, before=before)
    publisher().publish(refresh(cluster.name))


def try_wish(wish: Wish) -> tuple[Tried, ...]:
    """Asks each address, without saving anything."""
    cluster = Cluster()
    stored.put(cluster, wish)
    return try_cluster(cluster)


def try_cluster(cluster: Cluster) -> tuple[Tried, ...]:
    """As it is stored."""
    how = access(cluster)
    with ThreadPoolExecutor(max_workers=len(how.urls), thread_name_prefix="try") as pool:
        return tuple(pool.map(lambda url: _try(replace(how, urls=(url,))), how.urls))


def _try(how: Access) -> Tried:
    began = time.monotonic()
    version = id = error = ""
    with connect(how, timeout=_TRY_FOR) as client:
        try:
            told = client.root()
            version, id = told.version, told.kafka_cluster_id or ""
        except ConnectError as failure:
            error = str(failure)
    return Tried(how.urls[0], round((time.monotonic() - began) * 1000), version, id, error)
