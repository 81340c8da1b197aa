"""What plug-ins say of their configs, and what a cluster says of one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class ConfigKey:
    """A key as a plug-in defines it (KIP-769). `type`: BOOLEAN, STRING, INT, SHORT, LONG, DOUBLE, LIST, CLASS or PASSWORD."""

    name: str
    type: str
    required: bool
    default: str | None
    importance: str
    documentation: str
    group: str | None
    order: int
    display_name: str

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Self:
        # `order_in_group` was `order` before 4.1.
        order = body.get("order_in_group", body.get("order"))
        return cls(
            name=body["name"],
            type=body["type"],
            required=bool(body.get("required")),
            default=body.get("default_value"),
            importance=body.get("importance") or "LOW",
            documentation=body.get("documentation") or "",
            group=body.get("group"),
            order=-1 if order is None else order,
            display_name=body.get("display_name") or body["name"],
        )


@dataclass(frozen=True, slots=True)
class Checked:
    """A key of a config that was validated. `definition` is None for one that no plug-in defines."""

    name: str
    definition: ConfigKey | None
    recommended: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    visible: bool = True

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Self:
        value, definition = body["value"], body.get("definition")
        return cls(
            name=value["name"],
            definition=ConfigKey.from_json(definition) if definition else None,
            recommended=tuple(str(one) for one in value.get("recommended_values") or ()),
            errors=tuple(str(one) for one in value.get("errors") or ()),
            visible=value.get("visible", True) is not False,
        )


@dataclass(frozen=True, slots=True)
class Validation:
    """`PUT /connector-plugins/{plugin}/config/validate`. `groups` are in the order in which they are to be shown."""

    error_count: int
    groups: tuple[str, ...]
    keys: tuple[Checked, ...]

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Self:
        return cls(body["error_count"], tuple(body.get("groups") or ()), tuple(Checked.from_json(key) for key in body["configs"]))
