"""Who may do what to which connectors: `roles` decides, this looks up."""

from typing import Any

from django.contrib.auth.models import AnonymousUser, User

from dashboard.models import Grant
from dashboard.rights.roles import ADMIN_OF_ALL, NOTHING, Given, Rights, Role

__all__ = ["Rights", "Role", "of", "of_user"]


def of(request: Any) -> Rights:
    """Of whoever asks; looked up once for a request. A token's limit is put there by `dashboard.api.authentication`."""
    found: Rights | None = getattr(request, "_rights", None)
    if found is None:
        found = request._rights = of_user(request.user)
    return found


def of_user(user: User | AnonymousUser) -> Rights:
    if not user.is_authenticated or not user.is_active:
        return NOTHING
    if user.is_superuser:
        return ADMIN_OF_ALL
    rows = Grant.objects.filter(user=user).values_list("role", "cluster__name", "pattern")
    return Rights(tuple(Given(Role(role), cluster, pattern) for role, cluster, pattern in rows))
