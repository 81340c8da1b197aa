"""What a cluster says of a config, made up. Not a test module."""

from collections.abc import Sequence
from typing import Any


def definition(name: str, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "type": "STRING",
        "required": False,
        "default_value": None,
        "importance": "MEDIUM",
        "documentation": f"What {name} is for.",
        "group": None,
        "order_in_group": -1,
        "width": "NONE",
        "display_name": name,
        "dependents": [],
        **more,
    }


def key(name: str, *, errors: Sequence[str] = (), recommended: Sequence[str] = (), visible: bool = True, **more: Any) -> Any:
    value = {"name": name, "value": None, "recommended_values": [*recommended], "errors": [*errors], "visible": visible}
    return {"definition": definition(name, **more), "value": value}


def validation(config: dict[str, str], errors: dict[str, str] | None = None) -> dict[str, Any]:
    """Of a sink with a password of its own and whatever transforms it names."""
    wrong = errors or {}

    def one(name: str, **more: Any) -> Any:
        return key(name, errors=[wrong[name]] if name in wrong else [], **more)

    aliases = [alias for alias in config.get("transforms", "").split(",") if alias]
    configs = [
        one("name", required=True, importance="HIGH", group="Common"),
        one("connector.class", required=True, importance="HIGH", group="Common"),
        one("tasks.max", type="INT", default_value="1", importance="HIGH", group="Common"),
        one("value.converter", type="CLASS", importance="LOW", group="Common"),
        one("transforms", type="LIST", default_value="", importance="LOW", group="Transforms"),
        one("errors.tolerance", default_value="none", group="Error Handling", recommended=["none", "all"]),
        one("errors.log.enable", type="BOOLEAN", default_value="false", importance="LOW", group="Error Handling"),
        one("topics", type="LIST", default_value="", importance="HIGH", group="Common"),
        *(one(f"transforms.{alias}.type", type="CLASS", required=True, group=f"Transforms: {alias}") for alias in aliases),
        *(one(f"transforms.{alias}.salt", type="PASSWORD", group=f"Transforms: {alias}") for alias in aliases),
        one("file", documentation="Destination filename."),
        one("pin", type="PASSWORD", display_name="PIN"),
        one("hidden.one", visible=False),
    ]
    own = [f"Transforms: {alias}" for alias in aliases]
    return {
        "name": config.get("connector.class"),
        "error_count": len(wrong),
        "groups": ["Common", "Transforms", "Predicates", "Error Handling", *own],
        "configs": configs,
    }
