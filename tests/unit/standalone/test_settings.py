"""A standalone worker's own settings, in a process of their own."""

import os
import subprocess
import sys

from tests.running import PROJECT

PAGE = """
import django, re
django.setup()
from django.test import Client
client = Client()
page = client.get("/api/docs").content.decode()
links = ["/api/docs", *re.findall(r'(?:src|href)="([^"]*)"', page)]
assert len(links) > 5, page
wrong = {link: response.status_code for link in links if (response := client.get(link)).status_code != 200}
assert not wrong, wrong
"""


def test_the_page_of_the_rest_api_has_what_it_needs() -> None:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "standalone.settings"}
    ended = subprocess.run(
        [sys.executable, "-c", PAGE], cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 0, ended.stderr
