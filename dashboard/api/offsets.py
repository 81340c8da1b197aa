"""`/api/v1/connectors/{cluster}/{name}/offsets`: where a connector stands, and where it is to go on. As on the Offsets tab, only
what is different is asked for, and that is in the connector's history."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from connect_client import ConnectUnreachable, PartitionOffset
from dashboard import asking, offset_actions, queries
from dashboard.api.base import RoomView
from dashboard.asking import Standing
from dashboard.models import ConnectorSnapshot
from dashboard.offsets import changes, entries
from dashboard.offsets.changes import Change
from dashboard.offsets.entries import Unusable
from dashboard.offsets.history import Deed, Outcome
from dashboard.offsets.partitions import key, name
from dashboard.offsets.trouble import too_old
from dashboard.rights.roles import Role

_AS_IT_IS = "Nothing is different: the offsets are what is asked for."


class OffsetFields(serializers.Serializer[Any]):
    """An offset of null forgets the partition's."""

    partition = serializers.DictField()
    offset = serializers.DictField(allow_null=True)


class OffsetsFields(serializers.Serializer[Any]):
    offsets = OffsetFields(many=True, allow_empty=False)


class OffsetChangeTold(serializers.Serializer[Any]):
    partition = serializers.DictField()
    before = serializers.DictField(allow_null=True)
    after = serializers.DictField(allow_null=True)
    remark = serializers.CharField(allow_blank=True, help_text="what one might not expect of it")


class OffsetsChanged(serializers.Serializer[Any]):
    message = serializers.CharField(allow_blank=True, help_text="the cluster's own words; empty of a dry run")
    changes = OffsetChangeTold(many=True)


class PastTold(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    at = serializers.DateTimeField(source="asked_at")
    person = serializers.CharField(source="by")
    deed = serializers.ChoiceField(list(Deed))
    outcome = serializers.ChoiceField(list(Outcome))
    message = serializers.CharField(allow_blank=True)
    changes = OffsetChangeTold(many=True)


class PastsTold(serializers.Serializer[Any]):
    changes = PastTold(many=True)


class Problem(serializers.Serializer[Any]):
    error_code = serializers.IntegerField()
    message = serializers.CharField()


class Moved(exceptions.APIException):
    status_code = 412


_CHANGING = [
    OpenApiParameter("dryRun", OpenApiTypes.BOOL, description="true: what would change, and nothing is done."),
    OpenApiParameter(
        "If-Match", str, OpenApiParameter.HEADER, description="The ETag of what it was made from: 412 if they have changed since."
    ),
]


class OffsetsAsked(RoomView):
    """What all that asks for offsets, or changes them, shares."""

    def _found(self, role: Role, cluster: str, name: str) -> ConnectorSnapshot:
        """Raises PermissionDenied, NotFound, ValidationError of a cluster that has no offsets, ConnectUnreachable."""
        found = self.connector(role, cluster, name)
        view = queries.cluster_view(found.cluster, datetime.now(UTC))
        if old := too_old(view):
            raise exceptions.ValidationError(f"{old.title}. {old.text}")
        if not view.reachable:
            raise ConnectUnreachable(f"Cluster {cluster} cannot be reached: {view.error}", sent=False)
        return found

    def _now(self, request: Request, snapshot: ConnectorSnapshot) -> Standing:
        """Raises Moved, ConnectError."""
        now, base = asking.standing(snapshot), request.headers.get("If-Match")
        if base is not None and base.removeprefix("W/") not in ("*", _etag(now)):
            raise Moved(f"The offsets of {snapshot.name} have changed since they were read")
        return now

    def _done(self, request: Request, snapshot: ConnectorSnapshot, deed: Deed, wanted: tuple[Change, ...]) -> Response:
        """Raises ConnectError."""
        if not wanted:
            return Response({"message": _AS_IT_IS, "changes": []})
        told = [_told(one) for one in wanted]
        if request.query_params.get("dryRun") == "true":
            return Response({"message": "", "changes": told})
        asked = offset_actions.change_offsets(snapshot, deed, wanted, self.who)
        if asked.error is not None:
            raise asked.error
        return Response({"message": asked.noted.message, "changes": told})


class OffsetsView(OffsetsAsked):
    @extend_schema(responses=OffsetsFields)
    def get(self, request: Request, cluster: str, name: str) -> Response:
        """Partition by partition, asked of the cluster now. With an ETag."""
        now = asking.standing(self._found(Role.VIEWER, cluster, name))
        return Response({"offsets": [at.to_json() for at in _committed(now)]}, headers={"ETag": _etag(now)})

    @extend_schema(parameters=_CHANGING, request=OffsetsFields, responses={200: OffsetsChanged, 412: Problem})
    def patch(self, request: Request, cluster: str, name: str) -> Response:
        """Lets a connector that has stopped go on elsewhere. Partitions that are not named stay."""
        snapshot = self._found(Role.EDITOR, cluster, name)
        wanted = _wanted(request.data)
        now = self._now(request, snapshot)
        return self._done(request, snapshot, Deed.ALTER, changes.changes(now.known, wanted, now.reach))

    @extend_schema(parameters=_CHANGING, request=None, responses={200: OffsetsChanged, 412: Problem})
    def delete(self, request: Request, cluster: str, name: str) -> Response:
        """Forgets where a connector that has stopped stood: it begins anew when it is resumed."""
        snapshot = self._found(Role.EDITOR, cluster, name)
        return self._done(request, snapshot, Deed.RESET, changes.resets(self._now(request, snapshot).known))


class OffsetChangesView(RoomView):
    @extend_schema(responses=PastsTold)
    def get(self, request: Request, cluster: str, name: str) -> Response:
        """The newest of what was done to its offsets here, the newest first."""
        snapshot = self.connector(Role.VIEWER, cluster, name)
        return Response(PastsTold({"changes": queries.offset_changes(snapshot)}).data)


class PutBackView(OffsetsAsked):
    @extend_schema(parameters=_CHANGING, request=None, responses={200: OffsetsChanged, 412: Problem})
    def post(self, request: Request, cluster: str, name: str, change: int) -> Response:
        """Asks for what was there before a change, of a connector that has stopped."""
        snapshot = self._found(Role.EDITOR, cluster, name)
        past = queries.offset_change(snapshot, str(change))
        if past is None:
            raise exceptions.NotFound(f"There is no change {change} of the offsets of {name}")
        return self._done(request, snapshot, Deed.PUT_BACK, changes.changes(self._now(request, snapshot).known, past.former))


def _wanted(data: Any) -> list[PartitionOffset]:
    """Raises ValidationError."""
    fields = OffsetsFields(data=data)
    fields.is_valid(raise_exception=True)
    wanted = [PartitionOffset.from_json(one) for one in fields.validated_data["offsets"]]
    seen: set[str] = set()
    for at in wanted:
        try:
            entries.usable(at)
        except Unusable as unusable:
            raise exceptions.ValidationError(f"{name(at.partition)}: {unusable}") from None
        if key(at.partition) in seen:
            raise exceptions.ValidationError(f"{name(at.partition)} is there twice")
        seen.add(key(at.partition))
    return wanted


def _committed(now: Standing) -> Sequence[PartitionOffset]:
    return [at for at in now.known if at.offset is not None]


def _etag(now: Standing) -> str:
    text = "\n".join(key(at.to_json()) for at in _committed(now))
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


def _told(change: Change) -> dict[str, Any]:
    return {"partition": change.partition, "before": change.before, "after": change.after, "remark": change.remark}
