"""What there is, by method and path."""

from connect_api.openapi.operation import Operation
from connect_api.openapi.operations import cluster, connectors, control, loggers, offsets, own, plugins, tasks

ALL: dict[tuple[str, str], Operation] = {
    **cluster.OPERATIONS,
    **connectors.OPERATIONS,
    **control.OPERATIONS,
    **tasks.OPERATIONS,
    **offsets.OPERATIONS,
    **plugins.OPERATIONS,
    **loggers.OPERATIONS,
    **own.OPERATIONS,
}
