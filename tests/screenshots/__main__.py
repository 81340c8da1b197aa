"""`python -m tests.screenshots [FOLDER] [NAME...]`: takes about ten minutes; what is named only, if something is."""

import base64
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, ViewportSize, expect

from connect_client import ConnectClient
from tests import peer
from tests.chromium import chromium, pages
from tests.dashboard.alerts.receivers import receiver
from tests.running import PASSWORD, PROJECT, RunningDrover, running
from tests.screenshots import fleet
from tests.screenshots.scenes import DEAD, EMPTY, LOOKER, SCENES, SIGNED_OUT, at
from tests.waiting import eventually

FOLDER = PROJECT / "docs" / "screenshots"
WIDE, NARROW = ViewportSize(width=1280, height=800), ViewportSize(width=390, height=844)
LOOKS: Mapping[str, Mapping[str, Any]] = {
    "light": {"viewport": WIDE, "color_scheme": "light"},
    "dark": {"viewport": WIDE, "color_scheme": "dark"},
    "narrow": {"viewport": NARROW, "color_scheme": "light"},
}
#: As somebody has it who has just installed it, and with nobody who may sign in yet.
SETTINGS = {"DROVER_AUTO_RESTART": "true", "DROVER_ADMIN_PASSWORD": ""}
Scenes = Mapping[str, Callable[[Page], None]]


def photograph(page: Page, file: Path) -> None:
    """The whole page, up to two screens of it, as WebP: a tenth of a PNG. What lies over it is as high as the window."""
    size = page.viewport_size or WIDE
    over = page.locator(".drawer > *, dialog[open]").count()
    height = size["height"] if over else min(page.evaluate("document.documentElement.scrollHeight"), 2 * size["height"])
    page.set_viewport_size({"width": size["width"], "height": max(height, size["height"])})
    page.mouse.move(0, 0)
    page.evaluate("document.fonts.ready")
    session = page.context.new_cdp_session(page)
    taken = session.send("Page.captureScreenshot", {"format": "webp", "quality": 64})
    file.write_bytes(base64.b64decode(taken["data"]))
    page.set_viewport_size(size)


class Camera:
    """`wanted`: the names of what is taken; all, if there are none."""

    def __init__(self, browser: Browser, folder: Path, wanted: list[str]) -> None:
        self._browser, self._folder, self._wanted = browser, folder, wanted
        folder.mkdir(parents=True, exist_ok=True)

    def take(self, drover: RunningDrover, scenes: Scenes, *, sign_in: bool = True) -> None:
        those = {name: go for name, go in scenes.items() if not self._wanted or name in self._wanted}
        for look, options in LOOKS.items() if those else ():
            with pages(self._browser, drover) as open_page:
                page = open_page(sign_in=sign_in, **options)
                for name, go in those.items():
                    go(page)
                    if sign_in:
                        expect(page.locator("#link")).to_have_attribute("data-link", "live")
                    photograph(page, self._folder / f"{name}-{look}.webp")
                    print(f"{name}-{look}", flush=True)  # noqa: T201


def choose_password(browser: Browser, drover: RunningDrover, address: str) -> None:
    """Where somebody does it for the first time."""
    with pages(browser, drover) as open_page:
        page = open_page(sign_in=False)
        page.goto(address)
        page.fill("input[name=password]", PASSWORD)
        page.fill("input[name=again]", PASSWORD)
        page.locator("button.primary").click()
        page.wait_for_selector('#link[data-link="live"]')


@contextmanager
def installation(folder: Path) -> Iterator[tuple[RunningDrover, ConnectClient]]:
    with ExitStack() as stack:
        drover = stack.enter_context(running(folder / "drover", settings=SETTINGS))
        worker = peer.connect_worker(drover.bootstrap_servers, folder, group="billing")
        yield drover, stack.enter_context(worker)


def main(folder: Path, wanted: list[str]) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="data-") as place,
        installation(Path(place)) as (drover, apache),
        receiver() as oncall,
        chromium() as browser,
        ConnectClient(drover.url) as connect,
        pages(browser, drover) as open_page,
    ):
        camera = Camera(browser, folder, wanted)
        setup = f"/ui/setup?code={(Path(place) / 'drover' / 'setup-code').read_text().strip()}"
        camera.take(drover, {"setup": at(setup)}, sign_in=False)
        choose_password(browser, drover, setup)
        camera.take(drover, EMPTY)

        room = fleet.Room(open_page())
        room.post("clusters", {"name": "billing", "urls": [apache.url], "bootstrap_servers": drover.bootstrap_servers})
        fleet.policies(room)
        fleet.make(connect, apache, Path(place))
        eventually(lambda: room.get("fleet")["counts"]["connectors"] == 14)
        invitations = fleet.past(room, Path(place), drover.bootstrap_servers, oncall.url)
        camera.take(drover, {"welcome": at(invitations["ann"])}, sign_in=False)
        choose_password(browser, drover, invitations["ben"])

        # The charts have something to draw once lag and throughput have been sampled for a while.
        eventually(lambda: len(room.get("connectors/local/shop-orders/metrics?window=1h")["points"]) >= 4, seconds=300)
        camera.take(drover, SCENES)
        camera.take(replace(drover, username="ben"), LOOKER)
        camera.take(drover, SIGNED_OUT, sign_in=False)
        os.kill(int((Path(place) / peer.PID).read_text()), signal.SIGKILL)
        eventually(lambda: room.get("clusters/billing")["contact"] == "unreachable")
        camera.take(drover, DEAD)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else FOLDER, sys.argv[2:])
