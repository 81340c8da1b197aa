"""Rights as conditions on rows that name a cluster and a connector, for what is too much to look at row by row."""

import re

from django.db.models import Q

from dashboard.rights.roles import Rights, Role


def where(has: Rights, role: Role, *, cluster: str = "cluster__name", connector: str = "connector") -> Q:
    """Those of which `has` has the role. The names of the fields are Django's."""
    if has.everywhere(role):
        return Q()
    nothing = Q(pk__in=())
    if has.limit < role:
        return nothing
    condition = nothing
    for given in has.given:
        if given.role >= role:
            in_cluster = Q(**{cluster: given.cluster}) if given.cluster else Q()
            condition |= in_cluster & Q(**{f"{connector}__regex": expression(given.pattern)})
    return condition


def expression(pattern: str) -> str:
    """What `Given` matches, as a regular expression that Python and PostgreSQL understand alike."""
    return "^" + "".join({"*": ".*", "?": "."}.get(char) or re.escape(char) for char in pattern) + "$"
