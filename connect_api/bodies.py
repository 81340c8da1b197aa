"""Request bodies, read strictly: what Kafka Connect would refuse is refused before anything is asked of the herder."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson
from django.http import HttpRequest
from rest_framework.exceptions import UnsupportedMediaType

from workers.herder.errors import BadRequest, NotFound
from workers.herder.states import TargetState
from workers.herder.values import PartitionOffset
from workers.loggers.levels import level_named

_INITIAL_STATES = {"RUNNING": TargetState.STARTED, "PAUSED": TargetState.PAUSED, "STOPPED": TargetState.STOPPED}
#: What Java's `String.trim` cuts off: control characters too, and no blanks of Unicode's.
_TRIMMED = "".join(map(chr, range(0x21)))


def _media_type(request: HttpRequest) -> str:
    """Without parameters: REST framework's request gives the header as it came, `; charset=utf-8` and all."""
    return (request.content_type or "").partition(";")[0].strip().lower()


def parsed(request: HttpRequest) -> object:
    """The JSON body, its numbers as the text that they came as. Raises UnsupportedMediaType, BadRequest."""
    exact(request)
    try:
        # Strict JSON it is; what orjson does not give is a number's own text, which is what a config keeps: `1.0E+2`.
        body: object = json.loads(_text_of(request), parse_int=str, parse_float=str)
    except RecursionError as error:
        raise BadRequest("The request body is nested too deeply") from error
    return body


def exact(request: HttpRequest) -> object:
    """The JSON body, its numbers as numbers. Raises UnsupportedMediaType, BadRequest."""
    if _media_type(request) != "application/json":
        raise UnsupportedMediaType(request.content_type or "")
    try:
        body: object = orjson.loads(_text_of(request))
    except ValueError as error:
        raise BadRequest(f"The request body is not valid JSON: {error}") from error
    return body


def _text_of(request: HttpRequest) -> bytes:
    """UTF-8, of which a byte order mark is no part."""
    return request.body.removeprefix(b"\xef\xbb\xbf")


def refuse_other_content(request: HttpRequest) -> None:
    """Calls without a body may leave out the content type; a wrong one is refused all the same."""
    if _media_type(request) not in ("", "application/json"):
        raise UnsupportedMediaType(request.content_type or "")


def string_map(body: object) -> dict[str, str | None]:
    """A flat config. Scalars become text, as Jackson makes them; lists and objects are refused. Raises BadRequest."""
    if not isinstance(body, Mapping):
        raise BadRequest("Cannot deserialize value of type `java.util.LinkedHashMap`: a JSON object of strings was expected")
    return {key: _text(key, value) for key, value in body.items()}


def _text(key: str, value: object) -> str | None:
    if isinstance(value, list | dict):
        kind = "Array" if isinstance(value, list) else "Object"
        raise BadRequest(
            f"Cannot deserialize value of type `java.lang.String` from {kind} value (through reference chain: [{key!r}])"
        )
    return value if isinstance(value, str) or value is None else orjson.dumps(value).decode()


@dataclass(frozen=True, slots=True)
class CreateConnector:
    name: str
    config: dict[str, str | None]
    initial_state: TargetState | None
    #: Drover's own: where it is to begin.
    offsets: list[PartitionOffset] | None = None


def create_connector(body: object, exact_body: object = None) -> CreateConnector:
    """From the body as `parsed` gives it and, for offsets, as `exact` does. Raises BadRequest."""
    if not isinstance(body, Mapping):
        raise BadRequest("Cannot construct instance of CreateConnectorRequest: a JSON object was expected")
    _only(body, "CreateConnectorRequest", "config", "name", "initial_state", "offsets")
    if "config" not in body or body["config"] is None:
        raise BadRequest("The request has no 'config'")
    name = (_text("name", body.get("name")) or "").strip(_TRIMMED)
    wanted = exact_body.get("offsets") if isinstance(exact_body, Mapping) else None
    return CreateConnector(
        name,
        named(name, string_map(body["config"])),
        _initial_state(body.get("initial_state")),
        _partition_offsets(wanted) or None,
    )


