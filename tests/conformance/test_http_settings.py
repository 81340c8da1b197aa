"""Settings of the HTTP server that change what is answered: CORS, headers for every response, listeners for `/admin/`. One pair
of servers has all of them; Drover's is one more web process of the installation that is up."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from tests.conformance.answers.case import Answer, Asker, compared
from tests.peer import connect_worker
from tests.running import RunningDrover, free_port, web_beside

SITE, OTHER = "http://a.example", "https://x.b.example"
SETTINGS = {
    "access.control.allow.origin": f"{SITE},https://.*[.]b[.]example",
    "access.control.allow.methods": "POST,GET,PUT",
    "response.http.headers.config": 'set X-Frame-Options:DENY, "add Cache-Control: no-cache, no-store", ADD X-Extra: one two',
}
PREFLIGHT = {"Access-Control-Request-Method": "DELETE", "Access-Control-Request-Headers": "x-one"}
ORIGINS = {
    "none": {},
    "allowed": {"Origin": SITE},
    "by pattern": {"Origin": OTHER},
    "in capitals": {"Origin": SITE.upper()},
    "longer": {"Origin": f"{SITE}.evil"},
    "another": {"Origin": "http://other.example"},
    "null": {"Origin": "null"},
    "of several": {"Origin": f"http://other.example {SITE}"},
    "preflight": {"Origin": SITE, **PREFLIGHT},
    "preflight of another": {"Origin": "http://other.example", **PREFLIGHT},
    "preflight without an origin": PREFLIGHT,
}
ASKED = [
    ("GET", "/connectors"),
    ("GET", "/nope"),
    ("OPTIONS", "/connectors"),
    ("OPTIONS", "/nope"),
    ("DELETE", "/connectors/nope"),
]


@dataclass(frozen=True)
class Tuned:
    """A server with these settings: its main listener and the one for `/admin/`."""

    main: Asker
    admin: Asker


@pytest.fixture(scope="module")
def tuned(drover: RunningDrover, kafka: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Tuned, Tuned]]:
    """Drover and Apache Kafka Connect."""
    with ExitStack() as stack:
        admin = f"127.0.0.1:{free_port() + 1}"
        settings = {**SETTINGS, "admin.listeners": f"http://{admin}"}
        url = stack.enter_context(web_beside(drover, settings)).removeprefix("http://")
        ours = Tuned(Asker(url), Asker(admin))
        admin = f"127.0.0.1:{free_port() + 1}"
        settings = {**SETTINGS, "admin.listeners": f"http://{admin}"}
        client = stack.enter_context(connect_worker(kafka, tmp_path_factory.mktemp("tuned"), group="tuned", settings=settings))
        yield ours, Tuned(Asker(client.url.removeprefix("http://")), Asker(admin))


def same(drover: Answer, apache: Answer, *, body: bool = True) -> None:
    shown = [compared(each) if body else (each.status, dict(each.headers)) for each in (drover, apache)]
    assert shown[0] == shown[1]


@pytest.mark.parametrize(("method", "path"), ASKED)
@pytest.mark.parametrize("origin", ORIGINS)
def test_origins(tuned: tuple[Tuned, Tuned], method: str, path: str, origin: str) -> None:
    """Whose headers are compared as well: those of `response.http.headers.config` too."""
    drover, apache = (side.main.ask(method, path, headers=ORIGINS[origin]) for side in tuned)
    # The connectors are each cluster's own.
    same(drover, apache, body=path != "/connectors" or method != "GET")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/admin/loggers"),
        ("GET", "/admin/loggers/"),
        ("OPTIONS", "/admin/loggers"),
        ("PUT", "/admin/loggers/x"),
        ("GET", "/admin/loggers/root"),
        ("GET", "/admin/nope"),
        ("GET", "/connectors"),
        ("GET", "/health"),
        ("OPTIONS", "/"),
    ],
)
@pytest.mark.parametrize("listener", ["main", "admin"])
def test_admin_listeners(tuned: tuple[Tuned, Tuned], listener: str, method: str, path: str) -> None:
    drover, apache = (getattr(side, listener).ask(method, path, {} if method == "PUT" else None) for side in tuned)
    # Which loggers and connectors there are is each one's own business.
    same(drover, apache, body=apache.status != 200)


def test_an_admin_listener_has_no_root(tuned: tuple[Tuned, Tuned]) -> None:
    same(*(side.admin.ask("GET", "/") for side in tuned))
