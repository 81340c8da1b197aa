"""`/api/v1/connectors/…`: configs, their versions, creating and deleting. Secrets are masked; a mask that comes back is kept."""

import json
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard import config_pages, editing, versions
from dashboard.api.base import RoomView
from dashboard.configs.creation import INITIAL_STATES
from dashboard.configs.diff import Difference
from dashboard.configs.panel import VersionLine
from dashboard.configs.properties import to_properties
from dashboard.editing import Config, Draft, Unusable
from dashboard.models import Cluster, ConfigVersion, ConnectorSnapshot
from dashboard.rights import Role
from dashboard.sealed import CannotUnseal


class CopyOf(serializers.Serializer[Any]):
    """Whose secrets are meant by masks: of what a connector is, or was."""

    cluster = serializers.CharField()
    name = serializers.CharField()
    version = serializers.IntegerField(required=False, default=0, min_value=0)


class NewConnector(serializers.Serializer[Any]):
    name = serializers.CharField(required=False, default="", max_length=1000)
    config = serializers.DictField(child=serializers.JSONField(allow_null=True))
    initial_state = serializers.ChoiceField(INITIAL_STATES, required=False, default="", allow_blank=True)
    note = serializers.CharField(required=False, default="", allow_blank=True, max_length=300)
    copy_of = CopyOf(required=False)


class Back(serializers.Serializer[Any]):
    version = serializers.IntegerField(min_value=1)
    note = serializers.CharField(required=False, default="", allow_blank=True, max_length=300)


class ConfigView(RoomView):
    def get(self, request: Request, cluster: str, name: str) -> Any:
        """The config as last seen; as a `.properties` file with `?as=properties`."""
        snapshot = self.connector(Role.VIEWER, cluster, name)
        told = editing.told(snapshot)
        if told is None:
            raise exceptions.NotFound(f"Cluster {cluster} has not told the config of {name} yet")
        shown = editing.shown(snapshot.cluster, told)
        if request.query_params.get("as") == "properties":
            return HttpResponse(to_properties(tuple(shown.items())), content_type="text/plain; charset=us-ascii")
        return Response(shown)

    @extend_schema(request={"application/json": {"type": "object", "additionalProperties": {"type": ["string", "null"]}}})
    def put(self, request: Request, cluster: str, name: str) -> Response:
        """Writes it. `?note=` goes into the history; `?base=` is the version that it was made from: 409, if there is another one
        meanwhile."""
        snapshot = self.connector(Role.EDITOR, cluster, name)
        last = versions.last(snapshot.cluster, name)
        base = request.query_params.get("base")
        if base is not None and (last is None or str(last.number) != base):
            raise Conflict(f"The config of {name} is version {last.number if last else 0} by now, not {base}")
        draft = Draft(snapshot.cluster, _text(request.data), name=name)
        saved = _usable(lambda: editing.overwrite(draft, self.who, request.query_params.get("note", "")))
        return Response(_version(snapshot.cluster, saved))


class VersionsView(RoomView):
    def get(self, request: Request, cluster: str, name: str) -> Response:
        """The newest first, with what each has changed."""
        where = _seen(self, cluster, name)
        return Response({"versions": [_line(line) for line in config_pages.lines(where, versions.of(where, name))]})


class VersionView(RoomView):
    def get(self, request: Request, cluster: str, name: str, number: int) -> Response:
        """One, with its config."""
        where = _seen(self, cluster, name)
        return Response(_version(where, _one(where, name, number)))


class RollbackView(RoomView):
    @extend_schema(request=Back)
    def post(self, request: Request, cluster: str, name: str) -> Response:
        """`{"version", "note"}`: writes the config that it had then, with the secrets that it had then."""
        snapshot = self.connector(Role.EDITOR, cluster, name)
        body = Back(data=request.data)
        body.is_valid(raise_exception=True)
        number = body.validated_data["version"]
        former = _config(_one(snapshot.cluster, name, number))
        draft = Draft(snapshot.cluster, json.dumps(former), (former,), name)
        note = body.validated_data["note"] or f"Back to version {number}"
        saved = _usable(lambda: editing.overwrite(draft, self.who, note))
        return Response(_version(snapshot.cluster, saved))


