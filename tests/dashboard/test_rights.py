"""Who may do what: the decision by a table, and where it is looked up."""

import pytest
from django.contrib.auth.models import AnonymousUser, User

from dashboard import rights
from dashboard.models import Cluster, Grant
from dashboard.rights.roles import ADMIN_OF_ALL, NOTHING, Given, Rights, Role

MIXED = Rights((Given(Role.VIEWER), Given(Role.OPERATOR, "eu"), Given(Role.EDITOR, "eu", "orders-*")))


@pytest.mark.parametrize(
    ("has", "cluster", "connector", "role"),
    [
        (MIXED, "us", "orders-1", Role.VIEWER),
        (MIXED, "eu", "lake", Role.OPERATOR),
        (MIXED, "eu", "orders-1", Role.EDITOR),
        (MIXED, "eu", "Orders-1", Role.OPERATOR),
        (MIXED.limited(Role.OPERATOR), "eu", "orders-1", Role.OPERATOR),
        (MIXED.limited(Role.ADMIN), "eu", "orders-1", Role.EDITOR),
        (Rights((Given(Role.ADMIN, "eu"),)), "us", "lake", None),
        (NOTHING, "eu", "lake", None),
        (ADMIN_OF_ALL, "eu", "lake", Role.ADMIN),
    ],
)
def test_the_highest_role_counts_up_to_the_limit(has: Rights, cluster: str, connector: str, role: Role | None) -> None:
    assert has.role(cluster, connector) == role
    assert has.may(Role.VIEWER, cluster, connector) == (role is not None)


def test_what_is_no_connector_s_needs_a_role_for_all_of_them() -> None:
    assert not Rights((Given(Role.ADMIN, "eu"), Given(Role.ADMIN, None, "a*"))).everywhere(Role.OPERATOR)
    assert ADMIN_OF_ALL.everywhere(Role.ADMIN)
    assert not ADMIN_OF_ALL.limited(Role.EDITOR).everywhere(Role.ADMIN)
    assert MIXED.anywhere(Role.EDITOR)
    assert not MIXED.anywhere(Role.ADMIN)


def test_rights_of_users(db: None) -> None:
    eu = Cluster.objects.create(name="eu", urls=["http://eu"])
    user = User.objects.create_user("ann")
    assert rights.of_user(user) == NOTHING
    Grant.objects.create(user=user, role=Role.OPERATOR, cluster=eu, pattern="orders-*")
    Grant.objects.create(user=user, role=Role.VIEWER)
    assert rights.of_user(user).role("eu", "orders-1") is Role.OPERATOR
    assert rights.of_user(user).role("us", "orders-1") is Role.VIEWER
    user.is_active = False
    assert rights.of_user(user) == NOTHING
    assert rights.of_user(User.objects.create_superuser("root")) == ADMIN_OF_ALL
    assert rights.of_user(AnonymousUser()) == NOTHING
