"""The control room of a running Drover, for tests that ask its API. Not a test module."""

import uuid
from typing import Any

import httpx

from tests.running import RunningDrover
from tests.waiting import eventually


class Room:
    """Its API, as a browser that has signed in may use it."""

    def __init__(self, drover: RunningDrover) -> None:
        self._http = httpx.Client(base_url=drover.url, timeout=30, trust_env=False)
        self._csrf = f"drover-csrf-{drover.port}"
        self._http.get("/ui/login")
        sent = {"username": drover.username, "password": drover.password}
        assert self._http.post("/ui/login", data=sent, headers=self._headers).status_code == 302

    @property
    def _headers(self) -> dict[str, str]:
        return {"X-CSRFToken": self._http.cookies[self._csrf]}

    def close(self) -> None:
        self._http.close()

    def get(self, path: str) -> Any:
        return self._http.get(f"/api/v1/{path}").json()

    def post(self, path: str, body: object = None) -> Any:
        answer = self._http.post(f"/api/v1/{path}", json=body or {}, headers=self._headers)
        assert answer.is_success, answer.text
        return answer.json()

    def delete(self, path: str) -> None:
        answer = self._http.delete(f"/api/v1/{path}", headers=self._headers)
        assert answer.is_success, answer.text

    def knows(self, cluster: str, connector: str) -> None:
        """Once the follower has seen it."""
        eventually(lambda: self._http.get(f"/ui/clusters/{cluster}/connectors/{connector}").status_code == 200)

    def token(self, role: str = "admin") -> str:
        """A new one, of whoever has signed in."""
        made = self.post("tokens", {"name": f"tests {uuid.uuid4().hex[:8]}", "role": role, "days": 1})
        return str(made["token"])
