"""`/api/docs`: Swagger UI, from this server alone and under its Content-Security-Policy."""

import re

import pytest
from playwright.sync_api import expect

from tests.chromium import OpenPage


@pytest.mark.parametrize("width", [390, 1280])
def test_an_endpoint_is_read_about_and_tried(open_page: OpenPage, width: int) -> None:
    """That nothing is refused by the policy, and nothing fails, `open_page` sees to."""
    page = open_page(sign_in=False, viewport={"width": width, "height": 900})
    elsewhere: list[str] = []
    origin = re.match(r"https?://[^/]*", page.url)[0]  # type: ignore[index]
    page.on("request", lambda asked: None if asked.url.startswith((origin, "data:")) else elsewhere.append(asked.url))
    page.goto("/api/docs")
    page.click("#operations-Cluster-getServerInfo .opblock-summary-control")
    page.click("text=Try it out")
    page.click("button.execute")
    expect(page.locator(".live-responses-table tbody .response-col_status")).to_have_text("200")
    expect(page.locator(".live-responses-table tbody .response-col_description")).to_contain_text("kafka_cluster_id")
    assert elsewhere == []
