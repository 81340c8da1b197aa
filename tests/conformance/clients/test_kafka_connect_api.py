"""kafka-connect-api (PyPI): its objects Cluster, Connector and Task, as its documentation uses them."""

import json

from tests.conformance.clients.conftest import Command
from tests.conformance.cluster import Cluster
from tests.conformance.conftest import SOURCE, Connectors
from tests.waiting import eventually

BEGIN = """
import json, sys
from kafka_connect_api.kafka_connect_api import Api, Cluster, Connector
from kafka_connect_api.errors import GenericNotFound
cluster = Cluster(Api(url=sys.argv[1]))
connector = Connector(cluster, sys.argv[2]) if len(sys.argv) > 2 else None
"""


def test_the_cluster(cluster: Cluster, connectors: Connectors, python_client: Command) -> None:
    name = connectors.source()
    found = python_client(BEGIN + "print(json.dumps([cluster.version, cluster.kafka_cluster, list(cluster.connectors)]))").json
    about = cluster.request("GET", "/").json()
    assert found[:2] == [about["version"], about["kafka_cluster_id"]]
    assert name in found[2]


def test_a_connector_and_its_tasks(cluster: Cluster, connectors: Connectors, python_client: Command) -> None:
    name = connectors.source()
    code = "tasks = [[task.id, task.config, task.status, task.is_running()] for task in connector.tasks]\n"
    code += "print(json.dumps([connector.exists(), connector.state, connector.connector_class, connector.config, tasks]))"
    exists, state, connector_class, config, tasks = python_client(BEGIN + code, name).json
    assert (exists, state, connector_class, config) == (True, "RUNNING", SOURCE, connectors.source_config(name))
    task = cluster.request("GET", f"/connectors/{name}/tasks").json()[0]["config"]
    assert tasks == [[0, task, cluster.request("GET", f"/connectors/{name}/tasks/0/status").json(), True]]


def test_a_config_creates_and_changes(cluster: Cluster, connectors: Connectors, python_client: Command) -> None:
    name = connectors.name()
    for size in ("10", "20"):
        config = {**connectors.source_config(name), "batch.size": size}
        ended = python_client(BEGIN + "connector.config = json.loads(sys.argv[3])", name, json.dumps(config))
        assert (ended.exit_code, ended.out) == (0, "")
        assert cluster.request("GET", f"/connectors/{name}/config").json() == config
    cluster.wait_for(name, "RUNNING", "RUNNING")


def test_pause_and_resume(cluster: Cluster, connectors: Connectors, python_client: Command) -> None:
    name = connectors.source()
    assert python_client(BEGIN + "connector.pause()", name).exit_code == 0
    cluster.wait_for(name, "PAUSED", "PAUSED")
    assert python_client(BEGIN + "connector.resume()", name).exit_code == 0
    cluster.wait_for(name, "RUNNING", "RUNNING")


def test_restart(cluster: Cluster, connectors: Connectors, python_client: Command) -> None:
    name = connectors.source()
    watch = cluster.watch(name)
    assert python_client(BEGIN + "connector.restart()", name).exit_code == 0
    watch.expect_started_anew("connector", "RUNNING")


def test_restart_of_all_tasks(cluster: Cluster, connectors: Connectors, python_client: Command) -> None:
    name = connectors.sink(tasks=2, failed=2)
    connectors.mend(name)
    assert python_client(BEGIN + "connector.restart_all_tasks()", name).exit_code == 0
    cluster.wait_for(name, "RUNNING", "RUNNING", "RUNNING")


def test_cycle(cluster: Cluster, connectors: Connectors, python_client: Command) -> None:
    """Pause, restart of each task, resume, without a wait in between."""
    name = connectors.sink(tasks=1, failed=1)
    connectors.mend(name)
    ended = python_client(BEGIN + "connector.cycle_connector()", name)
    assert ended.exit_code == 0, ended
    cluster.wait_for(name, "RUNNING", "RUNNING")


def test_delete(cluster: Cluster, connectors: Connectors, python_client: Command) -> None:
    name = connectors.source()
    assert python_client(BEGIN + "connector.delete()", name).exit_code == 0
    eventually(lambda: cluster.request("GET", f"/connectors/{name}").status_code == 404)


def test_what_is_not_there(python_client: Command) -> None:
    code = """
try:
    connector.delete()
except GenericNotFound as error:
    print(json.dumps([error.code, error.details]))
"""
    missing = "no-such-connector"
    assert python_client(BEGIN + code, missing).json == [404, [{"error_code": 404, "message": f"Connector {missing} not found"}]]


def test_levels_of_loggers(python_client: Command) -> None:
    """Of the root logger and of another one; afterwards they are what they were."""
    code = """
def level(name):
    return cluster.loggers[name]["level"]

def changed(name, put):
    before = level(name)
    put("ERROR" if before != "ERROR" else "WARN")
    between = level(name)
    put(before)
    return [before, between, level(name)]

other = max(name for name in cluster.loggers if name != "root")
print(json.dumps([
    changed("root", lambda to: setattr(cluster, "root_logger", to)),
    changed(other, lambda to: cluster.set_logger_log_level(other, to)),
]))
"""
    for before, between, after in python_client(BEGIN + code).json:
        assert between in ("ERROR", "WARN")
        assert before == after != between
