"""A connector goes from Apache Kafka Connect to Drover and back, and goes on where it was."""

from playwright.sync_api import Page, expect

from tests.browser.both.site import Site, open_tab
from tests.topics import values
from tests.waiting import eventually


def move(page: Page, name: str, here: Site, there: Site) -> None:
    """And delete it here."""
    open_tab(page, here, name)
    page.get_by_role("link", name="Move or copy…").click()
    page.get_by_role("radio", name=there.cluster).check()
    page.get_by_label("Delete it here").check()
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("heading", name="It can be done")).to_be_visible()
    page.get_by_role("button", name=f"Move {name} to {there.cluster}").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"Move {name} from {here.cluster} to {there.cluster}")
    expect(page.locator("[data-move]")).to_have_text("done")
    assert name not in here.client.connectors()
    there.wait_for(name, "RUNNING", "RUNNING")


def test_there_and_back(page: Page, sites: tuple[Site, Site], name: str) -> None:
    local, apache = sites
    apache.source(name, "one\n")
    eventually(lambda: apache.client.offsets(name))
    file = apache.file(name)
    written = ["one"]
    for here, there, line in ((apache, local, "two"), (local, apache, "three")):
        move(page, name, here, there)
        with file.open("a") as more:
            more.write(f"{line}\n")
        written.append(line)
        eventually(lambda: values(local.bootstrap_servers, name) == [one.encode() for one in written], "Each line, once")
