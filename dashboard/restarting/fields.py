"""A policy, and what is wanted of one connector, as they are typed in or sent: one description for the form, for `/api/v1/` and
for its documentation."""

from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from rest_framework import serializers

from dashboard.models import Cluster, RestartPolicy


class PolicyFields(serializers.Serializer[RestartPolicy]):
    """`instance`: the policy that is changed."""

    name = serializers.CharField(max_length=100)
    enabled = serializers.BooleanField(default=True)
    cluster = serializers.SlugRelatedField(
        slug_field="name", queryset=Cluster.objects.all(), allow_null=True, default=None, help_text="null: each"
    )
    connectors = serializers.CharField(source="pattern", max_length=300, default="*", help_text="`*` and `?` as in a shell")
    classes = serializers.CharField(
        source="class_pattern", max_length=300, default="*", help_text="whole, or without the package and `Connector`"
    )
    text = serializers.CharField(
        max_length=300, allow_blank=True, default="", help_text="part of what it failed with; empty: whatever that is"
    )
    schedule = serializers.ChoiceField(choices=RestartPolicy.Schedule.choices, default=RestartPolicy.Schedule.PROPOSAL)
    max_restarts = serializers.IntegerField(
        min_value=0, max_value=100_000, allow_null=True, default=None, help_text="null: as many as the schedule has"
    )
    quiet_from = serializers.TimeField(allow_null=True, default=None, help_text="nothing is restarted from then …")
    quiet_until = serializers.TimeField(allow_null=True, default=None, help_text="… until then, which may be the next morning")
    zone = serializers.CharField(max_length=64, default="UTC", help_text="whose clocks those are of: `Europe/Vienna`")

    def validate_name(self, name: str) -> str:
        others = RestartPolicy.objects.filter(name=name)
        if isinstance(self.instance, RestartPolicy):
            others = others.exclude(pk=self.instance.pk)
        if others.exists():
            raise serializers.ValidationError("There is a policy of this name already.")
        return name

    def validate_zone(self, zone: str) -> str:
        if zone not in available_timezones():
            raise serializers.ValidationError("This must be the name of a time zone: UTC, Europe/Vienna.")
        return ZoneInfo(zone).key

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        missing = [name for name in ("quiet_from", "quiet_until") if attrs[name] is None]
        if len(missing) == 1:
            raise serializers.ValidationError({missing[0]: "Quiet hours have a beginning and an end."})
        return attrs


class OverrideFields(serializers.Serializer[None]):
    """null: as the policies say; both null: nothing is said of this connector alone."""

    enabled = serializers.BooleanField(allow_null=True, default=None)
    max_restarts = serializers.IntegerField(min_value=0, max_value=100_000, allow_null=True, default=None)


class OrderFields(serializers.Serializer[None]):
    order = serializers.ListField(child=serializers.IntegerField(), help_text="the ids of all policies, the first counts first")
