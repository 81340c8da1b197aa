"""The levels of loggers for the whole cluster (KIP-976), and of the root logger. The rest: `answers/cases/loggers.py`."""

import uuid
from collections.abc import Iterator

import pytest

from tests.conformance.cluster import Cluster
from tests.waiting import eventually


@pytest.fixture
def name() -> str:
    return f"org.example.{uuid.uuid4().hex[:8]}"


def level(cluster: Cluster, name: str) -> str | None:
    answer = cluster.request("GET", f"/admin/loggers/{name}")
    return str(answer.json()["level"]) if answer.status_code == 200 else None


def wait_for(cluster: Cluster, name: str, wanted: str) -> None:
    def there() -> bool:
        return level(cluster, name) == wanted

    eventually(there, what=f"{name} is at {wanted}")


def test_a_level_for_the_cluster_is_a_record_that_all_follow(cluster: Cluster, name: str) -> None:
    answer = cluster.request("PUT", f"/admin/loggers/{name}?scope=cluster", {"level": "debug"})
    assert (answer.status_code, answer.content) == (204, b"")
    wait_for(cluster, name, "DEBUG")
    assert cluster.configs.records(f"logger-cluster-{name}") == [{"level": "debug"}]
    modified = cluster.request("GET", f"/admin/loggers/{name}").json()["last_modified"]
    assert cluster.request("PUT", f"/admin/loggers/{name}?scope=cluster", {"level": "DEBUG"}).status_code == 204
    cluster.barrier()
    # What it has already it is not given again.
    assert cluster.request("GET", f"/admin/loggers/{name}").json() == {"level": "DEBUG", "last_modified": modified}


def test_whoever_wrote_the_record(cluster: Cluster, name: str) -> None:
    key = f"logger-cluster-{name}"
    wrong = [{"level": "HIGH"}, {"level": 5}, {}, None]
    cluster.configs.produce(*((key, value) for value in wrong), (f"{key}.x", {"level": "TRACE"}))
    wait_for(cluster, f"{name}.x", "TRACE")
    assert level(cluster, name) is None
    cluster.configs.produce((key, {"level": "ERROR"}))
    wait_for(cluster, f"{name}.x", "ERROR")


@pytest.fixture
def quiet(cluster: Cluster) -> Iterator[None]:
    """As it was: but for the root logger, what Spark's driver logs is too much below WARN."""
    yield
    cluster.request("PUT", "/admin/loggers/root", {"level": "INFO"})
    cluster.request("PUT", "/admin/loggers/org", {"level": "WARN"})


def test_the_root_logger_is_all_of_them(cluster: Cluster, name: str, quiet: None) -> None:
    assert cluster.request("PUT", f"/admin/loggers/{name}", {"level": "DEBUG"}).json() == [name]
    changed = cluster.request("PUT", "/admin/loggers/ROOT", {"level": "error"}).json()
    assert {"root", name} <= set(changed)
    assert changed == sorted(changed)
    shown = cluster.request("GET", "/admin/loggers").json()
    assert {found["level"] for found in shown.values()} == {"ERROR"}
    assert list(shown) == sorted(shown)
    assert shown["root"]["last_modified"] == shown[name]["last_modified"] is not None
    assert level(cluster, "root") == "ERROR"


def test_one_that_is_off_is_not_in_the_list(cluster: Cluster, name: str) -> None:
    cluster.request("PUT", f"/admin/loggers/{name}", {"level": "OFF"})
    assert level(cluster, name) == "OFF"
    assert name not in cluster.request("GET", "/admin/loggers").json()


def test_the_cases_loggers_are_of_the_jvm(cluster: Cluster) -> None:
    """Kafka's own clients log in both."""
    changed = cluster.request("PUT", "/admin/loggers/org.apache.kafka.common", {"level": "ERROR"}).json()
    assert "org.apache.kafka.common" in changed
    assert any(found.startswith("org.apache.kafka.common.") for found in changed)
    cluster.request("PUT", "/admin/loggers/org.apache.kafka.common", {"level": "WARN"})
