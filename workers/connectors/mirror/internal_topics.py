"""The topics that the mirrors keep for themselves: one partition, compacted."""

import logging

from workers.connectors.mirror.cluster import Cluster

logger = logging.getLogger(__name__)


def ensure_compacted(cluster: Cluster, topic: str, replication_factor: int) -> None:
    """Makes it if it is not there. Where that is refused, as in MirrorMaker, the broker may make it when it is written to."""
    from py4j.protocol import Py4JJavaError

    try:
        if cluster.create_topic(topic, 1, replication_factor, {"cleanup.policy": "compact"}):
            logger.info("Created topic %s", topic)
    except Py4JJavaError as error:
        logger.warning("Topic %s could not be made: %s", topic, error.java_exception)
