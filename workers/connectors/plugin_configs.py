"""What the REST API tells of configs: definitions (KIP-769), and everything that is to be said of one config."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from workers.connectors import checks, enriching, framework, topic_creation
from workers.connectors.base import Connector
from workers.connectors.configdef import REQUIRED, ConfigDef, ConfigValue, Given, Key, Type, as_text
from workers.connectors.java_hash import in_hash_order
from workers.connectors.overrides import ClientRules, override_keys
from workers.connectors.versions import InvalidVersionSpec, required_version, version_mismatch
from workers.converters import catalogue as converters
from workers.converters.catalogue import ConverterPlugin, Role
from workers.herder.errors import BadRequest
from workers.herder.values import ConfigInfo, ConfigInfos, ConfigKeyInfo, ConfigValueInfo

_NULL = "Null value can not be supplied as the configuration value."


# --- definitions ------------------------------------------------------------------------------------------------------


def connector_keys(plugin: type[Connector]) -> list[ConfigKeyInfo]:
    """A connector's own keys first, then the framework's."""
    own, shared = plugin.config_def, _framework(plugin)
    names = {key.name for key in own.keys}
    return [key_info(key) for key in (*own.keys, *(key for key in shared.keys if key.name not in names))]


def own_keys(definition: ConfigDef) -> list[ConfigKeyInfo]:
    """Of what is no connector: those alone."""
    return [key_info(key) for key in definition.keys]


def _framework(plugin: type[Connector]) -> ConfigDef:
    definition = framework.SINK if plugin.type == "sink" else framework.SOURCE
    return definition if plugin.has_framework_keys else enriching.of_version(definition, plugin.version)


def _of_one_config(plugin: type[Connector], config: Given, worker: Given) -> ConfigDef:
    enrich = enriching.with_aliases if plugin.has_framework_keys else partial(enriching.enriched, worker=worker)
    return enrich(_framework(plugin), config)


def key_info(key: Key) -> ConfigKeyInfo:
    required = key.default is REQUIRED
    return ConfigKeyInfo(
        key.name,
        key.type,
        required,
        None if required else as_text(key.type, key.default),
        key.importance,
        key.documentation,
        key.group,
        key.order_in_group,
        key.width,
        key.display_name or key.name,
        list(key.dependents),
    )


# --- validation -------------------------------------------------------------------------------------------------------


def validated(
    plugin: type[Connector],
    full_name: str,
    config: Given,
    rules: ClientRules,
    worker: Given = converters.WORKER,
    *,
    creates_topics: bool = True,
) -> ConfigInfos:
    """`config` is to have its variables resolved, `full_name` is the class's, `worker` names the worker's converters. Runs the
    connector's code. Raises BadRequest for what is no version."""
    try:
        mismatch = version_mismatch(full_name, plugin.version, config.get("connector.plugin.version"))
    except InvalidVersionSpec as error:
        raise BadRequest(str(error)) from error
    if mismatch is not None:
        return _of_another_version(plugin, config, mismatch)
    present = {key: value for key, value in config.items() if value is not None}
    shared = _of_one_config(plugin, config, worker)
    values = _by_name(shared.validate(config))
    (checks.check_sink if plugin.type == "sink" else checks.check_source)(config, values)
    values |= _by_name(plugin.validate(present))
    if plugin.type == "source" and creates_topics:
        values |= _by_name(topic_creation.wrong(present))
    _note_nulls(config, values)
    _note_versions(config, values)
    if not plugin.has_framework_keys:
        _note_blanks(config, values)
    main = shared.with_keys(*plugin.config_def.keys)
    asked = [_of_converter(role, config) for role in converters.ROLES if not values[f"{role}.converter.plugin.version"].errors]
    clients = _clients(plugin, present, rules, values)
    parts = [_infos(main, values.values()), *asked, _infos(ConfigDef(), clients)]
    groups = [*main.groups, *(key.group for part in asked for key in _definitions(part) if key.group)]
    configs = [info for part in parts for info in part]
    return _whole(config, list(dict.fromkeys(groups)), configs)


def _definitions(infos: Iterable[ConfigInfo]) -> list[ConfigKeyInfo]:
    return [info.definition for info in infos if info.definition is not None]


def _whole(config: Given, groups: Sequence[str], configs: Sequence[ConfigInfo]) -> ConfigInfos:
    errors = sum(len(info.value.errors) for info in configs)
    return ConfigInfos(config.get("connector.class") or "", errors, groups, configs)


