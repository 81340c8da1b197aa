"""`/metrics`: not of Kafka Connect, whose figures are in JMX. docs/metrics.md says how they map."""

from django.http import HttpRequest, HttpResponse

from connect_api import figures
from connect_api.board import board
from connect_api.exposition import CONTENT_TYPE
from connect_api.herder import herder
from connect_api.views.base import ConnectView


class MetricsView(ConnectView):
    # Scrapers ask for formats of all ages.
    media_type = None

    def get(self, request: HttpRequest) -> HttpResponse:
        members = [worker.worker_id for worker in herder().group().workers]
        heard = dict(zip(members, board().read(members), strict=True))
        return HttpResponse(figures.text(herder().view(), heard), content_type=CONTENT_TYPE)
