"""Who may use what: a row for every address of the control room and every method of it. Not a test module.

A new view has its row here, or `test_access` fails: it says which role the view is to need, and where.
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from dashboard.rights.roles import Role


class Where(Enum):
    """Where a role has to be had."""

    #: Nowhere: whoever has not signed in needs it to sign in.
    OPEN = "open"
    #: Nowhere, but signed in.
    SIGNED_IN = "signed in"
    #: For the connector that the address names. For any other it is 404.
    CONNECTOR = "connector"
    #: For what is one's own; administrators for everybody's. 404 for the rest.
    OWN = "own"
    #: For at least one connector: the view sees to the rest, connector by connector.
    ANYWHERE = "anywhere"
    #: For every connector of every cluster.
    EVERYWHERE = "everywhere"


@dataclass(frozen=True)
class Row:
    where: Where
    role: Role = Role.VIEWER
    #: What the address names besides `cluster` and `name`: things that the tests have made.
    names: dict[str, Any] = field(default_factory=dict)
    #: What is sent, so that the view gets as far as it can.
    body: dict[str, Any] = field(default_factory=dict)


def connector(role: Role, **names: Any) -> Row:
    return Row(Where.CONNECTOR, role, names)


def everywhere(role: Role, **names: Any) -> Row:
    return Row(Where.EVERYWHERE, role, names)


def anywhere(role: Role, **names: Any) -> Row:
    return Row(Where.ANYWHERE, role, names)


def signed_in(**names: Any) -> Row:
    return Row(Where.SIGNED_IN, Role.VIEWER, names)


def own(**names: Any) -> Row:
    return Row(Where.OWN, Role.VIEWER, names)


OPEN = Row(Where.OPEN)

#: By the name of the address in `dashboard.urls`, and method. HEAD is GET.
PAGES: dict[tuple[str, str], Row] = {
    ("fleet", "GET"): signed_in(),
    ("activity", "GET"): signed_in(),
    ("activity-file", "GET"): signed_in(kind="csv"),
    ("failures", "GET"): signed_in(),
    ("jobs", "GET"): signed_in(),
    ("jobs", "POST"): Row(Where.ANYWHERE, Role.OPERATOR, body={"verb": "restart", "ids": "1,2"}),
    ("job-selection", "POST"): signed_in(),
    ("job-preview", "POST"): signed_in(verb="restart"),
    ("job-export-of", "POST"): signed_in(),
    ("job-export", "POST"): signed_in(),
    ("job", "GET"): signed_in(job=1),
    ("job-cancel", "POST"): anywhere(Role.OPERATOR, job=1),
    ("workers", "GET"): signed_in(),
    ("live", "GET"): signed_in(),
    ("connector", "GET"): connector(Role.VIEWER),
    ("do", "POST"): connector(Role.OPERATOR, verb="pause"),
    ("restart-task", "POST"): connector(Role.OPERATOR, task=0),
    ("offsets", "GET"): connector(Role.VIEWER),
    ("offsets", "POST"): connector(Role.EDITOR),
    ("put-back", "POST"): connector(Role.EDITOR, change=1),
    ("config", "GET"): connector(Role.VIEWER),
    ("config", "POST"): connector(Role.EDITOR),
    ("delete", "POST"): connector(Role.EDITOR),
    ("check", "POST"): anywhere(Role.EDITOR),
    ("create", "GET"): anywhere(Role.EDITOR),
    ("create", "POST"): anywhere(Role.EDITOR),
    ("plugins", "GET"): signed_in(),
    ("refresh-plugins", "POST"): signed_in(),
    ("plugin", "GET"): signed_in(plugin="org.x.Sink"),
    ("ask-plugin", "POST"): signed_in(plugin="org.x.Sink"),
    ("move-to", "GET"): connector(Role.EDITOR),
    ("move-to", "POST"): connector(Role.EDITOR),
    ("resources", "GET"): signed_in(),
    ("resource-new", "GET"): anywhere(Role.EDITOR),
    ("resource-new", "POST"): anywhere(Role.EDITOR),
    ("resource", "GET"): connector(Role.VIEWER, kind="kafkaconnector"),
    ("resource", "POST"): connector(Role.EDITOR, kind="kafkaconnector"),
    ("resource-annotate", "POST"): connector(Role.OPERATOR, kind="kafkaconnector"),
    ("resource-delete", "POST"): connector(Role.EDITOR, kind="kafkaconnector"),
    ("moves", "GET"): signed_in(),
    ("move", "GET"): signed_in(move=1),
    ("move-cancel", "POST"): anywhere(Role.EDITOR, move=1),
    ("move-undo", "POST"): anywhere(Role.EDITOR, move=1),
    ("settings", "GET"): signed_in(),
    ("account", "GET"): signed_in(),
    ("settings-clusters", "GET"): everywhere(Role.ADMIN),
    ("settings-cluster-add", "GET"): everywhere(Role.ADMIN),
    ("settings-cluster-add", "POST"): everywhere(Role.ADMIN),
    ("settings-cluster-try", "POST"): everywhere(Role.ADMIN),
    ("settings-cluster", "GET"): everywhere(Role.ADMIN),
    ("settings-cluster", "POST"): everywhere(Role.ADMIN),
    ("settings-cluster-remove", "POST"): everywhere(Role.ADMIN),
    ("password", "POST"): signed_in(),
    ("tokens", "GET"): signed_in(),
    ("tokens", "POST"): Row(Where.SIGNED_IN, body={"name": "ci", "role": "VIEWER", "days": "30"}),
    ("revoke-token", "POST"): own(token=1),
    ("people", "GET"): everywhere(Role.ADMIN),
    ("people", "POST"): everywhere(Role.ADMIN),
    ("matches", "GET"): everywhere(Role.ADMIN),
    ("person", "GET"): everywhere(Role.ADMIN, user=1),
    ("give-role", "POST"): Row(Where.EVERYWHERE, Role.ADMIN, {"user": 1}, {"role": "VIEWER", "pattern": "*"}),
    ("person-do", "POST"): everywhere(Role.ADMIN, user=1, deed="invite"),
    ("take-role", "POST"): everywhere(Role.ADMIN, grant=1),
    ("setup", "GET"): OPEN,
    ("setup", "POST"): OPEN,
    ("welcome", "GET"): Row(Where.OPEN, names={"key": "MQ", "token": "x"}),
    ("welcome", "POST"): Row(Where.OPEN, names={"key": "MQ", "token": "x"}),
    ("alerts", "GET"): everywhere(Role.ADMIN),
    ("alert-rule-add", "GET"): everywhere(Role.ADMIN),
    ("alert-rule-add", "POST"): everywhere(Role.ADMIN),
    ("alert-rule", "GET"): everywhere(Role.ADMIN, rule=1),
    ("alert-rule", "POST"): everywhere(Role.ADMIN, rule=1),
    ("alert-rule-do", "POST"): everywhere(Role.ADMIN, rule=1, deed="off"),
    ("restart-policies", "GET"): everywhere(Role.ADMIN),
    ("restart-policy-add", "GET"): everywhere(Role.ADMIN),
    ("restart-policy-add", "POST"): everywhere(Role.ADMIN),
    ("restart-policy", "GET"): everywhere(Role.ADMIN, policy=1),
    ("restart-policy", "POST"): everywhere(Role.ADMIN, policy=1),
    ("restart-policy-do", "POST"): everywhere(Role.ADMIN, policy=1, deed="off"),
    ("auto-restart", "POST"): connector(Role.OPERATOR, deed="off"),
    ("loggers", "GET"): everywhere(Role.ADMIN),
    ("loggers", "POST"): everywhere(Role.ADMIN),
    ("login", "GET"): OPEN,
    ("login", "POST"): OPEN,
    ("logout", "POST"): signed_in(),
}

#: By path in `dashboard.api.urls`, and method.
API: dict[tuple[str, str], Row] = {
    ("connectors/<slug:cluster>/<name:name>/history", "GET"): connector(Role.VIEWER),
    ("failures", "GET"): signed_in(),
    ("clusters", "GET"): signed_in(),
    ("clusters", "POST"): everywhere(Role.ADMIN),
    ("clusters/<slug:cluster>", "GET"): signed_in(),
    ("clusters/<slug:cluster>", "PUT"): everywhere(Role.ADMIN),
    # Whoever may is told that this one stays: the world is needed again.
    ("clusters/<slug:cluster>", "DELETE"): everywhere(Role.ADMIN, cluster="local"),
    ("clusters/<slug:cluster>/try", "POST"): everywhere(Role.ADMIN),
    ("fleet", "GET"): signed_in(),
    ("connectors/<slug:cluster>", "POST"): Row(Where.ANYWHERE, Role.EDITOR, body={"name": "orders-9", "config": {}}),
    ("connectors/<slug:cluster>/<segment:name>", "DELETE"): connector(Role.EDITOR),
    ("connectors/<slug:cluster>/<name:name>/config", "GET"): connector(Role.VIEWER),
    ("connectors/<slug:cluster>/<name:name>/config", "PUT"): connector(Role.EDITOR),
    ("connectors/<slug:cluster>/<name:name>/versions", "GET"): connector(Role.VIEWER),
    ("connectors/<slug:cluster>/<name:name>/versions/<int:number>", "GET"): connector(Role.VIEWER, number=1),
    ("connectors/<slug:cluster>/<name:name>/rollback", "POST"): connector(Role.EDITOR),
    ("connectors/<slug:cluster>/<name:name>/offsets", "GET"): connector(Role.VIEWER),
    ("connectors/<slug:cluster>/<name:name>/offsets", "PATCH"): connector(Role.EDITOR),
    ("connectors/<slug:cluster>/<name:name>/offsets", "DELETE"): connector(Role.EDITOR),
    ("connectors/<slug:cluster>/<name:name>/offset-changes", "GET"): connector(Role.VIEWER),
    ("connectors/<slug:cluster>/<name:name>/offset-changes/<int:change>/put-back", "POST"): connector(Role.EDITOR, change=1),
    ("plugins", "GET"): signed_in(),
    ("plugins/<slug:cluster>/validate", "POST"): Row(Where.ANYWHERE, Role.EDITOR, body={"name": "orders-9", "config": {}}),
    ("plugins/<slug:cluster>/<str:plugin>", "GET"): signed_in(plugin="org.x.Sink"),
    ("alerts", "GET"): everywhere(Role.ADMIN),
    ("alerts/rules", "GET"): everywhere(Role.ADMIN),
    ("alerts/rules", "POST"): everywhere(Role.ADMIN),
    ("alerts/rules/<int:rule>", "GET"): everywhere(Role.ADMIN, rule=1),
    ("alerts/rules/<int:rule>", "PUT"): everywhere(Role.ADMIN, rule=1),
    ("alerts/rules/<int:rule>", "DELETE"): everywhere(Role.ADMIN, rule=1),
    ("alerts/rules/<int:rule>/test", "POST"): everywhere(Role.ADMIN, rule=1),
    ("restart-policies", "GET"): everywhere(Role.ADMIN),
    ("restart-policies", "POST"): everywhere(Role.ADMIN),
    ("restart-policies/order", "PUT"): everywhere(Role.ADMIN),
    ("restart-policies/<int:policy>", "GET"): everywhere(Role.ADMIN, policy=1),
    ("restart-policies/<int:policy>", "PUT"): everywhere(Role.ADMIN, policy=1),
    ("restart-policies/<int:policy>", "DELETE"): everywhere(Role.ADMIN, policy=1),
    ("connectors/<slug:cluster>/<name:name>/auto-restart", "GET"): connector(Role.VIEWER),
    ("connectors/<slug:cluster>/<name:name>/auto-restart", "PUT"): connector(Role.OPERATOR),
    ("clusters/<slug:cluster>/loggers", "GET"): everywhere(Role.ADMIN),
    ("clusters/<slug:cluster>/loggers", "PUT"): everywhere(Role.ADMIN),
    ("me", "GET"): signed_in(),
    ("moves", "GET"): signed_in(),
    ("moves", "POST"): anywhere(Role.EDITOR),
    ("moves/<int:move>", "GET"): signed_in(move=1),
    ("moves/<int:move>/cancel", "POST"): anywhere(Role.EDITOR, move=1),
    ("moves/<int:move>/undo", "POST"): anywhere(Role.EDITOR, move=1),
    ("connectors/<slug:cluster>/<name:name>/metrics", "GET"): connector(Role.VIEWER),
    ("jobs", "GET"): signed_in(),
    ("jobs", "POST"): Row(Where.ANYWHERE, Role.OPERATOR, body={"verb": "restart", "filter": ""}),
    ("jobs/<int:job>", "GET"): signed_in(job=1),
    ("jobs/<int:job>/cancel", "POST"): anywhere(Role.OPERATOR, job=1),
    ("exports", "POST"): Row(Where.SIGNED_IN, body={"filter": ""}),
    ("activity", "GET"): signed_in(),
    ("activity/<slug:kind>", "GET"): signed_in(kind="csv"),
    ("resources", "GET"): signed_in(),
    ("resources/metrics", "GET"): signed_in(),
    ("resources/<slug:kind>/<name:name>", "GET"): connector(Role.VIEWER, kind="kafkaconnector"),
    ("resources/<slug:kind>/<name:name>", "PUT"): connector(Role.EDITOR, kind="kafkaconnector"),
    ("resources/<slug:kind>/<name:name>", "DELETE"): connector(Role.EDITOR, kind="kafkaconnector"),
    ("resources/<slug:kind>/<name:name>/annotations", "PATCH"): connector(Role.OPERATOR, kind="kafkaconnector"),
    ("grants", "GET"): everywhere(Role.ADMIN),
    ("grants", "POST"): Row(Where.EVERYWHERE, Role.ADMIN, body={"user": "somebody", "role": "editor"}),
    ("grants/matches", "GET"): everywhere(Role.ADMIN),
    ("grants/<int:grant>", "DELETE"): everywhere(Role.ADMIN, grant=1),
    ("openapi.json", "GET"): OPEN,
    ("tokens", "GET"): signed_in(),
    ("tokens", "POST"): Row(Where.SIGNED_IN, body={"name": "ci", "role": "viewer"}),
    ("tokens/<int:token>", "DELETE"): own(token=1),
    ("users", "GET"): everywhere(Role.ADMIN),
    ("users", "POST"): Row(Where.EVERYWHERE, Role.ADMIN, body={"name": "new"}),
    ("users/<str:name>", "GET"): everywhere(Role.ADMIN, name="somebody"),
    ("users/<str:name>", "PATCH"): everywhere(Role.ADMIN, name="somebody"),
    ("users/<str:name>/reset-password", "POST"): everywhere(Role.ADMIN, name="somebody"),
}
