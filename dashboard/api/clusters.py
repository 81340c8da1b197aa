"""`/api/v1/clusters`: the clusters that the control room looks after."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, TypeVar

from django.db.models import Count
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard import cluster_actions
from dashboard.api.base import RoomView
from dashboard.cluster_actions import Unacceptable
from dashboard.models import Cluster
from dashboard.queries import cluster_view
from dashboard.registry import stored
from dashboard.registry.origin import why_fixed
from dashboard.registry.tried import Tried, remarks
from dashboard.rights import Role

T = TypeVar("T")


class ClusterWish(serializers.Serializer[Any]):
    """What a cluster is to be: all of it. What is left out is as usual, but for secrets: those are kept."""

    name = serializers.SlugField(max_length=100, help_text="cannot be changed")
    urls = serializers.ListField(child=serializers.URLField(), help_text="in the order in which they are tried")
    auth = serializers.ChoiceField(("none", "basic", "bearer"), default="none")
    username = serializers.CharField(required=False)
    secret = serializers.CharField(required=False, write_only=True, help_text="a password or a bearer token")
    authorities = serializers.CharField(required=False, help_text="PEM: who may vouch for the server, in place of the usual ones")
    certificate = serializers.CharField(required=False, help_text="PEM: what is shown to the server")
    private_key = serializers.CharField(required=False, write_only=True, help_text="PEM: its key")
    poll_seconds = serializers.FloatField(default=1.0)
    bootstrap_servers = serializers.CharField(required=False, help_text="of its Kafka")


class ClusterTold(serializers.Serializer[Any]):
    """What is known of a cluster. `settings` are for administrators: null for anybody else."""

    name = serializers.CharField()
    origin = serializers.ChoiceField(Cluster.Origin.choices)
    fixed = serializers.CharField(help_text="why it cannot be changed here; empty where it can")
    contact = serializers.ChoiceField(("live", "unreachable", "unfollowed", "awaited"))
    version = serializers.CharField()
    fetched_at = serializers.DateTimeField(allow_null=True)
    since = serializers.DateTimeField(allow_null=True, help_text="of a contact that is not live")
    error = serializers.CharField()
    connectors = serializers.IntegerField()
    settings = serializers.DictField(allow_null=True)


class TriedAnswer(serializers.Serializer[Any]):
    url = serializers.CharField()
    milliseconds = serializers.IntegerField()
    version = serializers.CharField()
    kafka_cluster_id = serializers.CharField()
    error = serializers.CharField()


class TriedAnswers(serializers.Serializer[Any]):
    addresses = TriedAnswer(many=True)
    remarks = serializers.ListField(child=serializers.CharField())


class _ClustersView(RoomView):
    def told(self, cluster: Cluster) -> dict[str, Any]:
        view = cluster_view(cluster, datetime.now(UTC))
        return {
            "name": cluster.name,
            "origin": cluster.origin,
            "fixed": why_fixed(cluster),
            "contact": view.contact.value,
            "version": view.version,
            "fetched_at": view.fetched_at,
            "since": view.since,
            "error": view.error,
            "connectors": cluster.connectors.count() if (holds := getattr(cluster, "holds", None)) is None else holds,
            "settings": stored.settings_of(cluster) if self.rights.everywhere(Role.ADMIN) else None,
        }

    def seen(self, name: str) -> Cluster:
        """Raises NotFound, also for one that the caller sees nothing of."""
        found = Cluster.objects.select_related("snapshot").filter(name=name).first() if self.rights.sees(name) else None
        if found is None:
            raise exceptions.NotFound(f"There is no cluster {name}")
        return found

    def raw(self, request: Request) -> dict[str, object]:
        """Raises ParseError."""
        if not isinstance(request.data, dict):
            raise exceptions.ParseError("The body has to be a JSON object")
        return request.data


class ClustersView(_ClustersView):
    @extend_schema(responses=ClusterTold(many=True))
    def get(self, request: Request) -> Response:
        """Those of which the caller may see something, by name."""
        every = Cluster.objects.select_related("snapshot").annotate(holds=Count("connectors")).order_by("name")
        return Response([self.told(cluster) for cluster in every if self.rights.sees(cluster.name)])

    @extend_schema(request=ClusterWish, responses={201: ClusterTold})
    def post(self, request: Request) -> Response:
        """Adds one. 400 with a sentence for each field that is wrong; nothing is added then."""
        self.need_everywhere(Role.ADMIN)
        cluster = _accepted(lambda: cluster_actions.add(self.raw(request), self.who))
        return Response(
            self.told(cluster), status=201, headers={"Location": request.build_absolute_uri(f"clusters/{cluster.name}")}
        )


class ClusterView(_ClustersView):
    @extend_schema(responses=ClusterTold)
    def get(self, request: Request, cluster: str) -> Response:
        """One. Its settings are told to administrators, without secrets."""
        return Response(self.told(self.seen(cluster)))

    @extend_schema(request=ClusterWish, responses=ClusterTold)
    def put(self, request: Request, cluster: str) -> Response:
        """What it is from now on, all of it; secrets that are left out are kept. 409 for one that is not changed here."""
        found = self.changeable(cluster)
        return Response(self.told(_accepted(lambda: cluster_actions.change(found, self.raw(request), self.who))))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, cluster: str) -> Response:
        """Removes it from the control room, with what is known of it. The cluster itself is not asked."""
        cluster_actions.remove(self.changeable(cluster), self.who)
        return Response(status=204)

    def changeable(self, name: str) -> Cluster:
        self.need_everywhere(Role.ADMIN)
        found = self.seen(name)
        if fixed := why_fixed(found):
            raise Fixed(fixed)
        return found


class ClusterTryView(_ClustersView):
    @extend_schema(request=ClusterWish, responses=TriedAnswers)
    def post(self, request: Request, cluster: str) -> Response:
        """Asks each address who it is, for 5 s at most, and saves nothing: with a body as that says, `cluster` need not be there;
        without one as it is."""
        self.need_everywhere(Role.ADMIN)
        found = Cluster.objects.filter(name=cluster).first()
        raw = self.raw(request)
        if not raw:
            tried = cluster_actions.try_cluster(self.seen(cluster))
        elif found and why_fixed(found):
            raise Fixed(why_fixed(found))
        else:
            tried = cluster_actions.try_wish(_accepted(lambda: cluster_actions.wanted({"name": cluster, **raw}, found)))
        return Response(_answers(tried))


class Fixed(exceptions.APIException):
    status_code = 409


def _accepted(act: Callable[[], T]) -> T:
    """Raises ValidationError."""
    try:
        return act()
    except Unacceptable as unacceptable:
        raise exceptions.ValidationError(dict(unacceptable.errors)) from unacceptable


def _answers(tried: Sequence[Tried]) -> dict[str, object]:
    return {"addresses": [asdict(one) for one in tried], "remarks": remarks(tried)}
