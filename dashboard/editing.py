"""A config on its way to a cluster: what is typed is checked, compared with what is there, and then written.

Whether they may is asked before (`dashboard.rights`).
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from connect_client import ConfigKey, ConnectError, ConnectRefused, ConnectUnreachable, Validation
from connect_client.features import Feature, lacking
from connect_client.secrets import is_secret, scrubbed, without_secrets
from dashboard import plugins, versions
from dashboard.activity import Who, note
from dashboard.clusters import client
from dashboard.configs import form, pairs
from dashboard.configs.diff import Difference, changes, differences
from dashboard.configs.form import Section
from dashboard.configs.masks import MaskKept, unmasked
from dashboard.configs.pairs import Pairs, Unreadable
from dashboard.configs.passwords import Passwords, password_keys
from dashboard.configs.passwords import plugins as named_plugins
from dashboard.models import Cluster, ConfigVersion, ConnectorSnapshot
from dashboard.sealed import CannotUnseal

Config = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Draft:
    """What somebody has typed, and where the secrets are that it leaves masked: the first of `stored` that has one counts."""

    cluster: Cluster
    text: str
    stored: tuple[Config, ...] = ()
    #: Of the connector that is edited; empty for one that is to be created.
    name: str = ""


class Unusable(ValueError):
    """What was typed cannot be written. `errors`: by key; the empty one is for the whole of it."""

    def __init__(self, errors: Mapping[str, Sequence[str]]) -> None:
        self.errors = {key: tuple(told) for key, told in errors.items()}
        super().__init__(" ".join(message for told in self.errors.values() for message in told))


@dataclass(frozen=True, slots=True)
class Report:
    """What a cluster says of a draft. `good` is None where it could not be asked; `sections` where there is a form to it."""

    sentence: str
    good: bool | None
    errors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sections: tuple[Section, ...] | None = None

    def to_json(self) -> dict[str, Any]:
        drawn = None if self.sections is None else [section.to_json() for section in self.sections]
        return {"sentence": self.sentence, "good": self.good, "errors": dict(self.errors), "sections": drawn}


@dataclass(frozen=True, slots=True)
class Review:
    """What a save would change. `current`: the digest of the config that it was compared with; `moved`: what others have changed
    since the draft was begun, None if nobody did; `typed`: the digest of the draft, which is what may be saved."""

    differences: tuple[Difference, ...]
    current: str
    typed: str
    moved: tuple[Difference, ...] | None = None

    @property
    def changes(self) -> tuple[Difference, ...]:
        return changes(self.differences)


# --- checking ---------------------------------------------------------------------------------------------------------


def meant(draft: Draft) -> Pairs:
    """The config that a draft stands for, secrets and all. Raises Unusable."""
    return _meant(draft, plugins.passwords(draft.cluster))


def _meant(draft: Draft, known: Passwords) -> Pairs:
    try:
        config = unmasked(pairs.from_json(draft.text), draft.stored, lambda config: password_keys(config, known))
    except Unreadable as error:
        raise Unusable({"": [str(error)]}) from None
    except MaskKept as error:
        raise Unusable({error.key: [error.message]}) from None
    errors = {key: ["Kafka Connect takes no null: remove the key, or give it a value."] for key, value in config if value is None}
    typed_name = dict(config).get("name")
    if draft.name and typed_name is not None and typed_name != draft.name:
        errors["name"] = [f"A connector keeps its name: this one is {draft.name}. Create a copy to have another."]
    if errors:
        raise Unusable(errors)
    return config


def check(draft: Draft) -> Report:
    """Asks the cluster; nothing is changed."""
    known = plugins.passwords(draft.cluster)
    try:
        config = dict(_meant(draft, known))
    except Unusable as error:
        return Report(_sentence(error.errors), False, error.errors)
    class_name = (config.get("connector.class") or "").strip()
    if not class_name:
        missing = {"connector.class": ("Say what is to run.",)}
        return Report("It has no connector.class yet, which says what is to run.", False, missing)
    try:
        validation = client(draft.cluster).validate(class_name, config)
    except ConnectUnreachable as error:
        return Report(f"Nothing was checked: {_scrubbed(error, config, known)}", None)
    except ConnectError as error:
        return Report(f"Cluster {draft.cluster.name} does not take it: {_scrubbed(error, config, known)}", False)
    return _report(draft.cluster, config, validation, known)


def _report(cluster: Cluster, config: Config, validation: Validation, known: Passwords) -> Report:
    hidden = _secret_values(config, password_keys(config, known) | form.password_keys(validation))
    errors = {key.name: tuple(scrubbed(message, hidden) for message in key.errors) for key in validation.keys if key.errors}
    drawn = form.sections(config, validation, *_known_plugins(cluster, config))
    good = f"Cluster {cluster.name} would take it as it is."
    return Report(_sentence(errors) if errors else good, not errors, errors, drawn)


def _known_plugins(cluster: Cluster, config: Config) -> tuple[dict[str, tuple[ConfigKey, ...]], dict[str, list[str]]]:
    """The keys of the converters that a config names, and all classes by their kind."""
    classes: dict[str, list[str]] = {}
    for kind, class_name in cluster.plugins.order_by("class_name").values_list("type", "class_name"):
        classes.setdefault(kind, []).append(class_name)
    wanted = {name for prefix, name in named_plugins(config) if prefix.endswith("converter.")}
    found = cluster.plugins.filter(class_name__in=wanted).exclude(definitions__isnull=True)
    return {plugin.class_name: plugins.defined(plugin) for plugin in found}, classes


def _sentence(errors: Mapping[str, Sequence[str]]) -> str:
    if "" in errors:
        return " ".join(errors[""])
    if len(errors) == 1:
        key, messages = next(iter(errors.items()))
        return messages[0] if key in messages[0] else f"{key}: {messages[0]}"
    return f"{len(errors)} fields cannot stay as they are: {', '.join(errors)}."


def _secret_values(config: Config, hidden: frozenset[str]) -> list[str]:
    return [value for key, value in config.items() if value and is_secret(key, value, hidden)]


def _scrubbed(error: ConnectError, config: Config, known: Passwords) -> str:
    return scrubbed(str(error), _secret_values(config, password_keys(config, known)))


# --- saving -----------------------------------------------------------------------------------------------------------


def review(draft: Draft, opened: str) -> Review:
    """`opened`: the digest of the config that the draft was begun from. Raises ConnectError, Unusable."""
    current = client(draft.cluster).config(draft.name)
    return _review(draft, opened, current, meant(_on_top_of(draft, current)))


def save(draft: Draft, opened: str, reviewed: str, who: Who, remark: str = "") -> Review | ConfigVersion:
    """Writes what was reviewed. A Review instead: it is not what was reviewed, or others have changed the config meanwhile. Kafka
    Connect knows no condition on a change, so that between this look and the change a moment is left. Raises ConnectError,
    Unusable; then nothing was changed, unless nobody knows (ConnectUnreachable).
    """
    to = client(draft.cluster)
    current = to.config(draft.name)
    config = meant(_on_top_of(draft, current))
    found = _review(draft, opened, current, config)
    if found.moved is not None or found.typed != reviewed:
        return found
    return write(draft.cluster, draft.name, config, current, who, remark)


def overwrite(draft: Draft, who: Who, remark: str = "") -> ConfigVersion:
    """Without a review. Raises ConnectError, Unusable."""
    current = client(draft.cluster).config(draft.name)
    return write(draft.cluster, draft.name, meant(_on_top_of(draft, current)), current, who, remark)


def write(cluster: Cluster, name: str, config: Pairs, current: Config, who: Who, remark: str = "") -> ConfigVersion:
    """Raises ConnectError, its message without secrets."""
    known = plugins.passwords(cluster)
    versions.seen(cluster, {name: current}, datetime.now(UTC))
    with _noted(who, "config", cluster, name, known, current, dict(config)):
        answer = client(cluster).put_config(name, dict(config))
    return _saved(cluster, name, answer.config, config, who, remark)


def create(cluster: Cluster, config: Pairs, initial_state: str | None, who: Who, remark: str = "") -> ConfigVersion:
    """Raises ConnectError, its message without secrets; Unusable without a name."""
    name = dict(config).get("name")
    if not name:
        raise Unusable({"name": ["A connector needs a name."]})
    snapshot = getattr(cluster, "snapshot", None)
    reason = lacking(snapshot.version, Feature.INITIAL_STATE) if initial_state and snapshot else ""
    if reason:
        raise Unusable({"": [f"It cannot begin {(initial_state or '').lower()}: {reason}"]})
    with _noted(who, "create", cluster, name, plugins.passwords(cluster), None, dict(config)):
        answer = client(cluster).create(name, dict(config), initial_state=initial_state or None)
    return _saved(cluster, answer.name, answer.config, config, who, remark)


def delete(snapshot: ConnectorSnapshot, who: Who) -> None:
    """Its versions stay. Raises ConnectError."""
    cluster, config = snapshot.cluster, told(snapshot)
    if config is not None:
        versions.seen(cluster, {snapshot.name: config}, datetime.now(UTC))
    with _noted(who, "delete", cluster, snapshot.name, plugins.passwords(cluster), config, None):
        client(cluster).delete(snapshot.name)


def told(snapshot: ConnectorSnapshot) -> dict[str, str | None] | None:
    """The config as it was last seen."""
    found: dict[str, str | None] | None = (snapshot.info or {}).get("config")
    return found


def shown(cluster: Cluster, config: Config) -> dict[str, str | None]:
    """Without its secrets."""
    return without_secrets(config, plugins.passwords_of(cluster, config))


def compared(cluster: Cluster, before: Config, after: Config) -> tuple[Difference, ...]:
    return differing(plugins.passwords(cluster), before, after)


def differing(known: Passwords, before: Config, after: Config) -> tuple[Difference, ...]:
    return differences(before, after, password_keys(before, known) | password_keys(after, known))


def _review(draft: Draft, opened: str, current: Config, config: Pairs) -> Review:
    moved = None if pairs.digest(current) == opened else changes(compared(draft.cluster, _begun(draft, opened), current))
    found = compared(draft.cluster, current, dict(config))
    return Review(found, pairs.digest(current), pairs.digest(dict(config)), moved)


def _begun(draft: Draft, opened: str) -> Config:
    """The config that a draft was begun from, where it is still known."""
    version = ConfigVersion.objects.filter(cluster=draft.cluster, connector=draft.name, digest=opened).last()
    try:
        return dict(versions.config(version)) if version else {}
    except CannotUnseal:
        return {}


def _on_top_of(draft: Draft, current: Config) -> Draft:
    """What the cluster holds now is where masked secrets come from, behind a version that was taken up."""
    return Draft(draft.cluster, draft.text, (*draft.stored, current), draft.name)


def _saved(cluster: Cluster, name: str, answer: Config, typed: Pairs, who: Who, remark: str) -> ConfigVersion:
    kept = pairs.ordered(answer, [key for key, _ in typed])
    return versions.saved(cluster, name, kept, who.name, remark, datetime.now(UTC))


@contextmanager
def _noted(
    who: Who, verb: str, cluster: Cluster, name: str, known: Passwords, before: Config | None, after: Config | None
) -> Iterator[None]:
    """What is done within goes down as an activity. What a cluster says when it refuses may quote secrets: they are taken out."""
    hidden = frozenset().union(*(password_keys(config, known) for config in (before, after) if config is not None))
    refused = ""
    try:
        yield
    except ConnectError as error:
        refused = scrubbed(str(error), _secret_values(before or {}, hidden) + _secret_values(after or {}, hidden))
        if isinstance(error, ConnectRefused):
            raise type(error)(error.status, error.error_code, refused) from None
        raise
    finally:
        masked = (None if config is None else without_secrets(config, hidden) for config in (before, after))
        was, becomes = masked
        note(who, verb, cluster=cluster.name, connector=name, before=was, after=becomes, refused=refused)
