"""Roles, and where somebody has them: decisions over values."""

from dataclasses import dataclass, replace
from enum import IntEnum
from fnmatch import fnmatchcase


class Role(IntEnum):
    """Each may what the ones before it may."""

    # Looks.
    VIEWER = 1
    # Restarts, pauses, resumes, stops.
    OPERATOR = 2
    # Creates, changes and deletes connectors; changes offsets.
    EDITOR = 3
    # Clusters, users, log levels; everything.
    ADMIN = 4


@dataclass(frozen=True, slots=True)
class Given:
    """`cluster` None: in every one. `pattern`: of the names of connectors, `*` and `?` as in a shell."""

    role: Role
    cluster: str | None = None
    pattern: str = "*"

    def covers(self, cluster: str, connector: str) -> bool:
        # Sets, as in `[a-z]`, are none of it: a bracket means itself.
        return self.cluster in (None, cluster) and fnmatchcase(connector, self.pattern.replace("[", "[[]"))


@dataclass(frozen=True, slots=True)
class Rights:
    given: tuple[Given, ...] = ()
    # What a token was given no more than.
    limit: Role = Role.ADMIN

    def limited(self, limit: Role) -> "Rights":
        return replace(self, limit=min(limit, self.limit))

    def role(self, cluster: str, connector: str) -> Role | None:
        """The highest that is given for the connector; None: it is not even to be seen."""
        found = [given.role for given in self.given if given.covers(cluster, connector)]
        return min(max(found), self.limit) if found else None

    def may(self, role: Role, cluster: str, connector: str) -> bool:
        has = self.role(cluster, connector)
        return has is not None and has >= role

    def anywhere(self, role: Role) -> bool:
        """Whether there may be something that it is allowed for: what decides if a page or a button makes any sense."""
        return self.limit >= role and any(given.role >= role for given in self.given)

    def sees(self, cluster: str) -> bool:
        """Whether it has anything that may be seen."""
        return any(given.cluster in (None, cluster) for given in self.given)

    def everywhere(self, role: Role) -> bool:
        """For what is no connector's: clusters, users."""
        return self.limit >= role and any(
            given.role >= role and given.cluster is None and given.pattern == "*" for given in self.given
        )


NOTHING = Rights()
ADMIN_OF_ALL = Rights((Given(Role.ADMIN),))
