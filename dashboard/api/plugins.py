"""`/api/v1/plugins`: what plug-ins there are, and what each can be told."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard import plugin_pages, plugins
from dashboard.api.base import RoomView
from dashboard.clusters import client
from dashboard.models import PluginSnapshot


class PluginsView(RoomView):
    def get(self, request: Request) -> Response:
        """`{"plugins": [{"class", "type", "clusters": [{"cluster", "versions"}], "connectors"}], "told": [{"cluster", "at"}]}`;
        `?find=` looks for a text in the classes."""
        page = plugin_pages.all_plugins(self.rights, datetime.now(UTC), request.query_params.get("find", ""))
        rows = [
            {
                "class": row.class_name,
                "type": row.type,
                "clusters": [{"cluster": place.cluster, "versions": place.versions} for place in row.here],
                "connectors": row.used,
            }
            for row in page.rows
        ]
        return Response({"plugins": rows, "told": [{"cluster": told.cluster.name, "at": told.at} for told in page.told]})


class PluginView(RoomView):
    def get(self, request: Request, cluster: str, plugin: str) -> Response:
        """One of a cluster's, with the keys of its config; asked of the cluster, if nobody has yet."""
        rows = PluginSnapshot.objects.select_related("cluster").filter(cluster__name=cluster, class_name=plugin)
        found = rows.order_by("version").last()
        if found is None or not self.rights.sees(cluster):
            raise exceptions.NotFound(f"Cluster {cluster} has no plug-in {plugin}")
        if found.definitions is None:
            plugins.define(found, client(found.cluster))
        keys: list[dict[str, Any]] = [asdict(key) for key in plugins.defined(found)]
        told = {"class": found.class_name, "type": found.type, "version": found.version, "told_at": found.told_at}
        return Response({**told, "keys": keys})
