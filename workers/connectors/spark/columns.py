"""Which columns of a data source become a record's topic, key and value. Pure."""

from collections.abc import Sequence

from workers.connectors.base import ConnectError
from workers.herder.values import Config

#: Where they are already what a record is made of.
_OWN = {"kafka": ("key", "value"), "text": ("", "value")}


def as_records(config: Config, names: Sequence[str]) -> list[str]:
    """Projections, in SQL, of a data source with columns of these names. One column that is named for the key or the value is it,
    several are a struct; the value is a struct of all but the topic's if none is named. Raises ConnectError for names that it
    has not."""
    own_key, own_value = _OWN.get(config["spark.format"], ("", ""))
    topic = config.get("topic.field", "").strip()
    key = _named(config, "key.columns") or ([own_key] if own_key in names else [])
    value = _named(config, "value.columns") or ([own_value] if own_value in names else [])
    for name in [*key, *value, *([topic] if topic else [])]:
        if name not in names:
            raise ConnectError(f"There is no column {name} in this {config['spark.format']} source: it has {', '.join(names)}")
    return [
        f"CAST({_quoted(topic)} AS STRING) AS topic" if topic else f"'{config['topic']}' AS topic",
        f"{_of(key) if key else 'CAST(NULL AS STRING)'} AS key",
        f"{_of(value) if value else _struct([name for name in names if name != topic])} AS value",
    ]


def _named(config: Config, key: str) -> list[str]:
    return [name for item in config.get(key, "").split(",") if (name := item.strip())]


def _of(names: Sequence[str]) -> str:
    return _quoted(names[0]) if len(names) == 1 else _struct(names)


def _struct(names: Sequence[str]) -> str:
    return f"struct({', '.join(map(_quoted, names))})"


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