def _by_name(values: Iterable[ConfigValue]) -> dict[str, ConfigValue]:
    return {value.name: value for value in values}


def _of_another_version(plugin: type[Connector], config: Given, mismatch: str) -> ConfigInfos:
    """Nobody can say more of it: the version that is asked for may have other keys."""
    definition = enriching.of_version(framework.COMMON, plugin.version)
    values = _by_name(definition.validate(config))
    for name in ("connector.class", "connector.plugin.version"):
        values[name].errors.append(mismatch)
    return _whole(config, definition.groups, _infos(definition, values.values()))


def _note_nulls(config: Given, values: dict[str, ConfigValue]) -> None:
    for name, value in config.items():
        if value is None:
            values.setdefault(name, ConfigValue(name)).errors.append(_NULL)


def _note_versions(config: Given, values: Mapping[str, ConfigValue]) -> None:
    for role in converters.ROLES:
        found, spec = _named(role, config), values[f"{role}.converter.plugin.version"]
        if found is None or spec.errors:
            continue
        mismatch = _converter_mismatch(found, config.get(spec.name))
        if mismatch is not None:
            for value in (values[f"{role}.converter"], spec):
                value.errors.append(mismatch)


def _converter_mismatch(found: ConverterPlugin, spec: str | None) -> str | None:
    if not found.listed and required_version(spec) is not None:
        return f"Plugin {found.name} is not part of Connect's plugin loading mechanism (ClassPath or Plugin Path)"
    return version_mismatch(found.name, found.version, spec)


def _note_blanks(config: Given, values: Mapping[str, ConfigValue]) -> None:
    """Kafka Connect takes them away to find the class, but not to make one of it."""
    for role in converters.ROLES:
        given = config.get(f"{role}.converter") or ""
        if converters.converter(role, given) is not _named(role, config):
            values[f"{role}.converter"].errors.append(f"Failed to load class {given}: {given}")


def _named(role: Role, config: Given) -> ConverterPlugin | None:
    """None also of one whose name stands between blanks."""
    return converters.named(role, config.get(f"{role}.converter") or "")


def _of_converter(role: Role, config: Given) -> list[ConfigInfo]:
    found = _named(role, config)
    if found is None:
        return []
    infos = _infos(found.config_def, found.config_def.validate(converters.config_of(role, config)))
    return [_prefixed(info, f"{role}.converter.") for info in in_hash_order(infos, lambda info: info.value.name)]


def _prefixed(info: ConfigInfo, prefix: str) -> ConfigInfo:
    definition = info.definition and replace(info.definition, name=f"{prefix}{info.definition.name}")
    return ConfigInfo(definition, replace(info.value, name=f"{prefix}{info.value.name}"))


def _clients(
    plugin: type[Connector], config: Mapping[str, str], rules: ClientRules, values: Mapping[str, ConfigValue]
) -> list[ConfigValue]:
    """The settings of the connector's Kafka client, and what else may not be set."""
    clients = {key: ConfigValue(key, config[key]) for key in override_keys(config, plugin.type)}
    for key, message in rules.refusals(config, plugin.type):
        value = values.get(key) or clients.setdefault(key, ConfigValue(key, config[key]))
        value.errors.append(message)
    return list(clients.values())


def _infos(definition: ConfigDef, values: Iterable[ConfigValue]) -> list[ConfigInfo]:
    """What no key is defined for comes first, as in Kafka Connect."""
    found = _by_name(values)
    keys = {key.name: key for key in definition.keys}
    undefined = [ConfigInfo(None, value_info(value, None)) for value in found.values() if value.name not in keys]
    return undefined + [
        ConfigInfo(key_info(key), value_info(found[name], key.type)) for name, key in keys.items() if name in found
    ]


def value_info(value: ConfigValue, kind: Type | None) -> ConfigValueInfo:
    recommended = [as_text(kind, one) for one in value.recommended_values]
    return ConfigValueInfo(value.name, as_text(kind, value.value), recommended, list(value.errors), value.visible)


def said_differently(infos: ConfigInfos, say: Callable[[ConfigValueInfo], ConfigValueInfo]) -> ConfigInfos:
    return replace(infos, configs=[replace(info, value=say(info.value)) for info in infos.configs])