class ConnectorsView(RoomView):
    @extend_schema(request=NewConnector, responses={201: OpenApiTypes.ANY})
    def post(self, request: Request, cluster: str) -> Response:
        """Creates one: `{"name", "config", "initial_state", "note", "copy_of": {"cluster", "name", "version"}}`."""
        body = NewConnector(data=request.data)
        body.is_valid(raise_exception=True)
        given = body.validated_data
        config = given["config"]
        name = str(given["name"] or config.get("name") or "")
        if config.setdefault("name", name) != name:
            raise exceptions.ValidationError({"detail": f"The config's name is {config['name']}, not {name}"})
        self.need(Role.EDITOR, cluster, name)
        where = _cluster(cluster)
        draft = Draft(where, _text(config), self._copied(given.get("copy_of")))
        state = given["initial_state"]
        made = _usable(lambda: editing.create(where, editing.meant(draft), state, self.who, given["note"]))
        return Response(_version(where, made), status=201)

    def _copied(self, of: dict[str, Any] | None) -> tuple[Config, ...]:
        if of is None:
            return ()
        self.need(Role.EDITOR, of["cluster"], of["name"])
        where = _cluster(of["cluster"])
        if of["version"]:
            return (_config(_one(where, of["name"], of["version"])),)
        return (editing.told(self.connector(Role.EDITOR, of["cluster"], of["name"])) or {},)


class ConnectorView(RoomView):
    def delete(self, request: Request, cluster: str, name: str) -> Response:
        """Its offsets stay in Kafka, its versions here."""
        editing.delete(self.connector(Role.EDITOR, cluster, name), self.who)
        return Response(status=204)


class ValidateView(RoomView):
    @extend_schema(request=NewConnector)
    def post(self, request: Request, cluster: str) -> Response:
        """What the cluster says of a config: `{"sentence", "good", "errors", "sections"}`. Nothing is changed."""
        body = NewConnector(data=request.data)
        body.is_valid(raise_exception=True)
        name = body.validated_data["name"]
        snapshot = ConnectorSnapshot.objects.select_related("cluster").filter(cluster__name=cluster, name=name).first()
        self.need(Role.EDITOR, cluster, name)
        stored = (editing.told(snapshot) or {},) if snapshot else ()
        return Response(editing.check(Draft(_cluster(cluster), _text(body.validated_data["config"]), stored)).to_json())


class Conflict(exceptions.APIException):
    status_code = 409


def _usable(act: Any) -> ConfigVersion:
    try:
        saved: ConfigVersion = act()
    except Unusable as error:
        raise exceptions.ValidationError({"detail": str(error)}) from None
    return saved


def _text(config: Any) -> str:
    if not isinstance(config, dict):
        raise exceptions.ValidationError({"detail": "A config is a JSON object"})
    return json.dumps(config)


def _seen(view: RoomView, cluster: str, name: str) -> Cluster:
    """The versions of a connector outlive it."""
    view.need(Role.VIEWER, cluster, name)
    return _cluster(cluster)


def _cluster(name: str) -> Cluster:
    found = Cluster.objects.filter(name=name).first()
    if found is None:
        raise exceptions.NotFound(f"There is no cluster {name}")
    return found


def _one(cluster: Cluster, name: str, number: int) -> ConfigVersion:
    found = versions.one(cluster, name, number)
    if found is None:
        raise exceptions.NotFound(f"There is no version {number} of {name} in cluster {cluster.name}")
    return found


def _config(version: ConfigVersion) -> dict[str, str | None]:
    try:
        return dict(versions.config(version))
    except CannotUnseal as error:
        raise Conflict(str(error)) from None


def _version(cluster: Cluster, version: ConfigVersion) -> dict[str, Any]:
    told = {"name": version.connector, "version": version.number, "at": version.at, "by": version.by, "note": version.note}
    return {**told, "config": editing.shown(cluster, _config(version))}


def _line(line: VersionLine) -> dict[str, Any]:
    changes = None if line.changes is None else [_difference(one) for one in line.changes]
    return {"version": line.number, "at": line.at, "by": line.by, "note": line.note, "changes": changes}


def _difference(one: Difference) -> dict[str, Any]:
    return {"key": one.key, "kind": one.kind, "was": one.was, "becomes": one.becomes}
