"""`/api/v1/jobs` and `/api/v1/exports`: what is done to many connectors at once."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.http import HttpResponse
from django.http.request import QueryDict
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard import fleet_queries
from dashboard.api.base import RoomView
from dashboard.fleet.query import FleetQuery, parse
from dashboard.jobs import begin, export, lookup, targets
from dashboard.jobs.page import ItemView, JobView, Show
from dashboard.jobs.preview import Candidate, Preview, preview
from dashboard.jobs.verbs import JobVerb, Options
from dashboard.rights.roles import Role

KEY = "Idempotency-Key"
_MOST_KEY = 200


class Named(serializers.Serializer[Any]):
    cluster = serializers.CharField()
    name = serializers.CharField(trim_whitespace=False)


class Which(serializers.Serializer[Any]):
    """Either of the two. `filter`: the query string of the fleet page, `state=failed&q=orders`; empty is everything."""

    filter = serializers.CharField(required=False, allow_blank=True)
    connectors = Named(many=True, required=False, allow_empty=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("filter" in attrs) == ("connectors" in attrs):
            raise serializers.ValidationError("Either filter or connectors has to be there")
        return attrs


class How(serializers.Serializer[Any]):
    only_failed = serializers.BooleanField(default=True)
    include_tasks = serializers.BooleanField(default=True)
    include_connector = serializers.BooleanField(default=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs["include_tasks"] and not attrs["include_connector"]:
            raise serializers.ValidationError("Neither connectors nor tasks: nothing would be restarted")
        return attrs


class Wanted(Which):
    verb = serializers.ChoiceField(choices=[verb.value for verb in JobVerb])
    options = How(required=False)
    dry_run = serializers.BooleanField(default=False)


class WantedExport(Which):
    format = serializers.ChoiceField(choices=[format.value for format in export.Format], default=export.Format.JSON.value)
    secrets = serializers.BooleanField(default=False)


class JobsView(RoomView):
    @extend_schema(parameters=[OpenApiParameter("page", int)])
    def get(self, request: Request) -> Response:
        """`{"jobs": [job], "next"}`: those that run first; `next` is a page's number or null."""
        found = lookup.jobs(self.rights, _page(request))
        jobs = [_job(view) for view in (*found.running, *found.past)]
        return Response({"jobs": jobs, "next": found.page + 1 if found.more else None})

    @extend_schema(request=Wanted, parameters=[OpenApiParameter(KEY, str, OpenApiParameter.HEADER)])
    def post(self, request: Request) -> Response:
        """202 with the job; 200 with what it would do, if that is all that was asked for (`dry_run`)."""
        if not self.rights.anywhere(Role.OPERATOR):
            raise exceptions.PermissionDenied("This needs the role operator")
        wanted = _valid(Wanted, request.data)
        key = _key(request)
        if key is not None and not wanted["dry_run"] and (already := begin.with_key(self.who, key)):
            return self._told(already.pk, 202)
        found = self._previewed(wanted)
        if wanted["dry_run"]:
            return Response(_preview(found))
        if not found.lines and found.forbidden:
            raise exceptions.PermissionDenied(f"This needs the role {found.verb.role.name.lower()}")
        try:
            job = begin.begin(found, self.who, key)
        except begin.NothingToDo:
            raise NothingToDo("There is nothing to do: a dry run tells of each connector why") from None
        return self._told(job.pk, 202)

    def _previewed(self, wanted: dict[str, Any]) -> Preview:
        verb, options = JobVerb(wanted["verb"]), Options(**wanted.get("options", {}))
        now = datetime.now(UTC)
        if "connectors" in wanted:
            candidates = _named(self, wanted["connectors"], now)
        else:
            candidates = targets.by_filter(_filter(wanted["filter"]), verb, options, self.rights, now)
        return preview(verb, options, candidates, self.rights)

    def _told(self, job: int, status: int) -> Response:
        return Response(_told(self, job), status=status, headers={"Location": f"/api/v1/jobs/{job}"})


class OneJobView(RoomView):
    @extend_schema(parameters=[OpenApiParameter("page", int), OpenApiParameter("show", str, enum=[show.value for show in Show])])
    def get(self, request: Request, job: int) -> Response:
        """The job with a page of its connectors: `items`, and `next`, a page's number or null."""
        show = Show.FAILED if request.query_params.get("show") == Show.FAILED else Show.ALL
        return Response(_told(self, job, show, _page(request)))


class CancelView(RoomView):
    @extend_schema(request=None, responses={202: OpenApiTypes.ANY})
    def post(self, request: Request, job: int) -> Response:
        """202 with the job: nothing more is begun; 409 if it is over."""
        found = _found(self, job)
        if found.cannot_cancel:
            raise exceptions.PermissionDenied(found.cannot_cancel)
        if not begin.cancel(found.view.job, self.who) and found.view.ended:
            raise NothingToDo(f"Job {job} is over")
        return Response(_told(self, job), status=202)


