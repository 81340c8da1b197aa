"""Everything of the control room's under `/api/v1/`; what a Drover tells of itself there is `connect_api`'s."""

from django.urls import path, register_converter

from dashboard.api import (
    activity,
    alerts,
    clusters,
    configs,
    described,
    failures,
    fleet,
    history,
    jobs,
    loggers,
    me,
    moves,
    offsets,
    people,
    plugins,
    resources,
    restarting,
    tokens,
)
from dashboard.paths import ConnectorName


class OneSegment(ConnectorName):
    """As the path came; `connectors/{name}/positions` is Drover's own."""

    regex = r"(?!positions/?$)[^/]+"


register_converter(ConnectorName, "name")
register_converter(OneSegment, "segment")

urlpatterns = [
    path("connectors/<slug:cluster>/<name:name>/history", history.HistoryView.as_view(), name="api-history"),
    path("connectors/<slug:cluster>/<name:name>/metrics", history.MetricsView.as_view(), name="api-metrics"),
    path("connectors/<slug:cluster>/<name:name>/auto-restart", restarting.AutoRestartView.as_view()),
    path("failures", failures.FailuresView.as_view()),
    path("clusters", clusters.ClustersView.as_view()),
    path("clusters/<slug:cluster>", clusters.ClusterView.as_view()),
    path("clusters/<slug:cluster>/loggers", loggers.LoggersView.as_view()),
    path("clusters/<slug:cluster>/try", clusters.ClusterTryView.as_view()),
    path("exports", jobs.ExportsView.as_view()),
    path("jobs", jobs.JobsView.as_view()),
    path("jobs/<int:job>", jobs.OneJobView.as_view()),
    path("jobs/<int:job>/cancel", jobs.CancelView.as_view()),
    path("fleet", fleet.FleetView.as_view()),
    path("connectors/<slug:cluster>", configs.ConnectorsView.as_view()),
    path("connectors/<slug:cluster>/<segment:name>", configs.ConnectorView.as_view()),
    path("connectors/<slug:cluster>/<name:name>/config", configs.ConfigView.as_view()),
    path("connectors/<slug:cluster>/<name:name>/versions", configs.VersionsView.as_view()),
    path("connectors/<slug:cluster>/<name:name>/versions/<int:number>", configs.VersionView.as_view()),
    path("connectors/<slug:cluster>/<name:name>/rollback", configs.RollbackView.as_view()),
    path("connectors/<slug:cluster>/<name:name>/offsets", offsets.OffsetsView.as_view()),
    path("connectors/<slug:cluster>/<name:name>/offset-changes", offsets.OffsetChangesView.as_view()),
    path("connectors/<slug:cluster>/<name:name>/offset-changes/<int:change>/put-back", offsets.PutBackView.as_view()),
    path("plugins", plugins.PluginsView.as_view()),
    path("plugins/<slug:cluster>/validate", configs.ValidateView.as_view()),
    path("plugins/<slug:cluster>/<str:plugin>", plugins.PluginView.as_view()),
    path("activity", activity.ActivityView.as_view()),
    path("activity/<slug:kind>", activity.ActivityFileView.as_view()),
    path("grants", people.GrantsView.as_view()),
    path("grants/matches", people.MatchesView.as_view()),
    path("grants/<int:grant>", people.GrantView.as_view()),
    path("alerts", alerts.AlertsView.as_view()),
    path("alerts/rules", alerts.RulesView.as_view()),
    path("alerts/rules/<int:rule>", alerts.RuleView.as_view()),
    path("alerts/rules/<int:rule>/test", alerts.RuleTestView.as_view()),
    path("restart-policies", restarting.PoliciesView.as_view()),
    path("restart-policies/order", restarting.OrderView.as_view()),
    path("restart-policies/<int:policy>", restarting.PolicyView.as_view()),
    path("moves", moves.MovesView.as_view()),
    path("moves/<int:move>", moves.MoveView.as_view()),
    path("moves/<int:move>/cancel", moves.CancelView.as_view()),
    path("moves/<int:move>/undo", moves.UndoView.as_view()),
    path("resources", resources.ResourcesView.as_view()),
    path("resources/metrics", resources.ResourceGaugesView.as_view()),
    path("resources/<slug:kind>/<name:name>/annotations", resources.AnnotationsView.as_view()),
    path("resources/<slug:kind>/<name:name>", resources.ResourceView.as_view()),
    path("me", me.MeView.as_view()),
    path("openapi.json", described.DescribedView.as_view()),
    path("tokens", tokens.TokensView.as_view()),
    path("tokens/<int:token>", tokens.TokenView.as_view()),
    path("users", people.UsersView.as_view()),
    path("users/<str:name>", people.UserView.as_view()),
    path("users/<str:name>/reset-password", people.ResetView.as_view()),
]
