"""`/api/v1/moves`: connectors that go from one cluster to another."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.api.base import RoomView
from dashboard.configs.pairs import Pairs
from dashboard.models import Cluster, ConnectorSnapshot, Move
from dashboard.moves import begin, found, page, prepare
from dashboard.moves.begin import CannotBegin
from dashboard.moves.plan import Mode, Options
from dashboard.moves.prepare import Prepared, Wish
from dashboard.rights.roles import Role


class Conflict(exceptions.APIException):
    status_code = 409
    default_code = "conflict"


class SourceSerializer(serializers.Serializer[Any]):
    cluster = serializers.CharField()
    connector = serializers.CharField(trim_whitespace=False)


class TargetSerializer(serializers.Serializer[Any]):
    cluster = serializers.CharField()
    #: The source's, where it is missing.
    connector = serializers.CharField(required=False, trim_whitespace=False)


class OptionsSerializer(serializers.Serializer[Any]):
    mode = serializers.ChoiceField([str(mode) for mode in Mode], default="move")
    carry_offsets = serializers.BooleanField(default=True)
    start = serializers.BooleanField(default=True)
    delete_source = serializers.BooleanField(default=False)
    unsafe_create = serializers.BooleanField(default=False)


class MoveSerializer(serializers.Serializer[Any]):
    """`config`: the whole config in place of the source's; `changes`: single keys of it, null takes one away. Not both."""

    source = SourceSerializer()  # type: ignore[assignment]
    target = TargetSerializer()
    options = OptionsSerializer(required=False)
    config = serializers.DictField(child=serializers.CharField(allow_blank=True, trim_whitespace=False), required=False)
    changes = serializers.DictField(
        child=serializers.CharField(allow_blank=True, allow_null=True, trim_whitespace=False), required=False
    )
    dry_run = serializers.BooleanField(default=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "config" in attrs and "changes" in attrs:
            raise serializers.ValidationError("Give config or changes, not both.")
        options = Options.from_json(attrs.get("options") or OptionsSerializer().to_internal_value({}))
        if options.contradiction:
            raise serializers.ValidationError(options.contradiction)
        return {**attrs, "options": options}


class MovesView(RoomView):
    def get(self, request: Request) -> Response:
        """`{"moves": [move]}`, the newest hundred that may be seen."""
        return Response({"moves": [page.to_json(move) for move in found.newest(self.rights)]})

    @extend_schema(request=MoveSerializer, responses={200: OpenApiTypes.ANY, 201: OpenApiTypes.ANY})
    def post(self, request: Request) -> Response:
        """201 and the move. With `dry_run` 200 and what the checks say; nothing is begun. 409: a check speaks against it."""
        if not self.rights.anywhere(Role.EDITOR):
            raise exceptions.PermissionDenied("This needs the role editor for both connectors")
        body = MoveSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        wish = self._wish(body.validated_data)
        prepared = prepare.prepare(wish, self.rights)
        if body.validated_data["dry_run"]:
            return Response(_told(prepared))
        if not prepared.possible:
            against = [f"{check.title}: {check.text}" for check in prepared.checks if check.outcome == "bad"]
            raise Conflict(" ".join([prepared.summary, *against]))
        source = wish.source
        configs = (prepared.source_config, prepared.config)
        try:
            move = begin.begin(
                (source.cluster, source.name), (wish.target, wish.new_name), wish.type, configs, wish.options, self.who
            )
        except CannotBegin as error:
            raise Conflict(str(error)) from None
        return Response(page.to_json(move, found.config_changes(move)), status=201)

    def _wish(self, body: dict[str, Any]) -> Wish:
        source, target = body["source"], body["target"]
        new_name = target.get("connector", source["connector"])
        self.need(Role.EDITOR, source["cluster"], source["connector"])
        self.need(Role.EDITOR, target["cluster"], new_name)
        rows = ConnectorSnapshot.objects.select_related("cluster__snapshot")
        snapshot = rows.filter(cluster__name=source["cluster"], name=source["connector"]).first()
        cluster = Cluster.objects.filter(name=target["cluster"]).first()
        if snapshot is None:
            raise exceptions.NotFound(f"There is no connector {source['connector']} in cluster {source['cluster']}")
        if cluster is None:
            raise exceptions.NotFound(f"There is no cluster {target['cluster']}")
        typed: Pairs | None = tuple(body["config"].items()) if "config" in body else None
        return Wish(snapshot, cluster, new_name, body["options"], typed, body.get("changes"))


class MoveView(RoomView):
    def get(self, request: Request, move: int) -> Response:
        """The move, its steps and what is different in its config."""
        chosen = _found(self, move)
        return Response(page.to_json(chosen, found.config_changes(chosen)))


class CancelView(RoomView):
    @extend_schema(request=None, responses={202: OpenApiTypes.ANY})
    def post(self, request: Request, move: int) -> Response:
        """It stops before its next step: 202. 409 where it has ended already."""
        chosen = _found(self, move, Role.EDITOR)
        if not begin.cancel(chosen, self.who):
            raise Conflict("It has ended already, or is being cancelled.")
        return Response(page.to_json(chosen), status=202)


class UndoView(RoomView):
    @extend_schema(request=None, responses={202: OpenApiTypes.ANY})
    def post(self, request: Request, move: int) -> Response:
        """It is put back: 202. 409 where it cannot be, with the reason."""
        chosen = _found(self, move, Role.EDITOR)
        try:
            begin.undo(chosen, self.who)
        except CannotBegin as error:
            raise Conflict(str(error)) from None
        return Response(page.to_json(chosen), status=202)


def _found(view: RoomView, id: int, role: Role = Role.VIEWER) -> Move:
    """Raises NotFound, PermissionDenied."""
    move = found.one(id, view.rights)
    if move is None:
        raise exceptions.NotFound(f"There is no move {id}")
    if not found.may(move, role, view.rights):
        raise exceptions.PermissionDenied(f"This needs the role {role.name.lower()} for both connectors")
    return move


def _told(prepared: Prepared) -> dict[str, Any]:
    checks = [{"check": one.key, "outcome": one.outcome, "title": one.title, "text": one.text} for one in prepared.checks]
    differences = [{"key": one.key, "from": one.was, "to": one.becomes} for one in prepared.changes]
    return {"possible": prepared.possible, "message": prepared.summary, "checks": checks, "changes": differences}
