"""Kafka Connect's files of worker settings (`connect-distributed.properties`, `connect-standalone.properties`), as Drover's own:
variables of the environment. Which key is which variable stands in config/declared/; docs/configuration.md shows it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from config import env, java_properties
from config.declared import BY_KEY
from config.declared.unknown import suggestion
from config.declared.without_effect import WITHOUT_EFFECT, reason_of
from config.java_properties import Entry
from config.listeners import Address, addresses

#: Key → the variable that holds the same value.
VARIABLES = {key: setting.variable for key, setting in BY_KEY.items()}
#: Of listeners with TLS; which prefix counts is in workers/rest_config.py.
_TLS = re.compile(r"(?:admin\.)?listeners\.https\.(ssl\..+)")
_PROVIDER = re.compile(r"config\.providers\.([^.]+)\.(class|param\..+)")


class PropertiesRefused(Exception):
    """A file cannot be read, or asks for what there is not; the message names the file, and the line if it is one's fault."""


@dataclass(slots=True)
class WorkerProperties:
    """What a file says. `variables` holds its settings by the names of their variables."""

    path: Path
    variables: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    _entries: dict[str, Entry] = field(default_factory=dict)

    def explained(self, message: str) -> str:
        """A refusal that begins with a variable's name, in the words of the file if the variable came from there."""
        variable, _, rest = message.partition(" ")
        entry = self._entries.get(variable)
        return message if entry is None else f"{self.path}, line {entry.line}: {entry.key} {rest}"

    def put(self, variable: str, value: str, entry: Entry) -> None:
        self.variables[variable] = value
        self._entries[variable] = entry

    def refusal(self, entry: Entry, reason: str) -> PropertiesRefused:
        return PropertiesRefused(f"{self.path}, line {entry.line}: {entry.key} {reason}")


def read(path: Path) -> WorkerProperties:
    """Raises PropertiesRefused."""
    try:
        # As Kafka Connect has it: blanks at the end of a line are none of a value's.
        entries = {entry.key: entry._replace(value=entry.value.strip()) for entry in java_properties.entries(text_of(path))}
    except java_properties.Malformed as error:
        raise PropertiesRefused(f"{path}, line {error.line}: {error}") from error
    found, unknown = WorkerProperties(path), []
    for entry in entries.values():
        if entry.key in _COMPUTED:
            _COMPUTED[entry.key](found, entry)
        elif entry.key in VARIABLES:
            found.put(VARIABLES[entry.key], entry.value, entry)
        elif provider := _PROVIDER.fullmatch(entry.key):
            found.put(provider_variable(provider[1], provider[2]), entry.value, entry)
        elif (tls := _TLS.fullmatch(entry.key)) and tls[1] in VARIABLES:
            found.put(f"CONNECT_{env.name_of(entry.key)}", entry.value, entry)
        elif reason := reason_of(entry.key):
            found.warnings.append(f"{path}, line {entry.line}: {entry.key} has no effect: {reason}.")
        else:
            unknown.append(entry)
    if unknown:
        known = [*VARIABLES, *WITHOUT_EFFECT]
        named = ", ".join(f"{entry.key} (line {entry.line}{suggestion(entry.key, known)})" for entry in unknown)
        found.warnings.append(f"{path}: not known here, and without effect: {named}.")
    return found


def text_of(path: Path) -> str:
    """UTF-8; what is none is Latin-1, which is what Java takes properties files for. Raises PropertiesRefused."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise PropertiesRefused(f"{path} cannot be read: {error.strerror}.") from error
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def provider_variable(name: str, setting: str) -> str:
    """`file`, `param.allowed.paths` → `CONNECT_CONFIG_PROVIDERS_FILE_PARAM_ALLOWED_PATHS`."""
    return f"CONNECT_CONFIG_PROVIDERS_{env.name_of(name)}_{env.name_of(setting)}"


# --- keys that are not one variable ---------------------------------------------------------------------------------------


def _listeners(found: WorkerProperties, entry: Entry) -> None:
    listeners = _addresses(found, entry)
    if not listeners:
        raise found.refusal(entry, "must name an address to listen on")
    first = listeners[0]
    found.put("CONNECT_LISTENERS", entry.value, entry)
    # Over those of the environment.
    if first.port is not None:
        found.put("DROVER_PORT", str(first.port), entry)
    if first.host is not None:
        found.put("DROVER_HOST", first.host, entry)
    else:
        # Kafka Connect would listen on every address of the machine.
        found.warnings.append(f"{found.path}, line {entry.line}: {entry.key} names no host: it stays as it is (DROVER_HOST).")


def _admin_listeners(found: WorkerProperties, entry: Entry) -> None:
    _addresses(found, entry)
    found.put("CONNECT_ADMIN_LISTENERS", entry.value, entry)


def _addresses(found: WorkerProperties, entry: Entry) -> list[Address]:
    try:
        return addresses(entry.value)
    except ValueError as error:
        raise found.refusal(entry, str(error)) from error


#: Key → what is to be made of it.
_COMPUTED: Mapping[str, Callable[[WorkerProperties, Entry], None]] = {
    "listeners": _listeners,
    "admin.listeners": _admin_listeners,
}
