"""What somebody fills in is left alone, however much happens in the clusters meanwhile: also where the server has drawn the form
with what was typed, at an address that gives an empty one to whoever comes anew."""

import pytest
from playwright.sync_api import Page, expect

from tests.chromium import looked_at_again

FORMS = {
    "/ui/settings/clusters/add": ("Add", "urls", "half an address"),
    "/ui/settings/alerts/add": ("Add", "name", "half a rule"),
    "/ui/settings/restarting/add": ("Add", "connectors", "half-a-name-*"),
    "/ui/resources/new": ("Review changes", "document", "half: ["),
}


@pytest.mark.parametrize("address", FORMS)
def test_what_is_typed_stays(page: Page, address: str) -> None:
    button, field, text = FORMS[address]
    page.goto(address)
    typed = page.locator(f"#view [name={field}]")
    typed.fill(text)
    looked_at_again(page)
    expect(typed).to_have_value(text)
    page.get_by_role("button", name=button, exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was")
    looked_at_again(page)
    expect(page.get_by_role("alert")).to_contain_text("Nothing was")
    expect(typed).to_have_value(text)
