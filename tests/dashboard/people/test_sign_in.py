"""Signing in: the first administrator, wrong passwords, invitations, and what ends a session."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client

from dashboard.activity import Who
from dashboard.models import Activity, FailedSignIn, Grant
from dashboard.people import users
from dashboard.rights.roles import Role

GOOD, OTHER = "correct horse battery", "staple correct horse"
HERE, ELSEWHERE = "10.0.0.1", "10.0.0.2"


@pytest.fixture
def ann(db: None) -> User:
    return User.objects.create_user("ann", password=GOOD)


def sign_in(browser: Client, password: str, name: str = "ann", address: str = HERE) -> int:
    return browser.post("/ui/login", {"username": name, "password": password}, REMOTE_ADDR=address).status_code


@pytest.fixture
def code(db: None, settings: LazySettings, tmp_path: Path) -> str:
    settings.DATA_DIR = tmp_path
    (tmp_path / "setup-code").write_text("the-code\n")
    return "the-code"


def test_the_first_administrator_is_made_by_whoever_has_the_code(code: str, client: Client, tmp_path: Path) -> None:
    assert client.get("/ui/login").headers["Location"] == "/ui/setup"
    asked = {"code": code, "username": "root", "password": GOOD, "again": GOOD}
    for wrong in ({"code": "x"}, {"code": ""}):
        assert client.post("/ui/setup", {**asked, **wrong}).status_code == 403
    for wrong, why in (
        ({"again": OTHER}, "not the same"),
        ({"password": "12345", "again": "12345"}, "too short"),
        ({"username": "a b"}, "valid username"),
        ({"username": ""}, "blank"),
    ):
        refused = client.post("/ui/setup", {**asked, **wrong})
        assert (refused.status_code, why in refused.content.decode()) == (422, True)
    assert not User.objects.exists()
    assert b'value="the-code"' in client.get("/ui/setup?code=the-code").content
    assert client.post("/ui/setup", asked).headers["Location"] == "/ui/"
    assert client.get("/ui/settings/people/").status_code == 200
    assert not (tmp_path / "setup-code").exists()
    # And nobody else ever again.
    (tmp_path / "setup-code").write_text(code)
    assert Client().post("/ui/setup", {**asked, "username": "mallory"}).headers["Location"] == "/ui/login"
    assert User.objects.count() == 1


def test_without_a_code_nobody_is_made(db: None, settings: LazySettings, tmp_path: Path, client: Client) -> None:
    settings.DATA_DIR = tmp_path
    asked = {"code": "", "username": "root", "password": GOOD, "again": GOOD}
    assert client.post("/ui/setup", asked).status_code == 403
    assert b"createsuperuser" in client.get("/ui/setup").content
    assert not User.objects.exists()


def test_wrong_passwords_have_to_wait(ann: User, client: Client) -> None:
    assert [sign_in(client, "wrong") for _ in range(6)] == [200] * 5 + [429]
    # Not even the right one is looked at, and there is a reason.
    refused = client.post("/ui/login", {"username": "Ann", "password": GOOD}, REMOTE_ADDR=HERE)
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "2")
    assert "Too many wrong passwords. Try again in 2 s." in refused.content.decode()
    # Elsewhere the same person is not locked out.
    assert sign_in(client, GOOD, address=ELSEWHERE) == 302
    FailedSignIn.objects.update(at=FailedSignIn.objects.first().at - timedelta(minutes=1))  # type: ignore[union-attr]
    assert sign_in(Client(), GOOD) == 302
    assert not FailedSignIn.objects.exists()


def test_one_address_trying_many_names_has_to_wait(ann: User, client: Client) -> None:
    for number in range(20):
        assert sign_in(client, "wrong", name=f"name-{number}") == 200
    assert sign_in(client, GOOD) == 429


def test_sign_ins_are_noted_but_not_what_was_typed(ann: User, client: Client) -> None:
    sign_in(client, "wrong")
    sign_in(client, "wrong", name=GOOD)
    sign_in(client, GOOD)
    client.post("/ui/logout")
    kept = list(Activity.objects.order_by("pk").values_list("by", "verb", "outcome", "after"))
    assert kept == [
        ("ann", "sign-in", "refused", {"address": HERE}),
        ("(unknown)", "sign-in", "refused", {"address": HERE}),
        ("ann", "sign-in", "done", {"address": HERE}),
        ("ann", "sign-out", "done", None),
    ]
    assert GOOD not in str(list(Activity.objects.values())) + str(list(FailedSignIn.objects.values()))


@pytest.mark.parametrize(
    ("to", "after"), [("/ui/workers/", "/ui/workers/"), ("https://evil.example/", "/ui/"), ("//evil", "/ui/")]
)
def test_one_goes_on_where_one_wanted_to_but_not_to_another_site(ann: User, client: Client, to: str, after: str) -> None:
    asked = {"username": "ann", "password": GOOD, "next": to}
    assert client.post("/ui/login", asked).headers["Location"] == after


@pytest.fixture
def two(ann: User) -> tuple[Client, Client]:
    """Two browsers of one person."""
    browsers = Client(), Client()
    for browser in browsers:
        assert sign_in(browser, GOOD) == 302
    return browsers


def test_a_new_password_ends_the_other_sessions(two: tuple[Client, Client]) -> None:
    here, elsewhere = two
    asked = {"current": GOOD, "password": OTHER, "again": OTHER}
    for wrong, why in (
        ({"current": "wrong"}, "not your password as it is now"),
        ({"again": "x"}, "not the same"),
        ({"password": "password12", "again": "password12"}, "too common"),
    ):
        refused = here.post("/ui/settings/account/password", {**asked, **wrong})
        assert (refused.status_code, why in refused.content.decode()) == (422, True)
    assert elsewhere.get("/ui/").status_code == 200
    assert "signed out everywhere but here" in here.post("/ui/settings/account/password", asked).content.decode()
    assert (here.get("/ui/").status_code, elsewhere.get("/ui/").status_code) == (200, 302)
    assert (sign_in(Client(), GOOD), sign_in(Client(), OTHER)) == (200, 302)


def test_who_guesses_the_current_password_has_to_wait(two: tuple[Client, Client]) -> None:
    asked = {"current": "guess", "password": OTHER, "again": OTHER}
    codes = [two[0].post("/ui/settings/account/password", asked, REMOTE_ADDR=HERE).status_code for _ in range(6)]
    assert codes == [422] * 5 + [429]


def end_by_reset(ann: User) -> None:
    users.reset_password(Who("root"), ann)


def end_by_deactivation(ann: User) -> None:
    users.set_active(Who("root"), ann, False)


@pytest.mark.parametrize("end", [end_by_reset, end_by_deactivation])
def test_what_ends_sessions(ann: User, two: tuple[Client, Client], end: Callable[[User], None]) -> None:
    Grant.objects.create(user=User.objects.create(username="root", password="x"), role=Role.ADMIN)
    end(ann)
    assert [browser.get("/ui/").status_code for browser in two] == [302, 302]
    assert sign_in(Client(), GOOD) == 200


def test_an_invitation_is_good_once(ann: User, client: Client) -> None:
    link = users.invitation(ann)
    assert b"ann" in client.get(link).content
    assert client.post(link, {"password": "short", "again": "short"}).status_code == 422
    assert client.post(link, {"password": OTHER, "again": OTHER}).headers["Location"] == "/ui/"
    assert client.get("/ui/settings/account").status_code == 200
    for wrong in (link, link[:-1] + "x", "/ui/welcome/eA/x", "/ui/welcome/!!/x"):
        gone = Client().post(wrong, {"password": GOOD, "again": GOOD})
        assert (gone.status_code, b"This link has been used" in gone.content) == (410, True)
    assert sign_in(Client(), OTHER) == 302
