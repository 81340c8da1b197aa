"""Under which name a cluster knows a connector's class."""

from collections.abc import Iterable

from connect_client import Plugin
from dashboard.configs.passwords import names

_KINDS = ("source", "sink")


def known_as(wanted: str, plugins: Iterable[Plugin]) -> str | None:
    """What to write as `connector.class` there: the name as it is, where the cluster takes it, in full or as an alias; the one
    class with the same simple name, where it does not; None where there is no such class, or several."""
    wanted = wanted.strip()
    there = {plugin.class_name for plugin in plugins if plugin.type in (None, *_KINDS)}
    if wanted in there or any(wanted in names(class_name) for class_name in there):
        return wanted
    alike = [class_name for class_name in there if names(class_name) & (names(wanted) - {wanted})]
    return alike[0] if len(alike) == 1 else None


def version_there(class_name: str, plugins: Iterable[Plugin]) -> str:
    return next((plugin.version or "" for plugin in plugins if class_name in names(plugin.class_name)), "")
