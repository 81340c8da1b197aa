"""Everything under `/ui/`. A connector's name goes last, because it may hold anything, slashes too."""

from django.urls import path, re_path

from dashboard.views import connector, fleet, live, session, workers

urlpatterns = [
    path("", fleet.fleet, name="fleet"),
    path("restart-failed", fleet.restart_failed, name="restart-failed"),
    path("workers/", workers.workers, name="workers"),
    path("live", live.live, name="live"),
    path("login", session.login, name="login"),
    path("logout", session.logout, name="logout"),
    path("clusters/<slug:cluster>/connectors/<path:name>", connector.connector, name="connector"),
    path("clusters/<slug:cluster>/do/<slug:verb>/<path:name>", connector.do, name="do"),
    path("clusters/<slug:cluster>/restart-task/<int:task>/<path:name>", connector.restart_task, name="restart-task"),
    re_path("", fleet.nothing_here),
]
