"""That a move has changed, for the pages that show it."""

import orjson

from dashboard.live.publisher import publisher
from dashboard.models import Move


def tell(move: Move) -> None:
    """Two messages, as each names one connector: nobody is told of what is not to be seen."""
    for cluster, connector in ((move.source_name, move.connector), (move.target_name, move.new_name)):
        publisher().publish(orjson.dumps({"cluster": cluster, "connector": connector, "move": move.pk}))
