from pathlib import Path

import pytest
from django.contrib.auth import get_user_model

from local import accounts


def mode(file: Path) -> int:
    return file.stat().st_mode & 0o777


@pytest.mark.django_db
def test_the_first_start_makes_an_admin_whose_password_is_kept(tmp_path: Path) -> None:
    sign_in = accounts.ensure_admin(tmp_path)
    assert sign_in is not None
    assert sign_in.username == "admin"
    admin = get_user_model().objects.get()
    assert admin.is_superuser
    assert admin.check_password((tmp_path / "admin-password").read_text())
    assert mode(tmp_path / "admin-password") == 0o600


@pytest.mark.django_db
def test_the_next_start_changes_nothing(tmp_path: Path) -> None:
    assert accounts.ensure_admin(tmp_path) == accounts.ensure_admin(tmp_path)
    assert get_user_model().objects.count() == 1


@pytest.mark.django_db
def test_a_changed_password_is_not_shown(tmp_path: Path) -> None:
    accounts.ensure_admin(tmp_path)
    admin = get_user_model().objects.get()
    admin.set_password("my own")
    admin.save()
    assert accounts.ensure_admin(tmp_path) == accounts.SignIn("admin", None, tmp_path / "admin-password")


@pytest.mark.django_db
def test_a_database_with_users_gets_no_admin(tmp_path: Path) -> None:
    get_user_model().objects.create_user("somebody")
    assert accounts.ensure_admin(tmp_path) is None
    assert not get_user_model().objects.filter(username="admin").exists()


def test_the_secret_key_is_made_once(tmp_path: Path) -> None:
    accounts.keep_secret_key(tmp_path)
    key = (tmp_path / "secret-key").read_text()
    accounts.keep_secret_key(tmp_path)
    assert (tmp_path / "secret-key").read_text() == key
    assert len(key) >= 50
    assert mode(tmp_path / "secret-key") == 0o600
