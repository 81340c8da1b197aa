"""What is read from a version, and what follows from it."""

import pytest

from connect_client import calls
from connect_client.features import SINCE, Feature, Release, is_drover, lacking, release, supports
from connect_client.restarts import one_by_one, with_restarting
from connect_client.shapes import ConnectorStatus, Instance


@pytest.mark.parametrize(
    ("version", "stands_for"),
    [
        ("2.8.1", (2, 8)),
        ("3.5.0", (3, 5)),
        ("4.3.0", (4, 3)),
        ("4.4.0-SNAPSHOT", (4, 4)),
        ("3.5.0.redhat-00001", (3, 5)),
        ("0.11.0.3", (0, 11)),
        ("10.0", (10, 0)),
        # Confluent's.
        ("5.3.1-ccs", (2, 3)),
        ("5.5.15-ce", (2, 5)),
        ("6.0.0-ccs", (2, 6)),
        ("6.2.1-ce", (2, 8)),
        ("7.0.1-ccs", (3, 0)),
        ("7.6.0-ccs", (3, 6)),
        ("7.9.2-ce", (3, 9)),
        ("8.1.0-ccs", (4, 1)),
        ("4.1.0-ccs", (2, 0)),
        # Nothing that is known.
        ("", None),
        ("unknown", None),
        ("master", None),
        # Drover's own.
        ("0.1.0", None),
        ("0.1.0.dev3", None),
    ],
)
def test_the_release_that_a_version_stands_for(version: str, stands_for: Release | None) -> None:
    assert release(version) == stands_for


@pytest.mark.parametrize(
    ("version", "its"), [("0.1.0", True), ("0.12", True), ("0.11.0.3", False), ("3.0.0", False), ("", False)]
)
def test_drover_is_told_from_kafka_of_long_ago(version: str, its: bool) -> None:
    assert is_drover(version) is its


ORDER = sorted(SINCE, key=lambda feature: SINCE[feature])


@pytest.mark.parametrize(
    ("version", "newest"),
    [
        ("2.3.0", Feature.EXPAND),
        ("2.8.1", Feature.TOPICS),
        ("3.0.0", Feature.RESTART_IN_ONE_CALL),
        ("3.4.1", Feature.PLUGIN_CONFIGS),
        ("3.5.0", Feature.OFFSETS),
        ("7.6.0-ccs", Feature.CHANGE_OFFSETS),
        ("3.7.0", Feature.CLUSTER_LOGGERS),
        ("3.8.0", Feature.PATCH_CONFIG),
        ("3.9.1", Feature.HEALTH),
        ("4.3.0", Feature.PLUGIN_VERSIONS),
        ("0.1.0", Feature.PLUGIN_VERSIONS),
        ("", Feature.PLUGIN_VERSIONS),
    ],
)
def test_a_cluster_has_all_that_is_not_newer_than_it(version: str, newest: Feature) -> None:
    has = [feature for feature in ORDER if supports(version, feature)]
    assert has == ORDER[: ORDER.index(newest) + 1]


def test_what_is_lacking_is_said_with_both_versions() -> None:
    assert lacking("2.8.1", Feature.STOP) == "Kafka Connect has stopping as of 3.5; this cluster is 2.8.1."
    assert lacking("3.5.0", Feature.STOP) == ""


def status(connector: str, *tasks: str) -> ConnectorStatus:
    told = [{"id": number, "state": state, "worker_id": "w"} for number, state in enumerate(tasks)]
    return ConnectorStatus.from_json({"name": "a", "connector": {"state": connector, "worker_id": "w"}, "tasks": told})


@pytest.mark.parametrize(
    ("told", "only_failed", "instances"),
    [
        (status("RUNNING", "RUNNING", "FAILED"), True, [1]),
        (status("RUNNING", "RUNNING", "FAILED"), False, [None, 0, 1]),
        (status("FAILED", "FAILED"), True, [None, 0]),
        (status("FAILED"), True, [None]),
        (status("RUNNING", "RUNNING"), True, []),
    ],
)
def test_which_instances_are_restarted_one_by_one(told: ConnectorStatus, only_failed: bool, instances: list[int | None]) -> None:
    wanted = one_by_one(told, only_failed=only_failed)
    assert wanted == [Instance("a", task) for task in instances]
    shown = with_restarting(told, wanted)
    assert [shown.connector.state == "RESTARTING", *[task.state == "RESTARTING" for task in shown.tasks]] == [
        None in instances,
        *[task.id in instances for task in told.tasks],
    ]


def test_the_connector_instance_alone_is_restarted_without_parameters() -> None:
    assert calls.restart_instance("a b").target == "/connectors/a%20b/restart"
