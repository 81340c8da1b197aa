"""A patch is of the config that there is when it is written (KIP-477)."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.fakes import Herding
from workers.herder.actions import Done
from workers.herder.config_patches import patched
from workers.herder.errors import HerderError, NotFound

CONFIG = {"name": "a", "connector.class": "fake.Source"}


@pytest.mark.parametrize(
    ("config", "patch", "result"),
    [
        ({"a": "1"}, {}, {"a": "1"}),
        ({"a": "1"}, {"a": "2", "b": "3"}, {"a": "2", "b": "3"}),
        ({"a": "1", "b": "2"}, {"a": None, "c": None}, {"b": "2"}),
        ({"a": "1"}, {"a": ""}, {"a": ""}),
    ],
)
def test_patched(config: dict[str, str], patch: dict[str, str | None], result: dict[str, str]) -> None:
    assert patched(config, patch) == result


@pytest.fixture
def hosting(herding: Herding) -> Herding:
    herding.call(lambda: herding.herder.actions.create_connector("a", CONFIG, None))
    herding.settle()
    return herding


def meanwhile(herding: Herding, *actions: Callable[[], Any]) -> None:
    """Each is done while one validation runs."""
    left = list(actions)

    def next_one() -> None:
        if left:
            herding.call(left.pop(0))

    herding.plugins.on["validate", "a"] = next_one


def patch(herding: Herding, seconds: float = 5.0, **keys: str | None) -> Done:
    return herding.herder.patches.patch(None, "a", keys, time.monotonic() + seconds)


def put(herding: Herding, **more: str) -> Callable[[], Any]:
    return partial(herding.herder.actions.put_connector_config, "a", {**CONFIG, **more})


def config(herding: Herding) -> object:
    entry = herding.configs.entry("a")
    return entry and entry.config


def test_what_another_changed_while_it_was_validated_stays(hosting: Herding) -> None:
    meanwhile(hosting, put(hosting, x="1"), put(hosting, x="1", y="2"))
    created, info = patch(hosting, z="3").result
    assert (created, info.config) == (False, {**CONFIG, "x": "1", "y": "2", "z": "3"})
    assert config(hosting) == info.config


def test_one_that_was_deleted_while_it_was_validated_is_not_created(hosting: Herding) -> None:
    meanwhile(hosting, partial(hosting.herder.actions.delete_connector, "a"))
    with pytest.raises(NotFound, match=r"^Connector a not found$"):
        patch(hosting, z="3")
    assert config(hosting) is None


def test_what_is_wrong_only_with_what_another_wrote_is_refused(hosting: Herding) -> None:
    meanwhile(hosting, put(hosting, invalid="no such sea"))
    with pytest.raises(HerderError, match="no such sea"):
        patch(hosting, z="3")
    assert config(hosting) == {**CONFIG, "invalid": "no such sea"}


def test_it_ends_with_its_callers_time(hosting: Herding) -> None:
    changes = (put(hosting, x=str(number)) for number in range(1000))
    hosting.plugins.on["validate", "a"] = lambda: hosting.call(next(changes))
    # While it is validated once more, or while it waits to be written.
    with pytest.raises(HerderError, match=r"^(Request timed out|The request's time was over before its turn came)"):
        patch(hosting, seconds=0.2, z="3")
    assert "z" not in (config(hosting) or {})  # type: ignore[operator]
