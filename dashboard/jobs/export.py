"""Configs to take along: as one JSON document, or as a properties file each."""

import io
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

import orjson

from connect_client.secrets import without_secrets
from dashboard import plugins
from dashboard.activity import Who, note
from dashboard.configs.passwords import password_keys
from dashboard.configs.properties import to_properties
from dashboard.jobs.preview import Candidate
from dashboard.models import ConnectorSnapshot
from dashboard.rights.roles import Rights, Role

_UNSAFE = str.maketrans(dict.fromkeys('/\\:*?"<>|\x00', "_"))


class Format(StrEnum):
    JSON = "json"
    PROPERTIES = "properties"


@dataclass(frozen=True, slots=True)
class Exported:
    """A connector and the config that it was last seen to have."""

    cluster: str
    name: str
    config: Mapping[str, str | None]


def exported(candidates: Iterable[Candidate], rights: Rights, who: Who, *, secrets: bool) -> list[Exported]:
    """`secrets`: as they are, for those connectors that `rights` are an administrator's of; the others' stay hidden. Noted where
    secrets are given away."""
    those = list(candidates)
    seen = ConnectorSnapshot.objects.select_related("cluster").in_bulk([one.id for one in those])
    passwords = {cluster.pk: plugins.passwords(cluster) for cluster in {row.cluster for row in seen.values()}}
    found = []
    for one in those:
        row = seen.get(one.id)
        config = dict((row.info or {}).get("config", {})) if row else {}
        hidden = password_keys(config, passwords[row.cluster_id]) if row else ()
        whole = secrets and rights.may(Role.ADMIN, one.cluster, one.name)
        if whole:
            note(who, "export", cluster=one.cluster, connector=one.name, after={"secrets": True})
        found.append(Exported(one.cluster, one.name, config if whole else without_secrets(config, hidden)))
    return found


def as_json(those: Iterable[Exported]) -> bytes:
    """`[{"cluster", "name", "config"}]`: name and config are the body of a `POST /connectors`."""
    told = [{"cluster": one.cluster, "name": one.name, "config": dict(one.config)} for one in those]
    return orjson.dumps(told, option=orjson.OPT_INDENT_2)


def as_properties(those: Iterable[Exported]) -> bytes:
    """A zip of `cluster/name.properties`, as `connect-standalone` reads them."""
    buffer = io.BytesIO()
    taken: set[str] = set()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for one in those:
            archive.writestr(f"{_file(one, taken)}.properties", to_properties(tuple(one.config.items())))
    return buffer.getvalue()


def _file(one: Exported, taken: set[str]) -> str:
    """Of its own in any file system: names may differ in what no file's name can have."""
    path = plain = f"{one.cluster}/{one.name.translate(_UNSAFE).strip('. ') or '_'}"
    number = 1
    while path.lower() in taken:
        number += 1
        path = f"{plain}-{number}"
    taken.add(path.lower())
    return path
