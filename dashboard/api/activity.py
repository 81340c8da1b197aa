"""`/api/v1/activity`: who did what, when and where."""

from django.http import HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.activities import files, queries
from dashboard.activities.queries import Reader
from dashboard.activities.query import OUTCOMES, ActivityQuery, moment, parse
from dashboard.api.base import RoomView

_MOST = 1000
_FILTERS = [
    OpenApiParameter("person", str, description="Who; whole."),
    OpenApiParameter("verb", str),
    OpenApiParameter("cluster", str),
    OpenApiParameter("connector", str, description="Anywhere in the name, in any case."),
    OpenApiParameter("outcome", str, enum=OUTCOMES),
    OpenApiParameter("since", OpenApiTypes.DATETIME),
    OpenApiParameter("until", OpenApiTypes.DATETIME),
]


class ActivityOut(serializers.Serializer[None]):
    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    person = serializers.CharField()
    via = serializers.CharField(help_text="`ui`, `api` or `automation`.")
    verb = serializers.CharField()
    cluster = serializers.CharField(allow_null=True)
    connector = serializers.CharField(allow_null=True)
    task = serializers.IntegerField(allow_null=True)
    job = serializers.IntegerField(allow_null=True)
    outcome = serializers.ChoiceField(OUTCOMES)
    message = serializers.CharField(allow_null=True, help_text="Why it was refused.")
    before = serializers.JSONField()
    after = serializers.JSONField()


class Activities(serializers.Serializer[None]):
    activity = ActivityOut(many=True)
    next = serializers.IntegerField(allow_null=True, help_text="`before` of the call that goes on; null at the end.")


class ActivityView(RoomView):
    @extend_schema(
        parameters=[
            *_FILTERS,
            OpenApiParameter("before", int, description="Older than the one with this id."),
            OpenApiParameter("limit", int, description=f"100 if left out, at most {_MOST}."),
        ],
        responses=Activities,
    )
    def get(self, request: Request) -> Response:
        """What was done, the newest first, as far as one may see of what."""
        found = queries.matching(_query(request), self._reader())
        limit = _number(request, "limit", 100, _MOST)
        if "before" in request.query_params:
            found = found.filter(pk__lt=_number(request, "before", 0, 2**63 - 1))
        rows = list(found[: limit + 1])
        told = [queries.told(one) for one in rows[:limit]]
        return Response({"activity": told, "next": told[-1]["id"] if len(rows) > limit else None})

    def _reader(self) -> Reader:
        return Reader(self.who.name, self.rights)


class ActivityFileView(ActivityView):
    @extend_schema(
        parameters=_FILTERS,
        responses={(200, "text/csv"): OpenApiTypes.STR, (200, "application/json"): OpenApiTypes.OBJECT},
    )
    def get(self, request: Request, kind: str) -> HttpResponseBase:  # type: ignore[override]
        """All that a filter finds, as a file: `csv` or `json`."""
        writers = {"csv": ("text/csv; charset=utf-8", files.as_csv), "json": ("application/json", files.as_json)}
        if kind not in writers:
            raise NotFound("csv or json")
        media_type, write = writers[kind]
        rows = queries.all_told(_query(request), self._reader())
        headers = {"Content-Disposition": f'attachment; filename="activity.{kind}"'}
        return StreamingHttpResponse(write(rows), content_type=media_type, headers=headers)


def _query(request: Request) -> ActivityQuery:
    """Unlike a page, which shows the usual, a call is told what cannot be."""
    sent = request.query_params.dict()
    for name in ("since", "until"):
        if sent.get(name) and moment(sent[name]) is None:
            raise ValidationError({name: ["Not a moment: 2026-11-22T06:30Z"]})
    if sent.get("outcome", "") not in ("", *OUTCOMES):
        raise ValidationError({"outcome": [f"One of {', '.join(OUTCOMES)}"]})
    return parse(sent)


def _number(request: Request, name: str, default: int, most: int) -> int:
    text = request.query_params.get(name, str(default))
    if not text.isdecimal() or len(text) > 19 or int(text) > most or (name == "limit" and int(text) < 1):
        raise ValidationError({name: [f"A whole number, at most {most}"]})
    return int(text)
