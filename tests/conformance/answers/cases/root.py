"""`/` and `/health` (KIP-1017)."""

from tests.conformance.answers.case import Case

# People are sent to the control room: what is answered depends on who asks.
VARIES = frozenset({"vary"})

CASES = [
    Case("root", "GET", "/", ignore=VARIES),
    Case("root: as JSON", "GET", "/", headers={"Accept": "application/json"}, ignore=VARIES),
    Case("root: with a query", "GET", "/?expand=info", ignore=VARIES),
    Case("root: post", "POST", "/", {}),
    Case("root: put", "PUT", "/", {}),
    Case("root: delete", "DELETE", "/"),
    Case("root: patch", "PATCH", "/", {}),
    Case("health", "GET", "/health"),
    Case("health: with a slash at the end", "GET", "/health/"),
    Case("health: with a query", "GET", "/health?verbose=true"),
    Case("health: in capitals", "GET", "/Health"),
    Case("health: below it", "GET", "/health/live"),
    Case("health: post", "POST", "/health", {}),
    Case("health: put", "PUT", "/health", {}),
    Case("health: delete", "DELETE", "/health"),
]
