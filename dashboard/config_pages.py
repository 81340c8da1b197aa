"""The Config tab, from the database: a config as last seen, its versions, and the editor that begins from them."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.utils.crypto import get_random_string

from dashboard import editing, plugins, queries, versions
from dashboard.clusters import client
from dashboard.configs import pairs
from dashboard.configs.diff import Difference, changes
from dashboard.configs.pairs import Pairs
from dashboard.configs.panel import Comparison, ConfigPanel, Editor, VersionLine, View, rows
from dashboard.models import Cluster, ConfigVersion, ConnectorSnapshot
from dashboard.sealed import CannotUnseal

Config = Mapping[str, str | None]
# How long what was saved here may be newer than what the poller has seen.
_SAVED = timedelta(seconds=20)
_SHOWN = 50
_DIRTY = "*"


def opened(snapshot: ConnectorSnapshot, now: datetime, *, why: str, on_screen: str = "", version: int = 0) -> ConfigPanel:
    """The editor, or the table where `why` speaks against it. `on_screen`: the key of the panel that somebody has before them; it
    stays, if there are changes in it that are not saved."""
    config, last = _current(snapshot, now)
    if config is None:
        return ConfigPanel("config-none", View.TABLE)
    digest = pairs.digest(dict(config))
    if on_screen.endswith(_DIRTY):
        key = on_screen.removesuffix(_DIRTY)
        return ConfigPanel(key, View.EDIT, kept=True, overtaken=not key.startswith(f"config-{digest[:12]}"))
    if queries.cluster_view(snapshot.cluster, now).reachable:
        plugins.ask_for_missing(snapshot.cluster, client(snapshot.cluster), dict(config))
    masked = shown(snapshot.cluster, config)
    if why:
        return ConfigPanel(f"config-{digest[:12]}", View.TABLE, rows=rows(dict(masked)), why=why)
    text = pairs.to_json(masked)
    taken_up = versions.one(snapshot.cluster, snapshot.name, version) if version else None
    begun = pairs.to_json(shown(snapshot.cluster, versions.config(taken_up))) if taken_up else text
    # A new one each time it is opened with a version: what somebody has in it otherwise would stay.
    key = f"config-{digest[:12]}" + (f"-{version}-{get_random_string(6)}" if taken_up else "")
    editor = Editor(begun, text, digest, taken_up.number if taken_up else 0, f"Back to version {version}" if taken_up else "")
    return ConfigPanel(key, View.EDIT, editor=editor, versions=_lines(snapshot.cluster, last))


def history(snapshot: ConnectorSnapshot, older: int, newer: int) -> ConfigPanel:
    """All versions, and what differs between two of them."""
    cluster, found = snapshot.cluster, versions.of(snapshot.cluster, snapshot.name)
    key = f"history-{found[0].number if found else 0}-{older}-{newer}"
    by_number = {version.number: version for version in found}
    comparison = None
    if older in by_number and newer in by_number:
        comparison = Comparison(older, newer, difference(cluster, by_number[older], by_number[newer]))
    return ConfigPanel(key, View.HISTORY, versions=lines(cluster, found), comparison=comparison)


def lines(cluster: Cluster, found: list[ConfigVersion]) -> tuple[VersionLine, ...]:
    """The newest first, no more than can be looked through."""
    known = plugins.passwords(cluster)
    configs = [_config(version) for version in found[: _SHOWN + 1]]
    told = []
    for at, version in enumerate(found[:_SHOWN]):
        config, before = configs[at], configs[at + 1] if at + 1 < len(configs) else {}
        differs = None if config is None or before is None else changes(editing.differing(known, before, config))
        told.append(VersionLine(version.number, version.at, version.by, version.note, differs, current=at == 0))
    return tuple(told)


def difference(cluster: Cluster, older: ConfigVersion, newer: ConfigVersion) -> tuple[Difference, ...]:
    """Nothing of a version that cannot be read any more."""
    return editing.compared(cluster, _config(older) or {}, _config(newer) or {})


def shown(cluster: Cluster, config: Pairs) -> Pairs:
    """Without its secrets, in its order."""
    return tuple(editing.shown(cluster, dict(config)).items())


def _current(snapshot: ConnectorSnapshot, now: datetime) -> tuple[Pairs | None, ConfigVersion | None]:
    """The config as last seen, in the order in which it was last saved here; or what was saved here a moment ago."""
    told, last = editing.told(snapshot), versions.last(snapshot.cluster, snapshot.name)
    kept = _pairs(last)
    if last and kept and last.by and now - last.at < _SAVED and last.at > snapshot.changed_at:
        return kept, last
    if told is None:
        return kept, last
    return pairs.ordered(told, [key for key, _ in kept or ()]), last


def _lines(cluster: Cluster, last: ConfigVersion | None) -> tuple[VersionLine, ...]:
    """The last one only, for what is said of it above the editor."""
    return (VersionLine(last.number, last.at, last.by, last.note, None, current=True),) if last else ()


def _pairs(version: ConfigVersion | None) -> Pairs | None:
    try:
        return versions.config(version) if version else None
    except CannotUnseal:
        return None


def _config(version: ConfigVersion) -> Config | None:
    found = _pairs(version)
    return None if found is None else dict(found)
