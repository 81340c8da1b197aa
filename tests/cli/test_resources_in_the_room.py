"""Resources through the control room's own views, and what its reconciler makes of them."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from dashboard.models import Activity, Resource
from tests.cli.conftest import Drover
from tests.dashboard.moves.conftest import Clock
from tests.dashboard.resources.conftest import Reconcile, clusters, eu, reconcile, us
from tests.dashboard.resources.paper import SPEC, Paper

__all__ = ["clusters", "eu", "reconcile", "us"]


@pytest.fixture
def clock() -> Clock:
    return Clock()


def write(folder: Path, name: str, **spec: Any) -> str:
    metadata = {"name": name, "labels": {"strimzi.io/cluster": "eu"}}
    told = {"apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaConnector", "metadata": metadata, "spec": {**SPEC, **spec}}
    (folder / f"{name.replace('/', '_')}.yaml").write_text(yaml.safe_dump(told))
    return str(folder)


def test_a_directory_of_fifty(room: Drover, tmp_path: Path, reconcile: Reconcile, eu: Paper) -> None:
    for number in range(50):
        write(tmp_path, f"c{number:02}")
    assert room("apply", "-f", str(tmp_path), "--prune", "shop", "--yes").stderr == "50 to create.\n"
    for resource in Resource.objects.all():
        reconcile(resource)
    assert len(eu.connectors) == 50
    eu.took()
    noted = Activity.objects.count()
    write(tmp_path, "c07", tasksMax=3)
    (tmp_path / "c08.yaml").unlink()
    result = room("apply", "-f", str(tmp_path), "--prune", "shop", "--yes")
    assert result.stderr == "1 to update, 1 to delete, 48 unchanged.\n"
    assert "  ~ spec.tasksMax: " in result.stdout
    assert Activity.objects.count() == noted + 2
    assert room("diff", "-f", str(tmp_path), "--prune", "shop").stderr == "49 unchanged.\n"
    for resource in Resource.objects.all():
        reconcile(resource)
    assert eu.took() == ["PUT /connectors/c07/config", "DELETE /connectors/c08"]


def test_annotations_and_lists(room: Drover, tmp_path: Path, reconcile: Reconcile, eu: Paper) -> None:
    name = "a b 100%->c"
    room("apply", "-f", write(tmp_path, name), "--yes")
    reconcile(Resource.objects.get())
    lines = room.lines("get", "resources")
    assert lines[1].startswith(f"KafkaConnector {name} eu yes RUNNING")
    assert room.lines("annotate", "KafkaConnector", name, "strimzi.io/restart=true") == [f"kafkaconnector/{name} annotated"]
    assert Resource.objects.get().annotations.get().key == "strimzi.io/restart"
    room("annotate", "KafkaConnector", name, "strimzi.io/restart-")
    room("apply", "-f", write(tmp_path, "with/slash"), "--yes")
    room("annotate", "KafkaConnector", "with/slash", "x=y")
    assert Resource.objects.get(name="with/slash").annotations.get().key == "x"
    room("delete", "-f", str(tmp_path / "with_slash.yaml"), "--yes")
    Resource.objects.get(name="with/slash").delete()
    assert not Resource.objects.get().annotations.exists()
    told = room("get", "resources", "-o", "yaml").stdout
    assert "geheim" not in told
    assert room("apply", "-f", "-", stdin=told).stderr == "1 unchanged.\n"
    assert "kafkaconnect/eu" in room.lines("get", "resources", "--kind", "kafkaconnect", "-o", "name")


def test_refusals(room: Drover, tmp_path: Path) -> None:
    write(tmp_path, "good")
    result = room("apply", "-f", write(tmp_path, "bad", config=3), "--yes", code=1)
    assert "kafkaconnector/bad: spec.config: " in result.stderr
    assert not Resource.objects.exists()
    room.refused("annotate", "cm", "nobody", "a=b", code=5)


def test_delete(room: Drover, tmp_path: Path, reconcile: Reconcile, eu: Paper) -> None:
    folder = write(tmp_path, "orders")
    room("apply", "-f", folder, "--yes")
    reconcile(Resource.objects.get())
    room("delete", "-f", folder, "--yes")
    assert "orders is not there" in room("delete", "-f", folder, "--yes").stderr
    reconcile(Resource.objects.get())
    assert eu.connectors == {}
    assert not Resource.objects.exists()
