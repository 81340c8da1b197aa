"""Before and after, side by side."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from connect_client.secrets import without_secrets


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that changed; None: it was not there. `key` is empty where the whole of it changed."""

    key: str
    before: str | None
    after: str | None


def differences(before: Any, after: Any) -> tuple[Difference, ...]:
    """Only what differs, in the order of keys. What a key says is secret is hidden, whoever wrote it down."""
    if not isinstance(before or {}, Mapping) or not isinstance(after or {}, Mapping):
        return () if before == after else (Difference("", _text(before), _text(after)),)
    was, becomes = masked(before) or {}, masked(after) or {}
    keys = sorted({*was, *becomes})
    told = [
        (key, _text(was.get(key)), _text(becomes.get(key))) for key in keys if (before or {}).get(key) != (after or {}).get(key)
    ]
    return tuple(Difference(key, one, other) for key, one, other in told)


def masked(value: Any) -> Any:
    """A second time: whoever writes an activity has done so, too."""
    if not isinstance(value, Mapping):
        return value
    texts = {key: text for key, text in value.items() if isinstance(text, str)}
    return {**value, **without_secrets(texts)}


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)
