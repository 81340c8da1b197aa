"""Asking both clusters whether a move can be done, and what would be created. Nothing is changed."""

from collections.abc import Mapping
from dataclasses import dataclass

from connect_client import ConnectClient, ConnectError, ConnectorStatus, Plugin
from connect_client.secrets import is_secret, scrubbed
from dashboard import clusters, plugins
from dashboard.configs import pairs
from dashboard.configs.diff import Difference, changes, differences
from dashboard.configs.masks import MaskKept, unmasked
from dashboard.configs.pairs import Pairs
from dashboard.configs.passwords import Passwords, password_keys
from dashboard.models import Cluster, ConnectorSnapshot
from dashboard.moves.begin import unended
from dashboard.moves.checks import Check, Known, Told, checks, possible, summary
from dashboard.moves.classes import known_as, version_there
from dashboard.moves.decide import Config, Where
from dashboard.moves.place import Place
from dashboard.moves.plan import Options
from dashboard.rights.roles import Rights, Role


@dataclass(frozen=True, slots=True)
class Wish:
    """`typed`: the whole config, with masks for secrets that stay as they are; None: as it is in the source. `changed`: single
    keys of it; None takes one away."""

    source: ConnectorSnapshot
    target: Cluster
    new_name: str
    options: Options
    typed: Pairs | None = None
    changed: Mapping[str, str | None] | None = None

    @property
    def type(self) -> str:
        return (self.source.info or {}).get("type") or ""


@dataclass(frozen=True, slots=True)
class Prepared:
    """`source_config` and `config` have their secrets in them; `changes` have not."""

    checks: tuple[Check, ...]
    changes: tuple[Difference, ...]
    source_config: Config
    config: Config

    @property
    def possible(self) -> bool:
        return possible(self.checks)

    @property
    def summary(self) -> str:
        return summary(self.checks)

    @property
    def needs_unsafe(self) -> bool:
        """Whether the target cannot create a connector that is stopped."""
        return any(check.key == "initial-state" for check in self.checks)

    @property
    def digest(self) -> str:
        """Of what has been looked at: only that is begun."""
        return pairs.digest({f"was {key}": value for key, value in self.source_config.items()} | dict(self.config))


@dataclass(frozen=True, slots=True)
class Here:
    """What the source tells."""

    told: Told
    config: Config | None = None
    status: ConnectorStatus | None = None


@dataclass(frozen=True, slots=True)
class There:
    """What the target tells. `taken`: it has a connector of that name."""

    told: Told
    plugins: tuple[Plugin, ...] = ()
    taken: bool = False


def prepare(wish: Wish, rights: Rights) -> Prepared:
    """What a cluster does not answer is one of the checks."""
    old = Place(Where(wish.source.cluster.name, wish.source.name), clusters.client(wish.source.cluster))
    new = Place(Where(wish.target.name, wish.new_name), clusters.client(wish.target))
    may = rights.may(Role.EDITOR, new.where.cluster, new.where.name)
    here, there = _here(old), _there(new) if may else There(Told(error="Not asked."))
    known = {**plugins.passwords(wish.source.cluster), **plugins.passwords(wish.target)}
    config, mask = _meant(wish, here.config or {}, known)
    class_there = known_as(config.get("connector.class") or "", there.plugins)
    errors: Mapping[str, tuple[str, ...]] = {}
    refused = ""
    if class_there is not None:
        config = {**config, "connector.class": class_there}
        errors, refused = _validated(new.client, class_there, config, known)
    running = unended(old.where, new.where)
    found = checks(
        Known(
            source=old.where,
            target=new.where,
            options=wish.options,
            type=wish.type,
            source_told=here.told,
            target_told=there.told,
            source_config=here.config,
            status=here.status,
            config=config,
            mask=mask,
            class_there=class_there,
            version_here=(here.status and here.status.connector.version) or "",
            version_there=version_there(class_there or "", there.plugins),
            name_taken=there.taken,
            may_edit_target=may,
            other_move=running.pk if running else None,
            errors=errors,
            refused=refused,
        )
    )
    hidden = password_keys(here.config or {}, known) | password_keys(config, known)
    return Prepared(found, changes(differences(here.config or {}, config, hidden)), here.config or {}, config)


def _here(old: Place) -> Here:
    try:
        root = old.client.root()
        config = old.config()
        return Here(Told(root.version, root.kafka_cluster_id), config, old.told() if config is not None else None)
    except ConnectError as error:
        return Here(Told(error=str(error)))


def _there(new: Place) -> There:
    try:
        root = new.client.root()
        taken = new.config() is not None
        return There(Told(root.version, root.kafka_cluster_id), tuple(new.client.plugins()), taken)
    except ConnectError as error:
        return There(Told(error=str(error)))


def _meant(wish: Wish, source: Config, known: Passwords) -> tuple[dict[str, str | None], str]:
    """What is to be created, and what is wrong with a mask in it."""
    typed = wish.typed if wish.typed is not None else tuple(source.items())
    changed = dict(wish.changed or {})
    typed = tuple((key, value) for key, value in typed if key not in changed)
    typed = (*typed, *((key, value) for key, value in changed.items() if value is not None))
    try:
        config, mask = dict(unmasked(typed, [source], lambda config: password_keys(config, known))), ""
    except MaskKept as error:
        config, mask = dict(typed), error.message
    return {key: value for key, value in {**config, "name": wish.new_name}.items() if value is not None}, mask


def _validated(to: ConnectClient, class_name: str, config: Config, known: Passwords) -> tuple[dict[str, tuple[str, ...]], str]:
    """What is wrong with it, by key, and why it was not looked at; without the secrets that either quotes."""
    hidden = password_keys(config, known)
    values = [value for key, value in config.items() if value and is_secret(key, value, hidden)]
    try:
        validation = to.validate(class_name, config)
    except ConnectError as error:
        return {}, scrubbed(str(error), values)
    return {key.name: tuple(scrubbed(text, values) for text in key.errors) for key in validation.keys if key.errors}, ""
