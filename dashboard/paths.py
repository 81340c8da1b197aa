"""Connectors' names at the end of the control room's paths."""

import re
from urllib.parse import unquote

_ONLY_DOTS = re.compile(r"(?<![^/])\.{1,2}(?![^/])")


class ConnectorName:
    """Any name, slashes and all. Browsers resolve segments of dots even when they are encoded: these are encoded once more;
    Django encodes the rest."""

    regex = ".+"

    def to_python(self, value: str) -> str:
        return unquote(value)

    def to_url(self, name: str) -> str:
        return _ONLY_DOTS.sub(lambda dots: "%2E" * len(dots[0]), name.replace("%", "%25"))
