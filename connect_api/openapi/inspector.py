"""What drf-spectacular asks about each view: the answer is what `operations` declares."""

from typing import Any

from drf_spectacular.openapi import AutoSchema

from connect_api.openapi import operations


class Declared(AutoSchema):
    def get_operation(self, path: str, path_regex: str, path_prefix: str, method: str, registry: object) -> dict[str, Any]:
        """Raises KeyError for what is served and not declared."""
        return operations.ALL[method, path].document()


def without_slashes(endpoints: list[tuple[str, str, str, Any]]) -> list[tuple[str, str, str, Any]]:
    """The slash that every path may end with is no path of its own."""
    return [(path.rstrip("/") or "/", regex, method, view) for path, regex, method, view in endpoints]
