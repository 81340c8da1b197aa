"""What of the workers' page is on somebody's screen already, so that it keeps its place there."""

import re
from collections.abc import Mapping
from zlib import crc32

# `panel` or `panel.connector.connector`, and so on for each panel.
_PANEL = re.compile(r"\d{1,10}(?:\.\d{1,15})*")
_MOST_PANELS = 200

Shown = Mapping[int, tuple[int, ...]]


def panel_id(cluster: str, worker_id: str) -> int:
    """A worker's id may hold anything; this goes into addresses and documents."""
    return crc32(f"{cluster}/{worker_id}".encode())


def parse(text: str) -> Shown:
    """By panel, the ids of the connectors in it. What makes no sense is left out."""
    words = [word for word in text.split(",")[:_MOST_PANELS] if _PANEL.fullmatch(word)]
    numbers = [[int(number) for number in word.split(".")] for word in words]
    return {panel: tuple(dict.fromkeys(connectors)) for panel, *connectors in numbers}
