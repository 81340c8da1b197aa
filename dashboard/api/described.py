"""`/api/v1/openapi.json`: what is here. For everybody, as it tells of no cluster and of nobody."""

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from dashboard.api.base import RoomView


class DescribedView(RoomView):
    permission_classes = ()

    @extend_schema(auth=[], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> HttpResponse:
        """This document."""
        from dashboard.api.openapi import as_json

        return HttpResponse(as_json(), content_type="application/json")
