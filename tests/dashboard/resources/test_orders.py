"""What annotations ask for: Strimzi's tables of values."""

import pytest

from dashboard.resources import orders
from dashboard.resources.orders import ManageOffsets, Order, Restart, RestartTask
from dashboard.resources.spec import Remark

A, B = "a->b.MirrorSourceConnector", "a->b.MirrorCheckpointConnector"
BAD = Remark("RestartConnector", "Invalid annotation format")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("true", Restart()),
        (" true ", Restart()),
        ("includeTasks,onlyFailed", Restart(True, True)),
        ("onlyFailed,includeTasks", Restart(True, True)),
        (" includeTasks , onlyFailed ", Restart(True, True)),
        ("includeTasks", Restart(True, False)),
        (" includeTasks", Restart(True, False)),
        ("onlyFailed", Restart(False, True)),
        ("onlyFailed ", Restart(False, True)),
        # Strimzi takes this one, and restarts neither.
        ("INCLUDETASKS", Restart(True, False)),
        ("false", None),
        ("False", None),
        ("", None),
        ("    ", None),
        ("true,includeTasks,onlyFailed", BAD),
        ("true,onlyFailed", BAD),
        ("true,invalidArg,onlyFailed", BAD),
        ("invalidArg,onlyFailed", BAD),
        ("includeTasks,invalidArg", BAD),
        ("includeTasks,", BAD),
        ("   b  ", BAD),
        # Proposal 111 promises this; Strimzi says nothing.
        ("false,includeTasks,onlyFailed", BAD),
    ],
)
def test_values_of_restart(value: str, expected: Restart | Remark | None) -> None:
    assert orders.restart(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (A, Restart()),
        (f"{A} ", Restart()),
        (f"{A}:includeTasks,onlyFailed", Restart(True, True)),
        (f"{A}:onlyFailed,includeTasks", Restart(True, True)),
        (f"{A}:includeTasks", Restart(True, False)),
        (f"{A}:onlyFailed", Restart(False, True)),
        (f"{A}: onlyFailed", Restart(False, True)),
        (f"{A}:", BAD),
        (f"{A}:true", BAD),
        (f"{A}:includeTasks,other", BAD),
        (f" {A}", BAD),
        (f" {A}:includeTasks", BAD),
        ("b", None),
        (B, None),
        (f"x{A}", None),
        (f"{A}2", None),
    ],
)
def test_values_of_restart_connector(value: str, expected: Restart | Remark | None) -> None:
    assert orders.mirror_restart(value, A) == expected


def read(**annotations: str) -> orders.Orders:
    given = {f"strimzi.io/{key.replace('_', '-')}": value for key, value in annotations.items()}
    return orders.read("kafkaconnector", given, ["orders"])


def read_mirror(**annotations: str) -> orders.Orders:
    given = {f"strimzi.io/{key.replace('_', '-')}": value for key, value in annotations.items()}
    return orders.read("kafkamirrormaker2", given, [A, B])


def test_all_at_once_are_in_order() -> None:
    found = read(restart="true", restart_task="3", connector_offsets="list", other="x")
    assert found.remarks == ()
    assert found.orders == (
        Order("orders", ManageOffsets("list"), (orders.OFFSETS,)),
        Order("orders", Restart(), (orders.RESTART,)),
        Order("orders", RestartTask(3), (orders.RESTART_TASK,)),
    )


@pytest.mark.parametrize(
    ("annotations", "reason"),
    [
        ({"restart": "x"}, "RestartConnector"),
        ({"restart_task": "one"}, "RestartConnectorTask"),
        ({"restart_task": "-1"}, "RestartConnectorTask"),
        ({"restart_task": "²"}, "RestartConnectorTask"),
        ({"connector_offsets": "drop"}, "ManageOffsets"),
    ],
)
def test_what_is_not_understood_is_said(annotations: dict[str, str], reason: str) -> None:
    found = read(**annotations)
    assert found.orders == ()
    assert [one.reason for one in found.remarks] == [reason]


def test_nothing_is_asked_for() -> None:
    assert read(connector_offsets="none", restart="false") == orders.Orders()


def test_a_mirrors_connectors_are_named() -> None:
    found = read_mirror(restart_connector=f"{B}:onlyFailed", restart_connector_task=f"{A}:2")
    assert found.orders == (
        Order(B, Restart(False, True), (orders.RESTART_CONNECTOR,)),
        Order(A, RestartTask(2), (orders.RESTART_CONNECTOR_TASK,)),
    )


def test_the_proposals_own_keys() -> None:
    assert read_mirror(restart=A, restart_task=f"{A}:2").orders == (
        Order(A, Restart(), (orders.RESTART,)),
        Order(A, RestartTask(2), (orders.RESTART_TASK,)),
    )


@pytest.mark.parametrize(
    ("annotations", "told"),
    [
        ({"restart_connector": "b"}, "strimzi.io/restart-connector names no connector of this resource: b"),
        ({"restart_connector_task": A}, "Invalid annotation format: strimzi.io/restart-connector-task has to be"),
        ({"restart_connector_task": "b:1"}, "strimzi.io/restart-connector-task names no connector of this resource: b:1"),
        (
            {"connector_offsets": "list"},
            "Annotation strimzi.io/connector-offsets is missing annotation strimzi.io/mirrormaker-conn",
        ),
        (
            {"mirrormaker_connector": A},
            "Annotation strimzi.io/mirrormaker-connector is missing annotation strimzi.io/connector-of",
        ),
        ({"connector_offsets": "list", "mirrormaker_connector": "b"}, "There is no connector b in this resource"),
    ],
)
def test_a_mirrors_annotations_that_are_about_nothing(annotations: dict[str, str], told: str) -> None:
    found = read_mirror(**annotations)
    assert found.orders == ()
    assert [one.message.startswith(told) for one in found.remarks] == [True], found.remarks


@pytest.mark.parametrize("name", [A, B])
def test_offsets_of_one_of_a_mirrors_connectors(name: str) -> None:
    expected = Order(name, ManageOffsets("list"), (orders.OFFSETS, orders.MIRROR_CONNECTOR))
    assert read_mirror(connector_offsets="list", mirrormaker_connector=name).orders == (expected,)


@pytest.mark.parametrize(("value", "paused"), [("true", True), ("True", True), ("false", False), ("", False)])
def test_pausing(value: str, paused: bool) -> None:
    assert orders.is_paused({orders.PAUSE: value}) is paused
