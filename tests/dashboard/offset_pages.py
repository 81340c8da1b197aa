"""The offsets tab as a browser has it. For tests; not a test module."""

import re
from html import unescape
from typing import Any

from django.test import Client


class Page:
    """An answer, and what its form would send to the address `form`: `send(step=…, to_0=…)` types and presses."""

    def __init__(self, room: Client, form: str, response: Any) -> None:
        self.room = room
        self.form = form
        self.response = response
        self.text = unescape(response.content.decode())
        self.fields = dict(re.findall(r'<input[^>]*? name="([^"]+)" value="([^"]*)"', response.content.decode()))
        checked = re.findall(r'name="(reset-\d+)"[^>]*checked', response.content.decode())
        self.fields = {name: unescape(value) for name, value in self.fields.items()} | dict.fromkeys(checked, "on")

    def send(self, **typed: str) -> "Page":
        fields = {**self.fields, **{name.replace("_", "-"): value for name, value in typed.items()}}
        return Page(self.room, self.form, self.room.post(self.form, fields))

    def follow(self) -> "Page":
        """Where the answer sends the browser."""
        return Page(self.room, self.form, self.room.get(self.response.headers["Location"]))

    def rows(self, table: str = "partitions") -> list[list[str]]:
        """The texts of a table's cells, without what can be typed or pressed."""
        body = self.text.partition(f'id="{table}"')[2] or self.text.partition(f'class="{table}"')[2]
        rows = re.findall(r"<tr.*?</tr>", body.partition("</table>")[0].partition("<tbody>")[2], re.S)
        cells = [re.findall(r"<t[hd][^>]*?>(.*?)</t[hd]>", row, re.S) for row in rows]
        return [[re.sub(r"<[^>]+>", "", cell).strip() for cell in row if "<input" not in cell] for row in cells]

    def errors(self) -> list[str]:
        return re.findall(r'class="error"[^>]*>(.*?)</p>', self.text)
