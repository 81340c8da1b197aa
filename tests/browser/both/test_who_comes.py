"""A real Apache Kafka Connect that asks who comes: by certificates, a password or a token. What is wrong is told; secrets are
kept and never shown."""

import base64
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from connect_client import ConnectClient
from tests.browser.both.site import Site, search, stays
from tests.certificates import authority, certified
from tests.guarded import Guarded, guarded_connect
from tests.proxy import Proxy, proxying

USER, SECRET = "somebody", "geheim-und-lang"
WORDS = {"basic": "user name and password", "bearer": "bearer token"}


@pytest.fixture(scope="module")
def guarded(kafka: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    with guarded_connect(kafka, tmp_path_factory.mktemp("guarded"), "guarded-both") as guarded:
        yield guarded


@pytest.fixture
def proxy(apache: ConnectClient) -> Iterator[Proxy]:
    """Asks for what Apache Kafka Connect itself asks for only with an extension."""
    with proxying(apache.url) as proxy:
        yield proxy


def field(page: Page, name: str) -> Locator:
    return page.locator(f'.registry-form [name="{name}"]')


def told(page: Page, words: str | re.Pattern[str]) -> None:
    """By the answer to a new try."""
    page.locator("#tried").evaluate("place => place.replaceChildren()")
    page.get_by_role("button", name="Try it").click()
    expect(page.locator("#tried")).to_contain_text(words)
    expect(page.locator("#tried")).to_contain_text(re.compile("Nothing was saved|Nobody was asked"))


def add(page: Page) -> None:
    page.get_by_role("button", name="Add", exact=True).click()
    listed(page)


def save(page: Page) -> None:
    page.get_by_role("button", name="Save").click()
    listed(page)


def listed(page: Page) -> None:
    page.wait_for_url("**/ui/settings/clusters/")
    stays(page)


def change(page: Page, cluster: str) -> None:
    page.goto("/ui/settings/clusters/")
    page.get_by_role("link", name=f"Change {cluster}").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Cluster {cluster}")


def contact(page: Page, cluster: str, state: str) -> Locator:
    """Its row, once it says so."""
    row = page.locator(f"#cluster-{cluster}")
    expect(row.locator(f'[data-contact="{state}"]')).to_be_visible()
    return row


def acts(page: Page, site: Site, name: str, verb: str, state: str) -> None:
    """The control room, there."""
    search(page, f"cluster:{site.cluster}", name)
    site.row(page, name).locator(f'[data-verb="{verb}"]').click()
    site.shows(page, name, state)
    assert site.states(name)[0] == state


def test_certificates(page: Page, guarded: Guarded, cluster: str, kafka: str, tmp_path: Path) -> None:
    site = Site(cluster, guarded.client, kafka, "", tmp_path)
    mine = certified(guarded.authority, "drover")
    site.source("guarded-source")
    page.goto("/ui/settings/clusters/add")
    field(page, "name").fill(cluster)
    field(page, "urls").fill(guarded.url)
    told(page, "certificate verify failed")
    page.get_by_text("Certificates of your own").click()
    field(page, "authorities").fill(authority().certificate_pem())
    told(page, "certificate verify failed")
    field(page, "authorities").fill(guarded.authority.certificate_pem())
    told(page, "it wants to be shown a certificate that it knows")
    field(page, "certificate").fill(mine.certificate_pem())
    told(page, "Give the key of the certificate.")
    field(page, "private_key").fill(certified(guarded.authority).key_pem())
    told(page, "This key does not belong to the certificate.")
    field(page, "private_key").fill(mine.key_pem())
    told(page, "Kafka Connect 4.3.0")
    add(page)
    expect(contact(page, cluster, "live")).to_contain_text("4.3.0")
    acts(page, site, "guarded-source", "pause", "PAUSED")

    # What it is known by may be seen, the key may not; and it is kept.
    change(page, cluster)
    expect(field(page, "certificate")).to_have_value(re.compile(re.escape(mine.certificate_pem().strip())))
    is_not_shown(page, field(page, "private_key"), mine.key_pem().splitlines()[1])
    told(page, "Kafka Connect 4.3.0")
    field(page, "poll_seconds").fill("0.5")
    save(page)
    contact(page, cluster, "live")
    acts(page, site, "guarded-source", "resume", "RUNNING")
    change(page, cluster)
    expect(field(page, "poll_seconds")).to_have_value("0.5")


@pytest.mark.parametrize("how", ["basic", "bearer"])
def test_a_password_or_a_token(page: Page, sites: tuple[Site, Site], proxy: Proxy, cluster: str, how: str) -> None:
    _, apache = sites
    site = Site(cluster, apache.client, apache.bootstrap_servers, apache.config_topic, apache.folder)
    apache.source(cluster)
    basic = "Basic " + base64.b64encode(f"{USER}:{SECRET}".encode()).decode()
    proxy.authorization = basic if how == "basic" else f"Bearer {SECRET}"
    page.goto("/ui/settings/clusters/add")
    field(page, "name").fill(cluster)
    field(page, "urls").fill(proxy.url)
    told(page, "401, Unauthorized")
    page.get_by_role("radio", name=WORDS[how]).check()
    if how == "basic":
        field(page, "username").fill(USER)
    told(page, "Give the")
    field(page, "secret").fill("another-one")
    told(page, "401, Unauthorized")
    # It is told as well where nobody has tried.
    add(page)
    expect(contact(page, cluster, "unreachable")).to_contain_text("401, Unauthorized")
    change(page, cluster)
    field(page, "secret").fill(SECRET)
    told(page, "Kafka Connect 4.3.0")
    save(page)
    expect(contact(page, cluster, "live")).to_contain_text("4.3.0")
    acts(page, site, cluster, "pause", "PAUSED")

    change(page, cluster)
    is_not_shown(page, field(page, "secret"), SECRET)
    told(page, "Kafka Connect 4.3.0")
    field(page, "poll_seconds").fill("0.5")
    save(page)
    contact(page, cluster, "live")
    acts(page, site, cluster, "resume", "RUNNING")
    assert proxy.taken() == [f"PUT /connectors/{cluster}/pause", f"PUT /connectors/{cluster}/resume"]

    # Not to whoever is at a new address; nor to who reads what was done.
    change(page, cluster)
    field(page, "urls").fill(proxy.url.replace("127.0.0.1", "localhost"))
    told(page, "One that was given for other addresses is not kept for new ones.")
    page.goto(f"/ui/activity/?cluster={cluster}")
    expect(page.locator("table.activity")).to_contain_text("change cluster")
    assert SECRET not in page.content()


def is_not_shown(page: Page, place: Locator, secret: str) -> None:
    expect(place).to_have_value("")
    assert secret not in page.content()
    assert secret not in page.request.get(page.url).text()
