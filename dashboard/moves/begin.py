"""Asking for a move, for its end, and for its being put back. Who may is decided before; here only whether it makes sense."""

import json
from datetime import UTC, datetime

from django.db import IntegrityError, transaction
from django.db.models import Q

from dashboard.activity import Who, note
from dashboard.models import Cluster, Move
from dashboard.moves import log
from dashboard.moves.claims import UNENDED
from dashboard.moves.decide import Config, Where
from dashboard.moves.plan import Options, Step
from dashboard.moves.telling import tell
from dashboard.sealed import seal

_PUT_BACK = (Move.State.DONE, Move.State.FAILED, Move.State.CANCELLED)


class CannotBegin(Exception):
    """A sentence for whoever asked. Nothing was changed."""


def unended(*places: Where) -> Move | None:
    """One that has to do with any of these, in whatever direction."""
    touching = Q()
    for place in places:
        touching |= Q(source_name=place.cluster, connector=place.name) | Q(target_name=place.cluster, new_name=place.name)
    return Move.objects.filter(touching, state__in=UNENDED).first()


def begin(
    source: tuple[Cluster, str],
    target: tuple[Cluster, str],
    type: str,
    configs: tuple[Config, Config],
    options: Options,
    who: Who,
) -> Move:
    """`source`, `target`: a cluster, and the connector's name there. `configs`: what the source has, and what is to be created.
    Raises CannotBegin."""
    (old, connector), (new, new_name) = source, target
    source_config, config = configs
    try:
        with transaction.atomic():
            if (other := unended(Where(old.name, connector), Where(new.name, new_name))) is not None:
                raise CannotBegin(f"Move {other.pk} has to do with it, and has not ended.")
            move = Move.objects.create(
                source=old,
                source_name=old.name,
                connector=connector,
                target=new,
                target_name=new.name,
                new_name=new_name,
                options=options.to_json(),
                type=type,
                source_config=seal(json.dumps(dict(source_config))),
                config=seal(json.dumps(dict(config))),
                by=who.name,
                via=who.via,
                asked_at=datetime.now(UTC),
            )
            _note(move, who, str(options.mode), {"cluster": new.name, "name": new_name, **options.to_json()})
    except IntegrityError:
        # Two of them at the same moment.
        raise CannotBegin("Another move of this connector has just been begun.") from None
    tell(move)
    return move


def cancel(move: Move, who: Who) -> bool:
    """It stops before its next step. Whether there was anything to cancel."""
    with transaction.atomic():
        cancelled = bool(Move.objects.filter(pk=move.pk, state__in=UNENDED, cancelling=False).update(cancelling=True))
        if cancelled:
            _note(move, who, "cancel-move", {"move": move.pk})
    move.refresh_from_db()
    tell(move)
    return cancelled


def why_not_undo(move: Move) -> str:
    """Why it cannot be put back; empty where it can."""
    if move.state in UNENDED:
        return "It has not ended: cancel it first."
    if move.state == Move.State.UNDONE:
        return "It has been put back."
    asked = log.asked_for(log.entries(move.log))
    if Step.DELETE in asked:
        old, new = Where(move.source_name, move.connector), Where(move.target_name, move.new_name)
        return f"{old} was deleted: move {new} to there instead."
    return "" if asked else "It has changed nothing."


def undo(move: Move, who: Who) -> None:
    """Raises CannotBegin."""
    if why := why_not_undo(move):
        raise CannotBegin(why)
    try:
        with transaction.atomic():
            if (other := unended(Where(move.source_name, move.connector), Where(move.target_name, move.new_name))) is not None:
                raise CannotBegin(f"Move {other.pk} has to do with it, and has not ended.")
            again = Move.objects.filter(pk=move.pk, state__in=_PUT_BACK)
            begun = again.update(
                state=Move.State.UNDOING,
                phase=move.phase + 1,
                cancelling=False,
                cause="",
                waiting_for="",
                offsets_back=None,
                ended_at=None,
                claimed_by="",
                claimed_until=None,
            )
            if not begun:
                raise CannotBegin("Somebody else has just done so.")
            _note(move, who, "undo-move", {"move": move.pk})
    except IntegrityError:
        raise CannotBegin("Another move of this connector has just been begun.") from None
    move.refresh_from_db()
    tell(move)


def _note(move: Move, who: Who, verb: str, after: dict[str, object]) -> None:
    note(who, verb, cluster=move.source_name, connector=move.connector, after=after)
