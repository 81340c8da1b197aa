"""`python -m tests.screenshots [FOLDER] [NAME...]`: takes about five minutes; what is named only, if something is."""

import base64
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests import peer
from tests.chromium import chromium, pages
from tests.running import PROJECT, RunningDrover, running
from tests.screenshots import fleet
from tests.screenshots.scenes import DEAD, SCENES, SIGNED_OUT, SOON
from tests.waiting import eventually

FOLDER = PROJECT / "docs" / "screenshots"
WIDE, NARROW = ViewportSize(width=1280, height=800), ViewportSize(width=390, height=844)
LOOKS: Mapping[str, Mapping[str, Any]] = {
    "light": {"viewport": WIDE, "color_scheme": "light"},
    "dark": {"viewport": WIDE, "color_scheme": "dark"},
    "narrow": {"viewport": NARROW, "color_scheme": "light"},
}
Scenes = Mapping[str, Callable[[Page], None]]


def photograph(page: Page, file: Path) -> None:
    """The whole page, up to three screens of it, as WebP: a tenth of a PNG."""
    size = page.viewport_size or WIDE
    height = min(page.evaluate("document.documentElement.scrollHeight"), 3 * size["height"])
    page.set_viewport_size({"width": size["width"], "height": max(height, size["height"])})
    page.evaluate("document.fonts.ready")
    session = page.context.new_cdp_session(page)
    taken = session.send("Page.captureScreenshot", {"format": "webp", "quality": 82})
    file.write_bytes(base64.b64decode(taken["data"]))
    page.set_viewport_size(size)


def take(browser: Browser, drover: RunningDrover, scenes: Scenes, folder: Path, *, sign_in: bool = True) -> None:
    for look, options in LOOKS.items():
        with pages(browser, drover) as open_page:
            page = open_page(sign_in=sign_in, **options)
            for name, go in scenes.items():
                go(page)
                if sign_in:
                    expect(page.locator("#link")).to_have_attribute("data-link", "live", timeout=SOON)
                photograph(page, folder / f"{name}-{look}.webp")
                print(f"{name}-{look}", flush=True)  # noqa: T201


@contextmanager
def installation(folder: Path) -> Iterator[tuple[RunningDrover, Any]]:
    with ExitStack() as stack:
        drover = stack.enter_context(running(folder / "drover"))
        worker = peer.connect_worker(drover.bootstrap_servers, folder, group="billing")
        yield drover, stack.enter_context(worker)


def main(folder: Path, wanted: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)

    def those(scenes: Scenes) -> Scenes:
        return {name: go for name, go in scenes.items() if not wanted or name in wanted}

    with (
        tempfile.TemporaryDirectory() as place,
        installation(Path(place)) as (drover, apache),
        chromium() as browser,
        drover.client() as connect,
        pages(browser, drover) as open_page,
    ):
        room = fleet.Room(open_page())
        room.post("clusters", {"name": "billing", "urls": [apache.url], "bootstrap_servers": drover.bootstrap_servers})
        fleet.make(connect, apache, Path(place))
        eventually(lambda: room.get("fleet")["counts"]["connectors"] == 13, 60)
        fleet.past(room)
        # The charts have something to draw once lag and throughput have been sampled for a while.
        eventually(lambda: len(room.get("connectors/local/shop-orders/metrics?window=1h")["points"]) >= 4, 300)
        take(browser, drover, those(SCENES), folder)
        take(browser, drover, those(SIGNED_OUT), folder, sign_in=False)
        os.kill(int((Path(place) / peer.PID).read_text()), signal.SIGKILL)
        eventually(lambda: room.get("clusters/billing")["contact"] == "unreachable", 60)
        take(browser, drover, those(DEAD), folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else FOLDER, sys.argv[2:])
