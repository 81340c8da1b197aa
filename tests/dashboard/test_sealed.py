import pytest

from dashboard.sealed import CannotUnseal, seal, unseal


def test_what_is_sealed_is_read_with_the_same_key_only(settings: pytest.FixtureRequest) -> None:
    settings.SECRET_KEY = "one"  # type: ignore[attr-defined]
    sealed = seal("geheim")
    assert "geheim" not in sealed
    assert unseal(sealed) == "geheim"
    assert unseal(seal("")) == ""
    settings.SECRET_KEY = "another"  # type: ignore[attr-defined]
    with pytest.raises(CannotUnseal):
        unseal(sealed)
