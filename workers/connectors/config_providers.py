"""Config providers (KIP-297, KIP-421): where the values of variables come from, by their Java class names.

Values are for the worker's memory alone: they are never stored, shown or logged.
"""

import logging
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from config import java_properties
from config.concealment import LOGS, Concealment
from workers.connectors.base import ConnectError
from workers.connectors.variables import Variable, substituted, variables
from workers.herder.values import Config

logger = logging.getLogger(__name__)


class ProviderRefused(ValueError):
    """A provider cannot be set up. `setting` is the end of its setting's name, e.g. `param.allowed.paths`."""

    def __init__(self, setting: str, reason: str) -> None:
        super().__init__(reason)
        self.setting = setting


class ProviderFailed(Exception):
    """The values could not be had. The text holds none."""


class Unresolved(ConnectError):
    """A provider failed, or has no such value. The text names the variable, `key` is the one that it stands at."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


class ConfigProvider(Protocol):
    def get(self, path: str, keys: Iterable[str]) -> Mapping[str, str]:
        """The values of those keys that there are. Raises ProviderFailed."""
        ...


class AllowedPaths:
    """Folders and files that may be read, with all that is in them. Links are followed first, those within too."""

    def __init__(self, setting: str) -> None:
        self._paths = [_existing(item.strip()) for item in setting.split(",") if item.strip()]
        if not self._paths:
            raise ProviderRefused("param.allowed.paths", "must name the folders that may be read; / for all of them")

    def real(self, path: str | Path) -> Path | None:
        """Where the path leads to; None when that is not allowed."""
        try:
            real = Path(path).resolve()
        except (OSError, ValueError, RuntimeError):
            return None
        if any(real.is_relative_to(allowed) for allowed in self._paths):
            return real
        logger.warning("The path %s is not allowed to be accessed", path)
        return None


def _existing(path: str) -> Path:
    if not os.path.isabs(path):
        raise ProviderRefused("param.allowed.paths", f"must name absolute paths, and {path} is not")
    try:
        return Path(path).resolve(strict=True)
    except OSError as error:
        raise ProviderRefused("param.allowed.paths", f"names {path}, which cannot be used: {error.strerror}") from error


def _text(path: Path) -> str:
    """Raises ProviderFailed."""
    try:
        if not path.exists():
            raise ProviderFailed(f"Could not read {path}: there is no such file")
        if not path.is_file():
            raise ProviderFailed(f"Could not read {path}: it is not a regular file")
        return path.read_bytes().decode(errors="replace")
    except OSError as error:
        raise ProviderFailed(f"Could not read {path}: {error.strerror}") from error


class FileConfigProvider:
    """`${file:/path/to/some.properties:key}`."""

    def __init__(self, params: Mapping[str, str]) -> None:
        self._allowed = AllowedPaths(params.get("allowed.paths", ""))

    def get(self, path: str, keys: Iterable[str]) -> Mapping[str, str]:
        real = self._allowed.real(path) if path else None
        if real is None:
            return {}
        try:
            properties = java_properties.parse(_text(real))
        except ValueError as error:
            raise ProviderFailed(f"Could not read properties from file {path}: {error}") from error
        return {key: properties[key] for key in keys if key in properties}


class DirectoryConfigProvider:
    """`${dir:/path/to/folder:file}`: the whole file is the value."""

    def __init__(self, params: Mapping[str, str]) -> None:
        self._allowed = AllowedPaths(params.get("allowed.paths", ""))

    def get(self, path: str, keys: Iterable[str]) -> Mapping[str, str]:
        folder = self._allowed.real(path) if path else None
        if folder is None:
            return {}
        if not folder.is_dir():
            logger.warning("The path %s is not a directory", path)
            return {}
        named = {key: self._allowed.real(folder / key) for key in keys if key == os.path.basename(key) and key not in ("", "..")}
        return {key: _text(file) for key, file in named.items() if file is not None and file.is_file()}


class EnvVarConfigProvider:
    """`${env:NAME}`, of the worker's environment."""

    def __init__(self, params: Mapping[str, str], environment: Mapping[str, str] = os.environ) -> None:
        pattern = params.get("allowlist.pattern", "")
        if not pattern:
            raise ProviderRefused("param.allowlist.pattern", "must say which variables may be read; .* for all of them")
        try:
            self._allowed = re.compile(pattern)
        except re.error as error:
            raise ProviderRefused("param.allowlist.pattern", f"is not a regular expression: {error}") from error
        self._environment = environment

    def get(self, path: str, keys: Iterable[str]) -> Mapping[str, str]:
        if path:
            raise ProviderFailed(f"Path is not supported for EnvVarConfigProvider, invalid value '{path}'")
        return {key: self._environment[key] for key in keys if key in self._environment and self._allowed.search(key)}


_PACKAGE = "org.apache.kafka.common.config.provider."
#: Class name → how to make one, and the parameters that it knows.
_CLASSES: dict[str, tuple[Callable[[Mapping[str, str]], ConfigProvider], frozenset[str]]] = {
    f"{_PACKAGE}FileConfigProvider": (FileConfigProvider, frozenset({"allowed.paths"})),
    f"{_PACKAGE}DirectoryConfigProvider": (DirectoryConfigProvider, frozenset({"allowed.paths"})),
    f"{_PACKAGE}EnvVarConfigProvider": (EnvVarConfigProvider, frozenset({"allowlist.pattern"})),
}


#: What they may be called, too.
PROVIDERS = frozenset(_CLASSES) | {name.removeprefix(_PACKAGE) for name in _CLASSES}


def provider(class_name: str, params: Mapping[str, str]) -> ConfigProvider:
    """Raises ProviderRefused. A parameter that the class does not know is refused: misspelt, it would protect nothing."""
    if class_name not in _CLASSES:
        raise ProviderRefused("class", f"must be one of {', '.join(_CLASSES)}, not {class_name!r}")
    make, known = _CLASSES[class_name]
    for param in params:
        if param not in known:
            raise ProviderRefused(f"param.{param}", f"is not known to {class_name}, which knows {', '.join(sorted(known))}")
    return make(params)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A config with its variables replaced, and what they were replaced by."""

    config: dict[str, str]
    values: Mapping[Variable, str]

    def concealment(self) -> Concealment:
        return Concealment((value, variable.text) for variable, value in self.values.items())


class ConfigTransformer:
    """Resolves variables by the providers of their names. Where there is no such provider, the text stays as it is: it need not
    be meant as a variable."""

    def __init__(self, providers: Mapping[str, ConfigProvider]) -> None:
        self._providers = providers

    def resolved(self, config: Config) -> Resolved:
        """Raises Unresolved."""
        values: dict[Variable, str] = {}
        for name, value in config.items():
            for variable in variables(value):
                if variable.provider in self._providers and variable not in values:
                    values[variable] = found = self._value(name, variable)
                    LOGS.add(found, variable.text)
        return Resolved({name: substituted(value, values.get) for name, value in config.items()}, values)

    def _value(self, name: str, variable: Variable) -> str:
        unresolved = f"The variable {variable.text} of '{name}' could not be resolved."
        try:
            found = self._providers[variable.provider].get(variable.path, [variable.key])
        except ProviderFailed as error:
            raise Unresolved(name, f"{unresolved} {error}") from error
        if variable.key not in found:
            # What may not be read does not show whether it is there.
            raise Unresolved(name, f"{unresolved} Provider '{variable.provider}' has no such value, or may not read it.")
        return found[variable.key]


#: Knows no provider: every variable stays as it is.
LITERAL = ConfigTransformer({})
