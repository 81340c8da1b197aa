"""What stands in the environment and means nothing, by name."""

import difflib
import re
from collections.abc import Iterable, Mapping

from config import env
from config.declared import ALL, BY_KEY
from config.declared.without_effect import PREFIXES, WITHOUT_EFFECT

#: Set in all that `up` has started (local/leftovers.py).
SUPERVISED = "DROVER_SUPERVISED"
_PREFIXES = ("CONNECT_", "DROVER_")
_VARIABLES = {setting.variable for setting in ALL}
_PROVIDER = re.compile(r"CONNECT_CONFIG_PROVIDERS_\w+_(CLASS|PARAM_\w+)")
_TLS = re.compile(r"CONNECT_(?:ADMIN_)?LISTENERS_HTTPS_(SSL_\w+?)(?:_FILE)?")


def warnings(environment: Mapping[str, str]) -> list[str]:
    """A sentence for each."""
    return [warning for name in sorted(environment) if name.startswith(_PREFIXES) and (warning := _warning(name))]


def _warning(name: str) -> str:
    if {name, name.removesuffix("_FILE")} & {*_VARIABLES, SUPERVISED} or _PROVIDER.fullmatch(name):
        return ""
    if (tls := _TLS.fullmatch(name)) and f"CONNECT_{tls[1]}" in _VARIABLES:
        return ""
    if setting := next((setting for key, setting in BY_KEY.items() if _variable(key) == name), None):
        return f"{name} is not known here, and without effect: {setting.key} is {setting.variable}."
    if reason := _reason(name):
        return f"{name} has no effect: {reason}."
    return f"{name} is not known here, and without effect{suggestion(name, _VARIABLES) or '.'}"


def _reason(name: str) -> str | None:
    exact = (reason for key, reason in WITHOUT_EFFECT.items() if _variable(key) == name)
    beginning = (reason for prefix, reason in PREFIXES.items() if name.startswith(_variable(prefix)))
    return next(exact, None) or next(beginning, None)


def _variable(key: str) -> str:
    return f"CONNECT_{env.name_of(key)}"


def suggestion(name: str, known: Iterable[str]) -> str:
    """To stand behind a name that nobody knows."""
    near = difflib.get_close_matches(name, known, 1, 0.85)
    return f"; did you mean {near[0]}?" if near else ""
