"""Bodies: what JSON is, what counts as text, what is refused."""

from typing import Any

from tests.conformance.answers.case import Answer, Case
from tests.conformance.answers.cases.connectors import CONFIG, SOURCE

JSON = {"Content-Type": "application/json"}
MALFORMED = "malformed JSON, `null` or missing body, wrong type"
KINDS = {
    "nothing": b"",
    "blanks": b" \n",
    "null": b"null",
    "an open object": b"{",
    "an array": b"[]",
    "an array with a map": b"[{}]",
    "a text": b'"x"',
    "a number": b"1",
    "true": b"true",
    "a word": b"foo",
    "two objects": b"{} {}",
    "an object and more": b'{"a":"b"} x',
    "a comma too many": b'{"a":"b",}',
    "single quotes": b"{'a':'b'}",
    "a comment": b'{"a":"b" /* c */}',
    "a key without quotes": b'{a:"b"}',
    "NaN": b'{"a":NaN}',
    "a leading zero": b'{"a":01}',
    "a plus": b'{"a":+1}',
    "a newline in a text": b'{"a":"b\nc"}',
    "no UTF-8": b'{"a":"\xff"}',
    "no JSON at all": b"\x00\x01",
    "nesting": b"[" * 5000,
    "a map as a value": b'{"a":{}}',
    "a list as a value": b'{"a":["b"]}',
}
ENDPOINTS = (("POST", "/connectors"), ("PUT", "/connectors/{c}/config"), ("PATCH", "/connectors/{c}/offsets"))


def raw(config: str) -> bytes:
    """A body whose config has this in it, as it is."""
    return (
        '{"name":"{c}","initial_state":"STOPPED","config":{"connector.class":"' + SOURCE + '","tasks.max":"1","file":"{file}",'
        '"topic":"{c}",' + config + "}}"
    ).encode("latin-1")


def created(what: str, body: bytes | dict[str, Any], headers: dict[str, str] | None = JSON) -> Case:
    return Case(f"create with {what}", "POST", "/connectors", body, headers=headers, then=("/connectors/{c}/config",))


UTF8_BOM = b"\xef\xbb\xbf"
CASES = [
    *[
        Case(f"{method} {path} with {what}", method, path, body, headers=JSON, differs=MALFORMED, drover=Answer(400, ""))
        for method, path in ENDPOINTS
        for what, body in KINDS.items()
    ],
    # --- what is text
    *[
        created(f"the value {value}", raw(f'"k":{value}'))
        for value in (
            "1",
            "-0.0",
            "1e+30",
            "1.0E+2",
            "0.1000",
            "123456789012345678901234567890",
            "true",
            "false",
            '""',
            r'"\u0159\n\"\\\/"',
            r'"\ud83d\ude00"',
        )
    ],
    created("a key twice", raw('"k":"1","k":"2"')),
    created("an escaped key", raw(r'"\u006b":"1"')),
    created("an empty key", raw('"":"1"')),
    created("a byte order mark", UTF8_BOM + raw('"k":"1"')),
    created("blanks around it", b" \r\n\t" + raw('"k":"1"') + b"\n"),
    created("null as a value", raw('"k":null')),
    created("a charset", raw('"k":"1"'), {"Content-Type": "application/json; charset=utf-8"}),
    created("a content type in capitals", raw('"k":"1"'), {"Content-Type": "Application/JSON"}),
    created("initial_state of null", {"name": "{c}", "config": CONFIG, "initial_state": None}),
    created("initial_state in small letters", {"name": "{c}", "config": CONFIG, "initial_state": "stopped"}),
    Case("create with the name twice", "POST", "/connectors", b'{"name":"other",' + raw('"k":"1"')[1:]),
    Case("create with an empty config", "POST", "/connectors", {"name": "{c}", "config": {}}),
    Case(
        "create with a config of null",
        "POST",
        "/connectors",
        {"name": "{c}", "config": None},
        differs=MALFORMED,
        drover=Answer(400, ""),
    ),
    Case(
        "create with a config that is a text",
        "POST",
        "/connectors",
        {"name": "{c}", "config": "x"},
        differs=MALFORMED,
        drover=Answer(400, ""),
    ),
    Case(
        "create with a name that is a list",
        "POST",
        "/connectors",
        {"name": ["{c}"], "config": CONFIG},
        differs=MALFORMED,
        drover=Answer(400, ""),
    ),
    # --- content types
    *[
        Case(f"create with the content type {value!r}", "POST", "/connectors", raw('"k":"1"'), headers={"Content-Type": value})
        for value in ("text/plain", "application/xml", "application/vnd.api+json", "*/*", "application/*", "text/json")
    ],
    Case("create without a content type", "POST", "/connectors", raw('"k":"1"'), headers={}),
    Case("create without a content type or body", "POST", "/connectors", headers={}, differs=MALFORMED, drover=Answer(415, "")),
    Case(
        "create with a content type that is none",
        "POST",
        "/connectors",
        raw('"k":"1"'),
        headers={"Content-Type": "bogus"},
        differs="a `Content-Type` that is none",
        drover=Answer(415, "HTTP 415 Unsupported Media Type"),
    ),
]