class ExportsView(RoomView):
    @extend_schema(request=WantedExport)
    def post(self, request: Request) -> HttpResponse:
        """`[{"cluster", "name", "config"}]`, or a zip of properties files. Secrets are hidden, unless they are asked for by an
        administrator of the connector."""
        wanted = _valid(WantedExport, request.data)
        now = datetime.now(UTC)
        if "connectors" in wanted:
            candidates = _named(self, wanted["connectors"], now)
        else:
            candidates = targets.by_ids(fleet_queries.matching(_filter(wanted["filter"]), self.rights, now), self.rights, now)
        those = export.exported(candidates, self.rights, self.who, secrets=wanted["secrets"])
        if wanted["format"] == export.Format.PROPERTIES:
            return HttpResponse(export.as_properties(those), content_type="application/zip")
        return HttpResponse(export.as_json(those), content_type="application/json")


class NothingToDo(exceptions.APIException):
    status_code = 409


def _valid(serializer: type[serializers.Serializer[Any]], data: Any) -> dict[str, Any]:
    """Raises ValidationError; for keys that mean nothing, too: a misspelt option must not be taken for none."""
    checked = serializer(data=data)
    if isinstance(data, Mapping):
        _known(checked, data)
    checked.is_valid(raise_exception=True)
    return dict(checked.validated_data)


def _known(serializer: serializers.Serializer[Any], data: Mapping[str, Any], within: str = "") -> None:
    unknown = sorted(set(data) - set(serializer.fields))
    if unknown:
        raise exceptions.ValidationError(f"Not known: {', '.join(within + key for key in unknown)}")
    options = serializer.fields.get("options")
    if isinstance(options, serializers.Serializer) and isinstance(data.get("options"), Mapping):
        _known(options, data["options"], "options.")


def _named(view: RoomView, named: list[dict[str, str]], now: datetime) -> list[Candidate]:
    """Raises NotFound for the first that there is not, or that may not be seen."""
    found, missing = targets.by_names([(one["cluster"], one["name"]) for one in named], view.rights, now)
    for cluster, name in missing:
        raise exceptions.NotFound(f"There is no connector {name} in cluster {cluster}")
    return found


def _filter(text: str) -> FleetQuery:
    """Raises ValidationError: without what is not understood it would mean more."""
    query = parse(QueryDict(text.removeprefix("?")).dict())
    if query.problems:
        raise exceptions.ValidationError({"filter": list(query.problems)})
    return query


def _key(request: Request) -> str | None:
    key = request.headers.get(KEY)
    if key is not None and not 0 < len(key) <= _MOST_KEY:
        raise exceptions.ValidationError(f"{KEY} has to have 1 to {_MOST_KEY} characters")
    return key


def _page(request: Request) -> int:
    text = request.query_params.get("page", "1")
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 10**9):
        raise exceptions.ValidationError("page has to be a number from 1 on")
    return int(text)


def _found(view: RoomView, job: int, show: Show = Show.ALL, page: int = 1) -> Any:
    found = lookup.job(job, view.rights, view.who, show, page)
    if found is None:
        raise exceptions.NotFound(f"There is no job {job}")
    return found


def _told(view: RoomView, job: int, show: Show = Show.ALL, page: int = 1) -> dict[str, Any]:
    found = _found(view, job, show, page)
    return {**_job(found.view), "items": [_item(item) for item in found.items], "next": found.next or None}


def _job(view: JobView) -> dict[str, Any]:
    job = view.job
    return {
        "id": job.pk,
        "verb": job.verb,
        "options": job.options,
        "about": job.about,
        "state": job.state,
        "by": job.by,
        "via": job.via,
        "asked_at": job.asked_at,
        "started_at": job.started_at,
        "ended_at": job.ended_at,
        "counts": dict(view.tally.counts),
    }


def _item(item: ItemView) -> dict[str, Any]:
    return {
        "cluster": item.cluster,
        "connector": item.connector,
        "state": item.state,
        "told": item.words,
        "cause": item.cause,
        "asked_at": item.asked_at,
        "back_after": item.back_after,
    }


def _preview(found: Preview) -> dict[str, Any]:
    return {
        "verb": found.verb,
        "options": found.options.to_json(),
        "about": found.about,
        "connectors": [
            {
                "cluster": line.candidate.cluster,
                "name": line.candidate.name,
                "connector": line.what.connector,
                "tasks": list(line.what.tasks),
            }
            for line in found.lines
        ],
        "left_out": [
            {"cluster": one.cluster, "name": one.name, "reason": out.reason} for out in found.left_out for one in out.candidates
        ],
    }
