"""What the pages of the documentation show, for tests that do the same."""

import json
import re
from pathlib import Path

import httpx

from tests.running import RunningDrover

DOCS = Path(__file__).resolve().parent.parent / "docs"


def configs(page: str) -> list[dict[str, str]]:
    """The JSON objects that a page shows in blocks of their own, in order. `page` is its path below docs/."""
    return [
        json.loads(block) for block in re.findall(r"^```json\n(.*?)^```", (DOCS / page).read_text(), re.DOTALL | re.MULTILINE)
    ]


def config_of(connector: str, **other: str) -> dict[str, str]:
    """The config that a connector's page begins with; `other` are values of its keys that a test needs to be others."""
    config = configs(f"connectors/{connector}.md")[0]
    assert other.keys() <= config.keys(), f"{connector}.md does not show {other.keys() - config.keys()}"
    return config | other


def errors(drover: RunningDrover, config: dict[str, str]) -> dict[str, list[str]]:
    """What a validation says of each key that is wrong."""
    plugin = config["connector.class"]
    answer = httpx.put(f"{drover.url}/connector-plugins/{plugin}/config/validate", json=config, timeout=60)
    assert answer.status_code == 200, answer.text
    values = [item["value"] for item in answer.json()["configs"]]
    return {value["name"]: value["errors"] for value in values if value["errors"]}
