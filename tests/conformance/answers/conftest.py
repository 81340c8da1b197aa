"""The connectors that the cases are asked about."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.conformance.answers.case import Asker
from tests.conformance.cluster import Cluster
from tests.conformance.conftest import Connectors

GIVEN = ("source", "sink", "paused", "stopped", "failed")


@dataclass
class Side:
    """One of the two clusters."""

    cluster: Cluster
    folder: Path
    _shared: dict[str, str] = field(default_factory=dict)

    @property
    def asker(self) -> Asker:
        return Asker(urlsplit(str(self.cluster.http.base_url)).netloc)

    @cached_property
    def version(self) -> str:
        return str(self.cluster.request("GET", "/").json()["version"])

    @cached_property
    def plugins(self) -> frozenset[str]:
        """The classes of all that there are."""
        return frozenset(
            plugin["class"] for plugin in self.cluster.request("GET", "/connector-plugins?connectorsOnly=false").json()
        )

    def shared(self, given: str) -> str:
        """One that all cases see and none changes."""
        if given not in self._shared:
            name = f"shared-{given}"
            self.make(given, name)
            self._shared[given] = name
        return self._shared[given]

    def make(self, given: str, name: str) -> None:
        connectors = Connectors(self.cluster, self.folder)
        if given in ("sink", "failed"):
            if given == "sink":
                # The other side's connector of that name has the same folder.
                connectors.output(name).mkdir(exist_ok=True)
            self.cluster.put_config(name, connectors.sink_config(name, 1))
            self.cluster.wait_for(name, "RUNNING", "RUNNING" if given == "sink" else "FAILED")
            return
        self.cluster.put_config(name, connectors.source_config(name))
        self.cluster.wait_for(name, "RUNNING", "RUNNING")
        if given == "paused":
            assert self.cluster.request("PUT", f"/connectors/{name}/pause").status_code == 202
            self.cluster.wait_for(name, "PAUSED", "PAUSED")
        elif given == "stopped":
            assert self.cluster.request("PUT", f"/connectors/{name}/stop").status_code == 204
            self.cluster.wait_for(name, "STOPPED")


@pytest.fixture(scope="package")
def sides(drover_cluster: Cluster, apache_cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> tuple[Side, Side]:
    """Drover and Apache Kafka Connect. The files of their connectors are the same: so are the configs."""
    folder = tmp_path_factory.mktemp("answers")
    return Side(drover_cluster, folder), Side(apache_cluster, folder)
