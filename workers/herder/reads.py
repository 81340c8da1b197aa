"""The reads of a `Herder`, from stores in this process: the same for whoever asks a leader and whoever is alone."""

import threading
import uuid
from collections.abc import Callable, Sequence
from functools import cached_property

from workers.herder import read_model
from workers.herder.interface import GroupInfo, Health, View
from workers.herder.ports import Plugins
from workers.herder.topics import TRACKING, TopicTracking
from workers.herder.values import Config, ConfigKeyInfo, ConnectorInfo, ConnectorStatus, Plugin, Status, TaskId
from workers.herder.view_builder import ViewBuilder
from workers.storage.assignment_store import AssignmentStore
from workers.storage.config_store import ConfigStore
from workers.storage.config_tables import ConfigSnapshot
from workers.storage.status_store import StatusSnapshot, StatusStore

#: How long a herder may take to answer that it is well, in seconds.
HEALTH_TIMEOUT = 10.0
HEALTHY = Health("healthy", "Worker has completed startup and is ready to handle requests.")


def starting(stage: str = "") -> Health:
    return Health("starting", f"Worker is still starting up. {stage}".strip())


def unhealthy(reason: str) -> Health:
    message = "Worker was unable to handle this request and may be unable to handle other requests."
    return Health("unhealthy", f"{message} {reason}".strip())


class StoreReads:
    """See `Herder`. `_on_change` is to be called after each change of the stores."""

    def __init__(
        self,
        configs: ConfigStore,
        statuses: StatusStore,
        assignments: AssignmentStore,
        plugins: Plugins,
        cluster_id: Callable[[], str],
        topic_tracking: TopicTracking = TRACKING,
    ) -> None:
        self._configs = configs
        self._statuses = statuses
        self._assignments = assignments
        self._plugins = plugins
        self._cluster_id = cluster_id
        self._topic_tracking = topic_tracking
        self._changed = threading.Condition()
        self._view: View | None = None
        self._builder = ViewBuilder(plugins)
        # Versions start anew with each process: an ETag from before must not look current.
        self._life = uuid.uuid4().hex[:8]

    def _on_change(self, *_event: object) -> None:
        with self._changed:
            self._changed.notify_all()

    def _snapshots(self) -> tuple[ConfigSnapshot, StatusSnapshot]:
        return self._configs.snapshot(), self._statuses.snapshot()

    def view(self) -> View:
        configs, statuses = self._snapshots()
        etag = self._etag(configs, statuses)
        if self._view is None or self._view.etag != etag:
            self._view = self._builder.view(etag, configs, statuses)
        return self._view

    def _etag(self, configs: ConfigSnapshot, statuses: StatusSnapshot) -> str:
        return f"{self._life}-{configs.version}-{statuses.version}"

    def made_of(self, name: str | None) -> tuple[object, ...]:
        configs, statuses = self._snapshots()
        if name is None:
            return configs, statuses
        return configs.connectors.get(name), statuses.connectors.get(name), statuses.tasks.get(name)

    def wait_for_change(self, etag: str, seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._etag(*self._snapshots()) != etag, seconds)

    def connector_info(self, name: str) -> ConnectorInfo:
        return read_model.connector_info(read_model.entry(self._snapshots()[0], name), self._plugins)

    def connector_status(self, name: str) -> ConnectorStatus:
        return read_model.connector_status(*self._snapshots(), name, self._plugins)

    def task_status(self, task: TaskId) -> Status:
        return read_model.task_status(self._snapshots()[1], task)

    def task_configs(self, name: str) -> list[tuple[TaskId, Config]]:
        return read_model.task_configs(self._snapshots()[0], name)

    def group(self) -> GroupInfo:
        self._snapshots()
        return read_model.group_info(self._assignments.snapshot())

    def connector_topics(self, name: str) -> list[str]:
        self._topic_tracking.check()
        return read_model.connector_topics(*self._snapshots(), name)

    def plugins(self, *, connectors_only: bool = True) -> Sequence[Plugin]:
        return self._plugins.list(connectors_only=connectors_only)

    def plugin_config(self, name: str, version: str | None = None) -> Sequence[ConfigKeyInfo]:
        return self._plugins.config_keys(name, version)

    def kafka_cluster_id(self) -> str:
        return self._kafka_cluster_id

    @cached_property
    def _kafka_cluster_id(self) -> str:
        return self._cluster_id()
