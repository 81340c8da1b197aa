"""All connectors as REST answers show them, made anew only where something has changed."""

from collections.abc import Mapping
from dataclasses import dataclass

from workers.herder import read_model
from workers.herder.interface import View
from workers.herder.ports import Plugins
from workers.herder.values import ConnectorEntry, ConnectorInfo, ConnectorStatus, Status
from workers.storage.config_tables import ConfigSnapshot
from workers.storage.status_store import StatusSnapshot


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a connector's answers were made from. The stores replace these, never change them: the same object says the same."""

    entry: ConnectorEntry
    status: Status | None
    tasks: Mapping[int, Status] | None
    info: ConnectorInfo
    shown: ConnectorStatus | None


class ViewBuilder:
    """Of a connector about which nothing has changed, the next view has the very same `ConnectorInfo` and `ConnectorStatus`."""

    def __init__(self, plugins: Plugins) -> None:
        self._plugins = plugins
        self._seen: dict[str, _Seen] = {}

    def view(self, etag: str, configs: ConfigSnapshot, statuses: StatusSnapshot) -> View:
        seen = {name: self._look(entry, configs, statuses) for name, entry in configs.connectors.items()}
        self._seen = seen
        infos = {name: found.info for name, found in seen.items()}
        return View(etag, infos, {name: found.shown for name, found in seen.items() if found.shown is not None})

    def _look(self, entry: ConnectorEntry, configs: ConfigSnapshot, statuses: StatusSnapshot) -> _Seen:
        name, before = entry.name, self._seen.get(entry.name)
        status, tasks = statuses.connectors.get(name), statuses.tasks.get(name)
        same_config = before is not None and before.entry is entry
        if before is not None and same_config and before.status is status and before.tasks is tasks:
            return before
        info = before.info if before is not None and same_config else read_model.connector_info(entry, self._plugins)
        shown = read_model.connector_status(configs, statuses, name, self._plugins) if status is not None else None
        return _Seen(entry, status, tasks, info, shown)
