"""Resources, against a control room that keeps them in a dictionary."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
import yaml

from cli.commands import resources
from cli.ends import Failure
from tests.cli.conftest import Drover
from tests.cli.paper import Answer, listening

STATUS = {
    "conditions": [{"type": "Ready", "status": "True"}],
    "connectorStatus": {"connector": {"state": "RUNNING"}},
    "autoRestart": {"count": 2},
}


@dataclass
class PaperRoom:
    """`refused`: by name, what a PUT is answered with instead."""

    documents: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    refused: dict[str, Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    annotated: dict[str, Any] = field(default_factory=dict)

    def answer(self, method: str, target: str, body: Any) -> Answer:
        parts = urlsplit(target)
        path = [unquote(part) for part in parts.path.removeprefix("/api/v1/").split("/")]
        dry = parts.query == "dryRun=true"
        self.asked.append(f"{'plan' if dry else method} {'/'.join(path[1:])}".strip())
        match method, path:
            case "GET", ["me"]:
                return 200, {}
            case "GET", ["resources"]:
                kafka_connect = {"kind": "KafkaConnect", "apiVersion": "v1", "metadata": {"name": "eu"}}
                return 200, {"resources": [kafka_connect, *self.documents.values()]}
            case "PUT", ["resources", kind, name]:
                return self._put(kind, name, body, dry)
            case "DELETE", ["resources", kind, name] if (kind, name) in self.documents:
                del self.documents[kind, name]
                return 204, None
            case "PATCH", ["resources", kind, name, "annotations"] if (kind, name) in self.documents:
                self.annotated |= body
                return 200, self.documents[kind, name]
        return 404, {"error_code": 404, "message": f"There is no {target}"}

    def _put(self, kind: str, name: str, body: Any, dry: bool) -> Answer:
        if told := self.refused.get(name):
            return told[0], {"error_code": told[0], "message": told[1]}
        before = self.documents.get((kind, name))
        changes = [
            {"path": key, "before": (before or {}).get(key), "after": body.get(key)}
            for key in sorted({*body, *(before or {})})
            if (before or {}).get(key) != body.get(key)
        ]
        if dry:
            action = "create" if before is None else "update" if changes else "unchanged"
            return 200, {"action": action, "changes": changes}
        self.documents[kind, name] = body
        return 201 if before is None else 200, body

    @property
    def names(self) -> list[str]:
        return sorted("/".join(key) for key in self.documents)

    @property
    def writes(self) -> list[str]:
        return [line for line in self.asked if line.split()[0] in ("PUT", "DELETE", "PATCH")]


@pytest.fixture
def kept() -> PaperRoom:
    return PaperRoom()


@pytest.fixture
def room(kept: PaperRoom, env: dict[str, str]) -> Iterator[Drover]:
    with listening(kept.answer) as url:
        yield Drover(("--url", url, "--token", "t"), env)


def document(name: str, kind: str = "KafkaConnector", **spec: Any) -> dict[str, Any]:
    metadata = {"name": name, "labels": {"strimzi.io/cluster": "eu"}}
    return {"apiVersion": "kafka.strimzi.io/v1", "kind": kind, "metadata": metadata, "spec": spec or {"tasksMax": 1}}


def write(folder: Path, *documents: dict[str, Any]) -> str:
    for one in documents:
        (folder / f"{one['kind']}-{one['metadata']['name'].replace('/', '_')}.yaml").write_text(yaml.safe_dump(one))
    return str(folder)


def test_a_directory_that_is_applied_twice(room: Drover, kept: PaperRoom, tmp_path: Path) -> None:
    folder = write(tmp_path, *(document(f"c{number:02}") for number in range(49)), document("m", "ConfigMap"))
    result = room("apply", "-f", folder, "--yes")
    assert result.stderr == "50 to create.\n"
    assert result.stdout.splitlines()[-1] == "kafkaconnector/c48 created"
    # What others are made of comes first.
    assert kept.writes[0] == "PUT configmap/m"
    assert len(kept.documents) == 50
    write(tmp_path, document("c07", tasksMax=3))
    kept.asked.clear()
    result = room("apply", "-f", folder, "--yes")
    assert kept.writes == ["PUT kafkaconnector/c07"]
    assert result.stdout.splitlines() == [
        "update kafkaconnector/c07",
        "  ~ spec: {'tasksMax': 1} -> {'tasksMax': 3}",
        "kafkaconnector/c07 updated",
    ]
    assert result.stderr == "1 to update, 49 unchanged.\n"
    kept.asked.clear()
    assert room("apply", "-f", folder).stderr == "50 unchanged.\n"
    assert kept.writes == []


def test_the_plan_is_asked_about(room: Drover, kept: PaperRoom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path, document("a"))
    assert "Apply this? There is nobody to ask: say --yes." in room("apply", "-f", folder, code=2).stderr

    def no(question: str, *, yes: bool) -> None:
        raise Failure("Nothing was done.")

    monkeypatch.setattr(resources, "confirmed", no)
    assert room("apply", "-f", folder, code=1).stderr.endswith("Error: Nothing was done.\n")
    assert kept.writes == []


def test_pruning_is_of_the_same_set_only(room: Drover, kept: PaperRoom, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "lake").mkdir()
    shop = write(tmp_path / "shop", document("a"), document("b"))
    room("apply", "-f", shop, "--prune", "shop", "--yes")
    room("apply", "-f", write(tmp_path / "lake", document("x")), "--prune", "lake", "--yes")
    room("apply", "-f", "-", "--yes", stdin=yaml.safe_dump(document("by-hand")))
    assert kept.documents["kafkaconnector", "a"]["metadata"]["labels"]["drover/applied-from"] == "shop"
    (tmp_path / "shop" / "KafkaConnector-a.yaml").unlink()
    assert room("diff", "-f", shop, "--prune", "shop", code=1).stdout == "delete kafkaconnector/a\n"
    result = room("apply", "-f", shop, "--prune", "shop", "--yes")
    assert (result.stdout, result.stderr) == (
        "delete kafkaconnector/a\nkafkaconnector/a deleted\n",
        "1 to delete, 1 unchanged.\n",
    )
    assert kept.names == ["kafkaconnector/b", "kafkaconnector/by-hand", "kafkaconnector/x"]
    # An empty folder is a wrong path, not a wish.
    (tmp_path / "empty").mkdir()
    said = room.refused("apply", "-f", str(tmp_path / "empty"), "--prune", "shop", "--yes", code=2)
    assert said == "There is no resource in what was given: nothing was done."
    assert "cannot be a label" in room.refused("apply", "-f", shop, "--prune", "a b", code=2)
    assert len(kept.names) == 3


def test_what_is_refused_in_the_plan_stops_all_of_it(room: Drover, kept: PaperRoom, tmp_path: Path) -> None:
    folder = write(tmp_path, document("a"), document("b"), document("c"))
    kept.refused = {"a": (422, "spec.class: This is needed."), "c": (422, "spec: This has to be an object.")}
    result = room("apply", "-f", folder, "--yes", code=1)
    assert result.stderr.splitlines() == [
        f"{folder}/KafkaConnector-a.yaml: kafkaconnector/a: spec.class: This is needed.",
        f"{folder}/KafkaConnector-c.yaml: kafkaconnector/c: spec: This has to be an object.",
        "Error: 2 of 3 cannot be applied; nothing was done.",
    ]
    kept.refused = {"a": (403, "This needs the role editor")}
    room("apply", "-f", folder, "--yes", code=4)
    assert kept.writes == []


def test_what_is_refused_later_holds_up_nobody(room: Drover, kept: PaperRoom, tmp_path: Path) -> None:
    folder = write(tmp_path, document("a"), document("b"))
    answer = kept._put

    def late(kind: str, name: str, body: Any, dry: bool) -> Answer:
        return answer(kind, name, body, dry) if dry or name != "a" else (409, {"message": "It is being deleted"})

    kept._put = late  # type: ignore[method-assign]
    result = room("apply", "-f", folder, "--yes", code=1)
    assert result.stderr.splitlines()[-2:] == ["kafkaconnector/a: It is being deleted", "Error: 1 of 2 failed."]
    assert kept.names == ["kafkaconnector/b"]


def test_diff(room: Drover, kept: PaperRoom, tmp_path: Path) -> None:
    folder = write(tmp_path, document("a"))
    assert room("diff", "-f", folder, code=1).stdout == "create kafkaconnector/a\n"
    room("apply", "-f", folder, "--yes")
    result = room("diff", "-f", folder)
    assert (result.stdout, result.stderr) == ("", "1 unchanged.\n")


def test_get_and_apply_again(room: Drover, kept: PaperRoom, tmp_path: Path) -> None:
    kept.documents["kafkaconnector", "a/b 100%"] = {**document("a/b 100%"), "status": STATUS}
    kept.documents["configmap", "m"] = document("m", "ConfigMap")
    assert room.lines("get", "resources") == [
        "KIND NAME CLUSTER READY STATE RESTARTS AGE CAUSE",
        "ConfigMap m eu - - - -",
        "KafkaConnector a/b 100% eu yes RUNNING 2 -",
    ]
    assert room.lines("get", "resources", "-o", "name") == ["configmap/m", "kafkaconnector/a/b 100%"]
    assert room.lines("get", "resources", "m", "-o", "name") == ["configmap/m"]
    assert "There is no resource nobody." in room.refused("get", "resources", "nobody", code=5)
    told = room("get", "resources", "-o", "yaml").stdout
    kept.asked.clear()
    assert room("apply", "-f", "-", stdin=told).stderr == "2 unchanged.\n"
    assert kept.asked == ["plan configmap/m", "plan kafkaconnector/a/b 100%"]


def test_annotate(room: Drover, kept: PaperRoom) -> None:
    kept.documents["kafkamirrormaker2", "mm"] = document("mm", "KafkaMirrorMaker2")
    task = "strimzi.io/restart-connector-task=a->b.MirrorSourceConnector:2"
    assert room.lines("annotate", "KafkaMirrorMaker2", "mm", task, "x=a=b", "old-") == ["kafkamirrormaker2/mm annotated"]
    assert kept.annotated == {"strimzi.io/restart-connector-task": "a->b.MirrorSourceConnector:2", "x": "a=b", "old": None}
    room.refused("annotate", "kmm2", "nobody", "a=b", code=5)
    assert "nonsense is neither KEY=VALUE nor KEY-" in room.refused("annotate", "kmm2", "mm", "nonsense", code=2)


def test_delete(room: Drover, kept: PaperRoom, tmp_path: Path) -> None:
    folder = write(tmp_path, document("a"), document("b"), document("m", "ConfigMap"))
    room("apply", "-f", folder, "--yes")
    del kept.documents["kafkaconnector", "b"]
    kept.asked.clear()
    result = room("delete", "-f", folder, "--yes")
    assert kept.writes == ["DELETE kafkaconnector/a", "DELETE configmap/m"]
    assert result.stderr == "kafkaconnector/b is not there.\n2 to delete.\n"
    room("delete", "-f", folder, "--yes")
    assert "There is nobody to ask" not in room("delete", "-f", folder).stderr


def test_where_nobody_answers_on_the_way(room: Drover, kept: PaperRoom, tmp_path: Path) -> None:
    folder = write(tmp_path, document("a"), document("b"), document("c"))
    answer = kept._put

    def gone(kind: str, name: str, body: Any, dry: bool) -> Answer:
        # What is no status ends the connection.
        return answer(kind, name, body, dry) if dry or name == "a" else (0, None)

    kept._put = gone  # type: ignore[method-assign]
    said = room("apply", "-f", folder, "--yes", code=3).stderr.splitlines()[-1]
    assert said.startswith("Error: http://127.0.0.1")
    assert said.endswith("1 were done, 2 were not.")
