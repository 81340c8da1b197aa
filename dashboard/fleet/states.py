"""The states of connectors: the command line shows the same."""

from connect_client.states import State, connector_failed, failures, overall_state, own_state, tasks_failed

__all__ = ["State", "connector_failed", "failures", "overall_state", "own_state", "tasks_failed"]
