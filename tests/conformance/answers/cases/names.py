"""Names that are read, and that are in a path percent-encoded. What Kafka Connect cannot reach is in test_names.py."""

from urllib.parse import quote

from tests.conformance.answers.case import Answer, Case
from tests.conformance.answers.cases.connectors import CONFIG

#: What stands behind `{c}` in a name.
TAILS = {
    "a blank": " x",
    "plus": "+",
    "two-byte letters": "ř",
    "three-byte letters": "名",
    "an emoji": "😀",
    "ampersand": "&a=b",
    "quote": '"',
    "angles": "<b>",
    "question mark": "?a",
    "hash": "#a",
    "comma": ",",
    "colon": ":80",
    "at": "@",
    "tilde": "~",
    "sub-delims": "!$'()*",
    "pipe": "|^`",
    "brackets": "[0]",
    "dots": "..",
    "comparison": "=",
}
STOPPED = {"config": CONFIG, "initial_state": "STOPPED"}
HTML = "a path that cannot be decoded, or with an empty segment"
REACHED = "names with `/`, `%`, `\\`, `;`, `{x}`, or of dots alone"
REFUSED = {"newline": "\n", "tab": "\t", "DEL": "\x7f", "C1": "\x85", "two of them": "\x01\x02", "NUL": "\x00"}


def create(name: str) -> dict[str, object]:
    return {**STOPPED, "name": name, "config": {**CONFIG, "topic": "names"}}


CASES = [
    *[
        Case(
            f"name with {what}",
            "POST",
            "/connectors",
            create("{c}" + tail),
            then=tuple(f"/connectors/{{c}}{quote(tail, safe='')}{path}" for path in ("", "/config", "/tasks")),
        )
        for what, tail in TAILS.items()
    ],
    Case("name that begins with a dot", "POST", "/connectors", create(".{c}"), then=("/connectors/.{c}/config",)),
    Case("name with blanks around it", "POST", "/connectors", create("  {c} "), then=("/connectors/{c}/config",)),
    Case(
        "name with control characters around it",
        "POST",
        "/connectors",
        create("\x01{c}\x00\x1f"),
        then=("/connectors/{c}/config",),
    ),
    Case(
        "name that begins with a no-break space",
        "POST",
        "/connectors",
        create("\u00a0{c}"),
        then=("/connectors/%C2%A0{c}/config",),
    ),
    Case("name of a number", "POST", "/connectors", {"name": 1.50, "config": {**CONFIG, "name": "x"}}),
    Case("name of null", "POST", "/connectors", {"name": None, "config": CONFIG}),
    Case("no name", "POST", "/connectors", {"config": CONFIG}),
    Case("blank name", "POST", "/connectors", {"name": "  ", "config": CONFIG}),
    Case("another name in the config", "POST", "/connectors", {"name": "{c}", "config": {**CONFIG, "name": "other"}}),
    *[Case(f"name with {what} is refused", "POST", "/connectors", create(f"{{c}}{bad}x")) for what, bad in REFUSED.items()],
    *[
        Case(f"{method} {path}", method, path, CONFIG if method == "PUT" else None, differs=HTML, drover=Answer(400, "Bad URI"))
        for method, path in (
            ("GET", "/connectors/{c}%0A"),
            ("GET", "/connectors/{c}%0Ax/status"),
            ("GET", "/connectors/{c}%7F"),
            ("PUT", "/connectors/{c}%0A/config"),
            ("PUT", "/connectors/{c}%1F/config"),
        )
    ],
    Case("a C1 control to create by its path", "PUT", "/connectors/{c}%C2%85/config", CONFIG),
    Case("long name", "GET", "/connectors/" + 500 * "x"),
    Case("put creates a name with a blank", "PUT", "/connectors/{c}%20x/config", CONFIG, then=("/connectors/{c}%20x/config",)),
    Case("put of an encoded name", "PUT", "/connectors/{c}%C5%99%21/config", CONFIG, then=("/connectors/{c}%C5%99!/config",)),
    Case(
        "put creates a name with a semicolon",
        "PUT",
        "/connectors/{c}%3Bx/config",
        CONFIG,
        differs=REACHED,
        drover=Answer(201, "", {"location": "/connectors/{c}%3Bx"}),
    ),
    Case("put does not trim", "PUT", "/connectors/{c}%20/config", {**CONFIG, "name": "{c}"}),
]
