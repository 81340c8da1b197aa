"""One cluster of the room, with connectors that really run and really fail. Not a test module."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from connect_client import ConnectClient
from tests.proxy import Proxy
from tests.topics import create_topic, produce
from tests.waiting import eventually

# What a trace says of a folder that is not there, by those of whom Kafka Connect and Drover are made.
NO_FOLDER = re.compile("NoSuchFile|FileNotFound")


@dataclass(frozen=True)
class Site:
    """Drover's own cluster, or an Apache Kafka Connect that is registered. `folder`: for the files of a test's connectors."""

    cluster: str
    client: ConnectClient
    bootstrap_servers: str
    config_topic: str
    folder: Path

    def key(self, name: str) -> str:
        return f"{self.cluster}/{name}"

    def file(self, name: str) -> Path:
        return self.folder / self.cluster / name / "lines.txt"

    def mend(self, name: str) -> None:
        """What its sink has failed of."""
        self.file(name).parent.mkdir(parents=True)

    def failing_sink(self, name: str, tasks: int = 1) -> None:
        """Into a folder that does not exist; once all of its tasks have failed of that."""
        self.client.create(name, self.sink_config(name, tasks))
        self.wait_for(name, "RUNNING", *["FAILED"] * tasks)

    def sink(self, name: str, lines: Iterable[str]) -> None:
        """Of a topic with these lines, once they are in its file and its consumer group says so."""
        create_topic(self.bootstrap_servers, name, 1)
        wanted = list(lines)
        produce(self.bootstrap_servers, name, *[(None, line) for line in wanted])
        self.mend(name)
        self.client.create(name, self.sink_config(name))
        eventually(lambda: [at.offset for at in self.client.offsets(name)] == [{"kafka_offset": len(wanted)}])

    def sink_config(self, name: str, tasks: int = 1) -> dict[str, str]:
        common = {"connector.class": "FileStreamSink", "tasks.max": str(tasks)}
        return {**common, "topics": name, "file": str(self.file(name))}

    def source(self, name: str, lines: str = "one line\n") -> None:
        """Of a file with these lines, once it runs."""
        self.client.create(name, self.source_config(name, lines))
        self.wait_for(name, "RUNNING", "RUNNING")

    def source_config(self, name: str, lines: str = "one line\n") -> dict[str, str]:
        self.mend(name)
        self.file(name).write_text(lines)
        common = {"connector.class": "FileStreamSource", "tasks.max": "1"}
        return {**common, "topic": name, "file": str(self.file(name))}

    def failed_source(self, name: str) -> None:
        """Its connector instance has failed, and its task runs: REST refuses a config that cannot start, so another hand writes
        one to the config topic."""
        self.source(name)
        config = {key: value for key, value in self.client.config(name).items() if key != "topic"}
        produce(self.bootstrap_servers, self.config_topic, (f"connector-{name}", json.dumps({"properties": config})))
        self.wait_for(name, "FAILED", "RUNNING")

    def states(self, name: str) -> list[str]:
        """Of the connector and each of its tasks, as the cluster says."""
        status = self.client.status(name)
        return [status.connector.state, *[task.state for task in status.tasks]]

    def wait_for(self, name: str, *states: str) -> None:
        eventually(lambda: self.states(name) == list(states), f"{self.key(name)} {states}")

    def worker_of(self, name: str) -> str:
        """Where its connector instance runs."""
        return self.client.status(name).connector.worker_id

    def row(self, page: Page, name: str) -> Locator:
        return page.locator(f'[data-key="{self.key(name)}"]')

    def shows(self, page: Page, name: str, state: str) -> None:
        """In its row of the fleet."""
        expect(self.row(page, name).locator(".c-state .state")).to_have_attribute("data-state", state)

    def address(self, name: str, tab: str = "overview") -> str:
        return f"/ui/clusters/{self.cluster}/connectors/{name}?tab={tab}"


def made(sites: Iterable[Site], names: Sequence[str], config: Callable[[Site, str], dict[str, str]], *states: str) -> None:
    """All of them in each cluster, side by side; once all are in these states."""
    for site in sites:
        for name in names:
            site.client.create(name, config(site, name))
    for site in sites:
        for name in names:
            site.wait_for(name, *states)


@dataclass(frozen=True)
class Watched:
    """One of them under a name of its own, behind a proxy that keeps what its cluster is asked for."""

    site: Site
    proxy: Proxy


def search(page: Page, *words: str) -> None:
    """The fleet by these, live."""
    page.goto(f"/ui/?q={'+'.join(words)}")
    stays(page)


def open_tab(page: Page, site: Site, name: str, tab: str = "overview") -> None:
    """Of a connector's page, once the room knows the connector."""
    search(page, name)
    expect(site.row(page, name)).to_be_visible()
    page.goto(site.address(name, tab))
    stays(page)


def stays(page: Page) -> None:
    """From here on the page is live, and tells whether it was loaded anew: `window.notReloaded`."""
    page.wait_for_selector('#link[data-link="live"]')
    page.evaluate("window.notReloaded = true")
