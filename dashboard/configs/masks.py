"""Secrets that an edit leaves alone: the browser has a mask of them, the server puts them back."""

from collections.abc import Callable, Mapping, Sequence

from connect_client.secrets import HIDDEN, is_mask, is_secret
from dashboard.configs.pairs import Pairs

Config = Mapping[str, str | None]


class MaskKept(ValueError):
    """A mask that would have been written. `key` is the field."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key
        self.message = message


def unmasked(typed: Pairs, stored: Sequence[Config], passwords: Callable[[Config], frozenset[str]]) -> Pairs:
    """What was typed, with stored secrets in place of their masks. The first of `stored` that has a key counts; `passwords` tells
    which keys of a config its plug-ins define as such.

    A secret that was renamed goes along if it is the only one. One that would be a secret no more under its new name, or in
    another plug-in, is not put there: everybody could read it then. Raises MaskKept.
    """
    secrets = _secrets(stored, passwords)
    config = dict(typed)
    masked = [key for key, value in typed if value == HIDDEN]
    renamed = _renamed(masked, config, secrets)
    kept = {key: secrets.get(renamed.get(key, key)) for key in masked}
    hidden = passwords(config)
    for key, value in typed:
        if key in kept:
            _check_kept(key, kept[key], hidden)
        elif is_mask(value):
            raise MaskKept(key, f"{key}: “{value}” is a mask, no value. Type the value, or put {HIDDEN} to keep the stored one.")
    return tuple((key, kept.get(key, value)) for key, value in typed)


def _secrets(stored: Sequence[Config], passwords: Callable[[Config], frozenset[str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for config in reversed(stored):
        hidden = passwords(config)
        found |= {key: value for key, value in config.items() if value and is_secret(key, value, hidden)}
    return found


def _renamed(masked: Sequence[str], config: Config, secrets: Config) -> dict[str, str]:
    """The new name with the old one."""
    without = [key for key in masked if key not in secrets]
    vanished = [key for key in secrets if key not in config]
    return {without[0]: vanished[0]} if len(without) == len(vanished) == 1 else {}


def _check_kept(key: str, secret: str | None, hidden: frozenset[str]) -> None:
    if secret is None:
        raise MaskKept(key, f"{key}: there is no stored secret to keep. Type its value.")
    if is_mask(secret):
        raise MaskKept(key, f"{key}: a mask was written in place of the secret, by another tool. Type its value.")
    if not is_secret(key, secret, hidden):
        raise MaskKept(key, f"{key}: the secret kept here would be readable for everybody. Type the value that is meant.")
