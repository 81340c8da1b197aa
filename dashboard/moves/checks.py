"""Whether a move can be done: decisions over what both clusters have told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from connect_client import ConnectorStatus
from connect_client.features import Feature, lacking
from connect_client.secrets import is_mask
from dashboard.fleet.sentence import count
from dashboard.moves.decide import Config, Where, at_rest
from dashboard.moves.plan import Mode, Options

_TOPICS = ("topics", "topics.regex")
_OTHER_KAFKA = (
    "A sink's offsets count the records of its Kafka, and the two clusters have different ones: there the numbers mean other"
    " records, unless the topics were copied offset by offset. Better leave them behind."
)
#: What makes a sink read from another place than its workers' own Kafka.
_ELSEWHERE = "consumer.override.bootstrap.servers"


class Outcome(StrEnum):
    GOOD = "good"
    #: It can be done, and somebody should know.
    MIND = "mind"
    #: It cannot be done like this.
    BAD = "bad"

    @property
    def word(self) -> str:
        """For who does not see the sign."""
        return {Outcome.GOOD: "all right", Outcome.MIND: "to know", Outcome.BAD: "in the way"}[self]


@dataclass(frozen=True, slots=True)
class Check:
    key: str
    outcome: Outcome
    title: str
    text: str = ""

    @property
    def sign(self) -> str:
        return {Outcome.GOOD: "✓", Outcome.MIND: "!", Outcome.BAD: "✗"}[self.outcome]


@dataclass(frozen=True, slots=True)
class Told:
    """What a cluster tells of itself. `error`: why it does not."""

    version: str = ""
    kafka: str | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Known:
    """Everything that a move is judged by. `source_config` and `config` have their secrets in them, and no check shows a value.

    `mask`: what is wrong with one that was typed. `class_there`: `dashboard.moves.classes.known_as`. `errors`: of the validation
    there, by key, without secrets; `refused`: why there was none.
    """

    source: Where
    target: Where
    options: Options
    type: str
    source_told: Told
    target_told: Told
    source_config: Config | None = None
    status: ConnectorStatus | None = None
    config: Config = field(default_factory=dict)
    mask: str = ""
    class_there: str | None = None
    version_here: str = ""
    version_there: str = ""
    name_taken: bool = False
    may_edit_target: bool = True
    other_move: int | None = None
    errors: Mapping[str, Sequence[str]] = field(default_factory=dict)
    refused: str = ""

    @property
    def same_kafka(self) -> bool | None:
        """Whether a sink's consumer group is the same group for both, as far as is told."""
        elsewhere = [(config or {}).get(_ELSEWHERE) for config in (self.source_config, self.config)]
        if any(elsewhere):
            return True if elsewhere[0] == elsewhere[1] else None
        here, there = self.source_told.kafka, self.target_told.kafka
        return here == there if here and there else None


def possible(checks: Sequence[Check]) -> bool:
    return all(check.outcome is not Outcome.BAD for check in checks)


def checks(known: Known) -> tuple[Check, ...]:
    """In the order in which somebody would look. Where a cluster does not answer, what it would have to tell is left out."""
    found = [_rights(known), *_answers(known)]
    if possible(found):
        found += [*_versions(known), *_source(known), _name(known), *_config(known), *_offsets(known)]
    return tuple(found)


def _rights(known: Known) -> Check:
    title = "You may do it on both sides"
    if known.source.cluster == known.target.cluster:
        return Check("clusters", Outcome.BAD, "Two clusters", "A connector moves from one cluster to another.")
    if not known.may_edit_target:
        return Check("rights", Outcome.BAD, title, f"You need the role editor for {known.target}.")
    return Check("rights", Outcome.GOOD, title, "Editor of the connector here, and of its name there.")


def _answers(known: Known) -> list[Check]:
    found = []
    for key, where, told in (("source", known.source, known.source_told), ("target", known.target, known.target_told)):
        title = f"{where.cluster} answers"
        good = Check(key, Outcome.GOOD, title, f"Version {told.version or 'not told'}.")
        found.append(Check(key, Outcome.BAD, title, told.error) if told.error else good)
    return found


def _versions(known: Known) -> list[Check]:
    """What each cluster has to be able to do. Where it is too old, no fallback is as safe."""
    options, here, there = known.options, known.source_told.version, known.target_told.version
    missing = [lacking(here, Feature.STOP)] if options.mode is Mode.MOVE else []
    missing += [lacking(here, Feature.OFFSETS), lacking(there, Feature.CHANGE_OFFSETS)] if options.carry_offsets else []
    missing.append(lacking(there, Feature.STOP))
    told = [text for text in dict.fromkeys(missing) if text]
    title = "Both are new enough"
    found = [Check("versions", Outcome.BAD, title, " ".join(told)) if told else Check("versions", Outcome.GOOD, title)]
    if lacks := lacking(there, Feature.INITIAL_STATE):
        moment = "The new connector would run for a moment before it is stopped: records may be read twice."
        why = f"{lacks} {moment}"
        outcome = Outcome.MIND if options.unsafe_create else Outcome.BAD
        found.append(Check("initial-state", outcome, "It can be created without being started", why))
    return found