def offsets(body: object) -> list[PartitionOffset]:
    """KIP-875. Raises BadRequest."""
    if body is not None and not isinstance(body, Mapping):
        raise BadRequest("Cannot deserialize value of type `ConnectorOffsets`: a JSON object was expected")
    found = _partition_offsets(_only(body or {}, "ConnectorOffsets", "offsets").get("offsets"))
    if not found:
        raise BadRequest("Partitions / offsets need to be provided for an alter offsets request")
    return found


def _partition_offsets(raw: object) -> list[PartitionOffset]:
    if raw is None:
        return []
    if not isinstance(raw, list):
        raise BadRequest("Cannot deserialize value of type `java.util.ArrayList`: a JSON array of offsets was expected")
    return [_partition_offset(item) for item in raw]


def _partition_offset(raw: object) -> PartitionOffset:
    if not isinstance(raw, Mapping):
        raise BadRequest("Cannot construct instance of ConnectorOffset: a JSON object was expected")
    _only(raw, "ConnectorOffset", "partition", "offset")
    partition, offset = raw.get("partition"), raw.get("offset")
    for name, value in (("partition", partition), ("offset", offset)):
        if value is not None and not isinstance(value, Mapping):
            raise BadRequest(
                f"Cannot deserialize value of type `java.util.LinkedHashMap`: a JSON object was expected "
                f"(through reference chain: [{name!r}])"
            )
    return PartitionOffset(partition, offset)


def _only(raw: Mapping[str, object], what: str, *known: str) -> Mapping[str, object]:
    """Raises BadRequest for a field that is not `known`."""
    unknown = next((key for key in raw if key not in known), None)
    if unknown is not None:
        raise BadRequest(f'Unrecognized field "{unknown}" (class {what}), not marked as ignorable ({_listed(known)})')
    return raw


def _listed(names: Sequence[str]) -> str:
    """As Jackson says it."""
    count = "one known property" if len(names) == 1 else f"{len(names)} known properties"
    return f"{count}: " + ", ".join(f'"{name}"' for name in names)


def named(name: str, config: dict[str, str | None]) -> dict[str, str | None]:
    """The config with its name in it. Raises BadRequest when it holds another one."""
    given = config.get("name")
    if given is None:
        return {**{key: value for key, value in config.items() if key != "name"}, "name": name}
    if given != name:
        raise BadRequest(f"Connector name configuration ({given}) doesn't match connector name in the URL ({name})")
    return config


def level(body: object) -> str:
    """What `PUT /admin/loggers/{l}` asks for (KIP-495); other fields are nobody's. Raises BadRequest, NotFound."""
    wanted = string_map({} if body is None else body).get("level")
    if wanted is None:
        raise BadRequest("Desired 'level' parameter was not specified in request.")
    if level_named(wanted) is None:
        raise NotFound(f"invalid log level '{wanted}'.")
    return wanted


def config_patch(name: str, patch: dict[str, str | None]) -> dict[str, str | None]:
    """Raises BadRequest when the connector is to have another name; that it is to have none is left to the validation."""
    if (patch.get("name") or "").strip():
        named(name, patch)
    return patch


def of_plugin(plugin: str, config: dict[str, str | None]) -> dict[str, str | None]:
    """A config that is of this plug-in as far as the names tell: one may be the end of the other. Raises BadRequest."""
    given = config.get("connector.class")
    if given is not None and not _short(given).endswith(_short(plugin)):
        raise BadRequest(f"Included connector type {given} does not match request type {plugin}")
    return config


def _short(name: str) -> str:
    return name.removesuffix("Connector") or name


def _initial_state(raw: object) -> TargetState | None:
    """KIP-980's, in any case. Raises BadRequest."""
    name = _text("initial_state", raw)
    if name is None:
        return None
    state = _INITIAL_STATES.get(name.upper())
    if state is None:
        raise BadRequest(
            f"Cannot construct instance of `InitialState`, problem: No enum constant InitialState.{name}: "
            "it may be RUNNING, PAUSED or STOPPED"
        )
    return state
