"""What holds for every endpoint: paths, slashes, matrix and query parameters, numbers of tasks, `Accept`."""

from tests.conformance.answers.case import Answer, Case

HTML = "a path that cannot be decoded, or with an empty segment"
TEXT = {"Accept": "text/plain"}


def accept(value: str) -> dict[str, str]:
    return {"Accept": value}


CASES = [
    # --- unknown paths
    Case("unknown path", "GET", "/nope"),
    Case("unknown path, POST", "POST", "/nope", {}),
    Case("unknown path, DELETE", "DELETE", "/nope"),
    Case("unknown path, OPTIONS", "OPTIONS", "/nope"),
    Case("unknown path, HEAD", "HEAD", "/nope"),
    Case("unknown path, PATCH", "PATCH", "/connectors/{c}/nope", {}),
    Case("unknown path below a connector", "GET", "/connectors/{c}/nope", given="source"),
    Case("unknown path below a status", "GET", "/connectors/{c}/status/more", given="source"),
    Case("unknown path below a task", "GET", "/connectors/{c}/tasks/0", given="source"),
    Case("another case", "GET", "/Connectors"),
    Case("another case below", "GET", "/connectors/{c}/Status", given="source"),
    Case("tasks-config is gone (KIP-970)", "GET", "/connectors/{c}/tasks-config", given="source"),
    Case("no WADL", "GET", "/application.wadl"),
    Case("no favicon", "GET", "/favicon.ico"),
    # --- a slash at the end
    *[
        Case(f"slash at the end of {path}", "GET", f"{path}/", given="source" if "{c}" in path else "")
        for path in (
            "/health",
            "/connectors/{c}/config",
            "/connectors/{c}/status",
            "/connectors/{c}/tasks",
            "/connectors/{c}/tasks/0/status",
            "/connectors/{c}/topics",
        )
    ],
    Case("slash at the end of a pause", "PUT", "/connectors/{c}/pause/"),
    Case("two slashes at the end", "GET", "/health//", differs=HTML, drover=Answer(404, "HTTP 404 Not Found")),
    # --- matrix parameters
    Case("matrix parameter of a name", "GET", "/connectors/{c};v=1", given="source"),
    Case("matrix parameter in the middle", "GET", "/connectors/{c};v=1;w/status", given="source"),
    Case("matrix parameter of connectors", "GET", "/connectors;x=1/{c}/config", given="source"),
    Case("matrix parameter of an endpoint", "GET", "/connectors/{c}/status;x=1", given="source"),
    Case("matrix parameter of a task", "GET", "/connectors/{c}/tasks/0;x/status", given="source"),
    Case("matrix parameter without anything", "GET", "/connectors/{c};/config", given="source"),
    Case("matrix parameter of health", "GET", "/health;a=b"),
    Case("encoded semicolon", "GET", "/connectors/{c}%3Bv=1", given="source"),
    # --- encoded paths
    Case("a name of one space", "GET", "/connectors/%20/status"),
    Case("plus is a plus", "GET", "/connectors/{c}+x/status"),
    Case("an encoded letter in a name", "GET", "/connectors/{c}%78"),
    Case("a blank after a name", "GET", "/connectors/{c}%20", given="source"),
    Case("dot segment", "GET", "/connectors/./{c}", given="source"),
    Case("dot segments up", "GET", "/connectors/../health"),
    Case("empty segment before", "GET", "//connectors", differs=HTML, drover=Answer(404, "HTTP 404 Not Found")),
    Case("empty segment between", "GET", "/connectors//status", differs=HTML, drover=Answer(404, "HTTP 404 Not Found")),
    *[
        Case(f"bad escape {escape}", "GET", f"/connectors/{escape}", differs=HTML, drover=Answer(400, "Bad URI"))
        for escape in ("%", "%zz", "a%2", "%00", "%FF")
    ],
    Case("bad escape, PUT", "PUT", "/connectors/%zz/pause", differs=HTML, drover=Answer(400, "Bad URI")),
    # --- numbers of tasks
    *[
        Case(f"task {number}", "GET", f"/connectors/{{c}}/tasks/{number}/status", given="source")
        for number in (
            "0",
            "00",
            "+0",
            "-0",
            "1",
            "-1",
            "2147483647",
            "2147483648",
            "-2147483649",
            "x",
            "1.0",
            "0x0",
            "%30",
            "%200",
        )
    ],
    *[
        Case(f"restart of task {number}", "POST", f"/connectors/{{c}}/tasks/{number}/restart")
        for number in ("x", "99999999999", "-1")
    ],
    # --- query parameters
    *[
        Case(f"connectors{query}", "GET", f"/connectors{query}", given="source")
        for query in (
            "",
            "?",
            "?expand",
            "?expand=",
            "?expand=foo",
            "?expand=info,status",
            "?expand=INFO",
            "?x=y",
            "?expand=%69nfo",
        )
    ],
    *[
        Case(f"restart, {query}", "POST", f"/connectors/{{c}}/restart?{query}", given="stopped", changes=True)
        for query in ("includeTasks=TRUE", "includeTasks=1", "includeTasks=&onlyFailed=", "includeTasks=false&includeTasks=true")
    ],
    Case("unknown parameters", "GET", "/connectors/{c}/status?foo=bar", given="source"),
    # --- what the client takes
    *[
        Case(f"accept {value}", "GET", "/connectors/{c}/config", headers=accept(value), given="source")
        for value in (
            "*/*",
            "application/*",
            "application/json",
            "APPLICATION/JSON",
            "text/plain, */*;q=0.1",
            "text/plain, application/json;q=0.1",
            "application/vnd.api+json",
            "text/html",
            "text/plain",
            "text/*",
            "application/json;q=0",
            "*/*;q=0",
            "nonsense",
            "text/plain;q=0.5, text/html",
        )
    ],
    Case(
        "accept a charset",
        "GET",
        "/connectors/{c}/config",
        headers=accept("application/json; charset=utf-8"),
        given="stopped",
        differs="`Accept: application/json; charset=utf-8`",
        drover=Answer(200, "", {"content-type": "application/json"}),
    ),
    Case("not acceptable, root", "GET", "/", headers=TEXT),
    Case("not acceptable, health", "GET", "/health", headers=TEXT),
    Case("not acceptable, HEAD", "HEAD", "/connectors", headers=TEXT),
    Case("not acceptable, DELETE", "DELETE", "/connectors/{c}", headers=TEXT),
    Case("not acceptable, pause", "PUT", "/connectors/{c}/pause", headers=TEXT),
    Case("not acceptable, restart", "POST", "/connectors/{c}/restart", headers=TEXT),
    Case("not acceptable, unknown path", "GET", "/nope", headers=TEXT),
    Case("not acceptable, wrong method", "PUT", "/connectors", headers=TEXT),
    Case("not acceptable, wrong content", "POST", "/connectors", b"x", headers={**TEXT, "Content-Type": "text/plain"}),
    Case("not acceptable, OPTIONS", "OPTIONS", "/connectors", headers=TEXT),
    Case("not acceptable, OPTIONS for JSON", "OPTIONS", "/connectors", headers=accept("application/json")),
]
