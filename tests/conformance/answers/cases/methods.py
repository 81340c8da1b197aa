"""Each endpoint's methods: those that it has not, HEAD, OPTIONS."""

from tests.conformance.answers.case import Answer, Case

#: Each endpoint with the methods that it has.
ENDPOINTS = {
    "/": "GET",
    "/health": "GET",
    "/connectors": "GET POST",
    "/connectors/{c}": "GET DELETE",
    "/connectors/{c}/config": "GET PUT PATCH",
    "/connectors/{c}/status": "GET",
    "/connectors/{c}/pause": "PUT",
    "/connectors/{c}/resume": "PUT",
    "/connectors/{c}/stop": "PUT",
    "/connectors/{c}/restart": "POST",
    "/connectors/{c}/tasks": "GET",
    "/connectors/{c}/tasks/0/status": "GET",
    "/connectors/{c}/tasks/0/restart": "POST",
    "/connectors/{c}/topics": "GET",
    "/connectors/{c}/topics/reset": "PUT",
    "/connectors/{c}/offsets": "GET PATCH DELETE",
    "/connector-plugins": "GET",
}
#: What workers ask one another there, and Drover's do not.
INTERNAL = "/connectors/{c}/tasks"
OF_WORKERS = "requests of workers to one another"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
READ = [path for path, served in ENDPOINTS.items() if "GET" in served.split()]
EMPTY = {"Content-Type": "application/json"}

CASES = [
    *[
        Case(f"{method} of {path} is none", method, path, b"{}" if method in ("POST", "PUT", "PATCH") else None)
        for path, served in ENDPOINTS.items()
        for method in METHODS
        if method not in served.split() and not (method == "HEAD" and "GET" in served.split())
        if (method, path) != ("POST", INTERNAL)
    ],
    Case("POST of tasks", "POST", INTERNAL, [], differs=OF_WORKERS, drover=Answer(405, "HTTP 405 Method Not Allowed")),
    Case("fence", "PUT", "/connectors/{c}/fence", differs=OF_WORKERS, drover=Answer(404, "HTTP 404 Not Found")),
    *[Case(f"OPTIONS {path}", "OPTIONS", path) for path in ENDPOINTS if path != INTERNAL],
    Case(f"OPTIONS {INTERNAL}", "OPTIONS", INTERNAL, differs=OF_WORKERS, drover=Answer(200, "", {"allow": "GET,HEAD,OPTIONS"})),
    *[Case(f"HEAD {path}", "HEAD", path, given="source" if "{c}" in path else "") for path in READ if path != "/"],
    Case("HEAD /", "HEAD", "/", differs="`GET /` with `Accept: text/html`", drover=Answer(200, "", {"vary": "accept"})),
    *[Case(f"HEAD {path} of nothing", "HEAD", path) for path in READ if "{c}" in path],
    Case(
        "a method that nobody knows",
        "FOO",
        "/connectors",
        differs="a method that HTTP does not know",
        drover=Answer(400, "Invalid HTTP"),
    ),
    Case("TRACE", "TRACE", "/connectors"),
    Case("a wrong method without content type", "PUT", "/connectors", b"{}", headers={}),
    Case("a wrong method with a wrong content type", "PUT", "/connectors", b"x", headers={"Content-Type": "text/plain"}),
    *[
        Case(f"{method} {path} with a wrong content type", method, path, headers={"Content-Type": "text/plain"})
        for method, path in (
            ("PUT", "/connectors/{c}/pause"),
            ("PUT", "/connectors/{c}/resume"),
            ("PUT", "/connectors/{c}/stop"),
            ("POST", "/connectors/{c}/restart"),
            ("POST", "/connectors/{c}/tasks/0/restart"),
            ("PUT", "/connectors/{c}/topics/reset"),
            ("DELETE", "/connectors/{c}"),
            ("DELETE", "/connectors/{c}/offsets"),
            ("GET", "/connectors/{c}"),
        )
    ],
]
