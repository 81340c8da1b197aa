"""Signing in to `/api/v1/`: by token or by session."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard.api import authentication
from dashboard.models import Grant, Token
from dashboard.rights.roles import Role

NOW = datetime.now(UTC)


@pytest.fixture
def ann(db: None) -> User:
    user = User.objects.create_user("ann")
    Grant.objects.create(user=user, role=Role.EDITOR, pattern="orders-*")
    return user


def asked(client: Client, token: str | None = None) -> tuple[int, dict[str, object]]:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    response = client.get("/api/v1/me", headers=headers)
    return response.status_code, response.json()


def test_a_token_has_its_owner_s_roles_up_to_its_own(ann: User, client: Client) -> None:
    token, text = authentication.made(ann, "ci", Role.OPERATOR, None, NOW)
    told = {"role": "editor", "cluster": None, "connectors": "orders-*"}
    assert asked(client, text) == (200, {"name": "ann", "limit": "operator", "grants": [told]})
    assert text not in (token.digest, token.start)
    assert text.startswith(token.start)
    token.refresh_from_db()
    assert token.used_at is not None


def test_the_session_of_the_browser_will_do(room: Client) -> None:
    assert asked(room)[1]["limit"] == "admin"


@pytest.mark.parametrize("state", ["none", "unknown", "expired", "inactive", "another kind"])
def test_anybody_else_is_refused(ann: User, client: Client, state: str) -> None:
    _, text = authentication.made(ann, "ci", Role.ADMIN, NOW - timedelta(hours=1) if state == "expired" else None, NOW)
    if state == "inactive":
        User.objects.update(is_active=False)
    sent = {"none": None, "unknown": "drover_x"}.get(state, text)
    headers = {} if sent is None else {"Authorization": f"{'Basic' if state == 'another kind' else 'Bearer'} {sent}"}
    response = client.get("/api/v1/me", headers=headers)
    assert (response.status_code, response.json()["error_code"]) == (401, 401)
    assert response.json()["message"]
    assert response.headers["WWW-Authenticate"].startswith("Bearer")


def test_what_is_not_the_control_room_s_needs_no_database(client: Client) -> None:
    assert client.get("/api/v1/nonsense").status_code == 404


def test_tokens_are_kept_as_digests_only(ann: User) -> None:
    _, text = authentication.made(ann, "ci", Role.VIEWER, None, NOW)
    assert text not in str(Token.objects.values_list().get())
