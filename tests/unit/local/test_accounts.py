from pathlib import Path

import pytest
from django.contrib.auth import get_user_model

from local import accounts


def mode(file: Path) -> int:
    return file.stat().st_mode & 0o777


@pytest.mark.django_db
def test_the_first_start_keeps_a_code_until_there_is_a_user(tmp_path: Path) -> None:
    first = accounts.prepare(tmp_path)
    assert first is not None
    assert (tmp_path / "setup-code").read_text() == first.code
    assert len(first.code) >= 20
    assert mode(tmp_path / "setup-code") == 0o600
    assert accounts.prepare(tmp_path) == first
    get_user_model().objects.create_user("somebody")
    assert accounts.prepare(tmp_path) is None
    assert not (tmp_path / "setup-code").exists()
    assert get_user_model().objects.count() == 1


@pytest.mark.django_db
def test_a_password_that_is_given_makes_the_admin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DROVER_ADMIN_PASSWORD", "s3cret for ever")
    assert accounts.prepare(tmp_path) is None
    admin = get_user_model().objects.get()
    assert (admin.username, admin.is_superuser) == ("admin", True)
    assert admin.check_password("s3cret for ever")
    # The next start changes nothing, whatever it is by then.
    monkeypatch.setenv("DROVER_ADMIN_PASSWORD", "another")
    assert accounts.prepare(tmp_path) is None
    assert get_user_model().objects.get().check_password("s3cret for ever")


def test_the_secret_key_is_made_once(tmp_path: Path) -> None:
    accounts.keep_secret_key(tmp_path)
    key = (tmp_path / "secret-key").read_text()
    accounts.keep_secret_key(tmp_path)
    assert (tmp_path / "secret-key").read_text() == key
    assert len(key) >= 50
    assert mode(tmp_path / "secret-key") == 0o600
