"""`/api/v1/alerts`: what fires, and the rules of it. For administrators of everything."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.alerts import rules, shown
from dashboard.alerts.fields import RuleFields
from dashboard.api.base import RoomView
from dashboard.models import AlertRule
from dashboard.rights.roles import Role


class AlertsView(RoomView):
    def get(self, request: Request) -> Response:
        """`{"firing": [alert], "ended": [alert]}`, the newest first, of the ended ones as many as the page shows."""
        self.need_everywhere(Role.ADMIN)
        firing, ended = shown.lines(shown.firing_now()), shown.lines(shown.ended_lately())
        return Response({"firing": [line.as_json() for line in firing], "ended": [line.as_json() for line in ended]})


class RulesView(RoomView):
    def get(self, request: Request) -> Response:
        """By name."""
        self.need_everywhere(Role.ADMIN)
        return Response([rules.told(rule) for rule in AlertRule.objects.select_related("cluster")])

    @extend_schema(request=RuleFields, responses={201: OpenApiTypes.ANY})
    def post(self, request: Request) -> Response:
        """Adds one. 400 with a sentence for each field that is wrong; nothing is added then."""
        self.need_everywhere(Role.ADMIN)
        return Response(rules.told(rules.create(self.who, _valid(request, None))), status=201)


class _RuleView(RoomView):
    def _found(self, rule: int) -> AlertRule:
        """Raises PermissionDenied, NotFound."""
        self.need_everywhere(Role.ADMIN)
        found = AlertRule.objects.select_related("cluster").filter(pk=rule).first()
        if found is None:
            raise exceptions.NotFound(f"There is no alert rule {rule}")
        return found


class RuleView(_RuleView):
    def get(self, request: Request, rule: int) -> Response:
        """One, without its address and key."""
        return Response(rules.told(self._found(rule)))

    @extend_schema(request=RuleFields)
    def put(self, request: Request, rule: int) -> Response:
        """Whole; only an address and a key that are left out stay as they are."""
        found = self._found(rule)
        return Response(rules.told(rules.update(self.who, found, _valid(request, found))))

    def delete(self, request: Request, rule: int) -> Response:
        """Deletes it and its alerts."""
        rules.delete(self.who, self._found(rule))
        return Response(status=204)


class RuleTestView(_RuleView):
    def post(self, request: Request, rule: int) -> Response:
        """`{"taken", "answer"}`: what the receiver said to an example."""
        answer = rules.test(self.who, self._found(rule))
        return Response({"taken": answer.taken, "answer": answer.text})


def _valid(request: Request, rule: AlertRule | None) -> dict[str, Any]:
    """Raises ValidationError."""
    fields = RuleFields(rule, data=request.data)
    fields.is_valid(raise_exception=True)
    valid: dict[str, Any] = fields.validated_data
    return valid
