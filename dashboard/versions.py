"""The versions of a connector's config: what it has been, whoever changed it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from dashboard.configs import pairs
from dashboard.configs.pairs import Pairs
from dashboard.models import Cluster, ConfigVersion
from dashboard.sealed import seal, unseal

Config = Mapping[str, str | None]
# An answer that a poller holds already may be older than what was saved meanwhile.
_OVERTAKEN = timedelta(seconds=20)
_MANY = 200
_BATCH = 500


@dataclass(frozen=True, slots=True)
class Known:
    """A version without its config."""

    number: int
    digest: str
    by: str
    at: datetime


def is_news(digest: str, known: Sequence[Known], now: datetime) -> bool:
    """Whether a config that was seen is one more version. `known`: the last two, the last one last."""
    if not known:
        return True
    last = known[-1]
    overtaken = bool(last.by) and len(known) > 1 and digest == known[-2].digest and now - last.at < _OVERTAKEN
    return digest != last.digest and not overtaken


def seen(cluster: Cluster, configs: Mapping[str, Config], now: datetime) -> None:
    """What the cluster tells: a config that is none of ours was changed elsewhere."""
    if not configs:
        return
    known = _last_two(cluster, list(configs))
    rows = []
    for name, config in configs.items():
        digest = pairs.digest(config)
        if is_news(digest, known[name], now):
            number = known[name][-1].number + 1 if known[name] else 1
            rows.append(_row(cluster, name, number, tuple(config.items()), digest, now))
    # A number that is taken was given to a save of this moment.
    ConfigVersion.objects.bulk_create(rows, _BATCH, ignore_conflicts=True)


def saved(cluster: Cluster, name: str, config: Pairs, by: str, note: str, now: datetime) -> ConfigVersion:
    """Somebody saved it here. Where the poller was quicker, its version gets its author."""
    digest = pairs.digest(dict(config))
    while True:
        known = _last_two(cluster, [name])[name]
        if known and known[-1].digest == digest:
            row = ConfigVersion.objects.get(cluster=cluster, connector=name, number=known[-1].number)
            if not row.by:
                row.by, row.note, row.config = by, note, seal(pairs.to_json(config))
                row.save(update_fields=("by", "note", "config"))
            return row
        row = _row(cluster, name, known[-1].number + 1 if known else 1, config, digest, now, by, note)
        try:
            with transaction.atomic():
                row.save()
        except IntegrityError:
            continue
        return row


def of(cluster: Cluster, name: str) -> list[ConfigVersion]:
    """The newest first."""
    return list(ConfigVersion.objects.filter(cluster=cluster, connector=name).order_by("-number"))


def one(cluster: Cluster, name: str, number: int) -> ConfigVersion | None:
    return ConfigVersion.objects.filter(cluster=cluster, connector=name, number=number).first()


def last(cluster: Cluster, name: str) -> ConfigVersion | None:
    return ConfigVersion.objects.filter(cluster=cluster, connector=name).order_by("number").last()


def config(version: ConfigVersion) -> Pairs:
    """Raises CannotUnseal."""
    return pairs.from_json(unseal(version.config))


def _row(
    cluster: Cluster, name: str, number: int, config: Pairs, digest: str, now: datetime, by: str = "", note: str = ""
) -> ConfigVersion:
    sealed = seal(pairs.to_json(config))
    return ConfigVersion(
        cluster=cluster, connector=name, number=number, at=now, by=by, note=note[:300], config=sealed, digest=digest
    )


def _last_two(cluster: Cluster, names: Sequence[str]) -> defaultdict[str, list[Known]]:
    rows = ConfigVersion.objects.filter(cluster=cluster)
    if len(names) <= _MANY:
        rows = rows.filter(connector__in=names)
    found: defaultdict[str, list[Known]] = defaultdict(list)
    for connector, number, digest, by, at in rows.order_by("number").values_list("connector", "number", "digest", "by", "at"):
        found[connector] = [*found[connector][-1:], Known(number, digest, by, at)]
    return found
