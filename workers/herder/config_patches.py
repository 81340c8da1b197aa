"""Changing some keys of a connector's config and leaving the others as they are, whoever else changes it meanwhile (KIP-477)."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

from workers.herder.actions import Actions, Done
from workers.herder.values import Config

#: Key → its new value; None removes it.
ConfigPatch = Mapping[str, str | None]


def patched(config: Config, patch: ConfigPatch) -> dict[str, str]:
    return {key: value for key, value in {**config, **patch}.items() if value is not None}


class OnHerder(Protocol):
    """See `DistributedHerder.result`."""

    def __call__(self, action: Callable[[], Any], deadline: float, request: str | None = None) -> Any: ...


class ConfigPatches:
    """For callers who wait, on their own thread: the whole config is validated, which runs the connector's code."""

    def __init__(self, actions: Actions, on_herder: OnHerder) -> None:
        self._actions = actions
        self._on_herder = on_herder

    def patch(self, request: str | None, name: str, patch: ConfigPatch, deadline: float) -> Done:
        """What was validated is written only if the config is still the one that it was made of; otherwise it is made anew.

        Raises NotFound, BadRequest for what the whole config has wrong then, HerderError after `deadline` (monotonic).
        """
        while True:
            before: Config = self._on_herder(partial(self._actions.config, name), deadline)
            config = patched(before, patch)
            self._actions.validate(config, deadline)
            done: Done | None = self._on_herder(
                partial(self._actions.replace_connector_config, name, before, config), deadline, request
            )
            if done is not None:
                return done