def _source(known: Known) -> list[Check]:
    title = f"{known.source} can be taken"
    if known.source_config is None:
        return [Check("connector", Outcome.BAD, title, "There is no such connector any more.")]
    if known.other_move is not None:
        return [Check("connector", Outcome.BAD, title, f"Move {known.other_move} has to do with it, and has not ended.")]
    state = f"It is {known.status.connector.state}." if known.status else "Its state is not told yet."
    if known.options.mode is Mode.COPY:
        text = f"{state} It goes on as it is."
        if known.options.start and known.same_kafka and known.type == "source":
            mind = "Both run then: unless the copy reads something else or writes elsewhere, each record is written twice."
            return [Check("connector", Outcome.MIND, title, f"{text} {mind}")]
        return [Check("connector", Outcome.GOOD, title, text)]
    rest = known.status is not None and at_rest(known.status)
    return [Check("connector", Outcome.GOOD, title, "It is STOPPED already." if rest else f"{state} It is stopped first.")]


def _name(known: Known) -> Check:
    title = f"The name {known.target.name} is free in {known.target.cluster}"
    if known.name_taken:
        return Check("name", Outcome.BAD, title, "There is one of that name. Choose another, or delete that one first.")
    return Check("name", Outcome.GOOD, title)


def _config(known: Known) -> list[Check]:
    masks = sorted(key for key, value in known.config.items() if is_mask(value))
    secrets = "The config is told whole"
    if known.mask:
        return [Check("secrets", Outcome.BAD, secrets, known.mask)]
    if masks:
        text = f"{known.source.cluster} hides {', '.join(masks)}: what it shows is a mask. Type the value into the config."
        return [Check("secrets", Outcome.BAD, secrets, text)]
    found = [
        Check("secrets", Outcome.GOOD, secrets, "Secrets go from cluster to cluster on the server, and are sealed meanwhile.")
    ]
    wanted = known.config.get("connector.class") or ""
    plugin = "The plug-in is there"
    if known.class_there is None:
        text = f"{known.target.cluster} has no {wanted}." if wanted else "The config has no connector.class."
        return [*found, Check("plugin", Outcome.BAD, plugin, text)]
    found.append(_plugin(known, plugin, wanted))
    valid = f"{known.target.cluster} takes the config"
    if known.refused:
        found.append(Check("config", Outcome.BAD, valid, known.refused))
    elif known.errors:
        told = " ".join(f"{key}: {' '.join(messages)}" for key, messages in known.errors.items())
        found.append(Check("config", Outcome.BAD, valid, told))
    else:
        found.append(Check("config", Outcome.GOOD, valid, "Validated there; nothing was created."))
    return found


def _plugin(known: Known, title: str, wanted: str) -> Check:
    here, there = known.version_here, known.version_there
    version = f"Version {there} there, {here} here." if here and there and here != there else ""
    return Check("plugin", Outcome.MIND if version else Outcome.GOOD, title, version or wanted)


def _offsets(known: Known) -> list[Check]:
    title = "It goes on where it stands"
    if not known.options.carry_offsets:
        mind = "Offsets are left behind: it begins anew there, or where a former connector of that name stood."
        return [Check("offsets", Outcome.MIND, title, mind)]
    if known.type != "sink":
        on = " at this moment; the source goes on from them, too" if known.options.mode is Mode.COPY else ""
        return [Check("offsets", Outcome.GOOD, title, f"Its offsets are written there as they are here{on}.")]
    moved = any((known.source_config or {}).get(key) != known.config.get(key) for key in _TOPICS)
    if moved:
        mind = "It reads other topics there, and the offsets are those of the topics here: better leave them behind."
        return [Check("offsets", Outcome.MIND, title, mind)]
    if known.same_kafka is False:
        return [Check("offsets", Outcome.MIND, title, _OTHER_KAFKA)]
    if known.same_kafka is None:
        mind = "A sink's offsets only mean something if both read the same Kafka, and the clusters do not tell."
        return [Check("offsets", Outcome.MIND, title, mind)]
    return [_group(known, title)]


def _group(known: Known, title: str) -> Check:
    """Both read the same Kafka."""
    here, there = (f"connect-{where.name}" for where in (known.source, known.target))
    if here != there:
        return Check("offsets", Outcome.GOOD, title, f"Both read the same Kafka: the group {there} begins where {here} stands.")
    if known.options.mode is Mode.COPY:
        bad = f"Both would be in the consumer group {here} of one Kafka, and read a part of it each. Give the copy another name."
        return Check("offsets", Outcome.BAD, title, bad)
    return Check("offsets", Outcome.GOOD, title, f"Both read the same Kafka, in one and the same consumer group, {here}.")


def summary(found: Sequence[Check]) -> str:
    bad = sum(check.outcome is Outcome.BAD for check in found)
    mind = sum(check.outcome is Outcome.MIND for check in found)
    if bad:
        return f"It cannot be done like this: {count(bad, 'thing')} in the way."
    return f"It can be done; {count(mind, 'thing')} to know." if mind else "It can be done."
