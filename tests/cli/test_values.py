"""What is read and printed, by tables."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from rich.console import Console

from cli import definitions, differences, files, following, manifests, output, plan
from cli.definitions import Definition
from cli.ends import Cannot, Exit, code_of, printable
from cli.files import Loaded
from cli.listings import changes
from cli.manifests import LABEL, Manifest
from cli.output import age, plain_lines
from cli.plan import Change
from cli.values import Item, ItemState, Progress, Ref, Row, Sight, Verb, counts
from connect_client import (
    ConnectConflict,
    ConnectDenied,
    ConnectNotFound,
    ConnectPartly,
    ConnectRefused,
    ConnectUnexpected,
    ConnectUnreachable,
    ConnectUnusable,
)
from connect_client.states import State

NOW = datetime(2026, 11, 22, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConnectNotFound(404, 404, "x"), Exit.NOT_FOUND),
        (ConnectConflict(409, 409, "x"), Exit.CONFLICT),
        (ConnectDenied("x"), Exit.DENIED),
        (ConnectUnreachable("x"), Exit.UNREACHABLE),
        (ConnectRefused(502, 502, "x"), Exit.UNREACHABLE),
        (ConnectRefused(503, 503, "x"), Exit.UNREACHABLE),
        (ConnectRefused(500, 500, "x"), Exit.FAILED),
        (ConnectRefused(400, 400, "x"), Exit.FAILED),
        (ConnectUnusable("x"), Exit.CANNOT),
        (ConnectUnexpected("x"), Exit.FAILED),
        (ConnectPartly("x"), Exit.FAILED),
    ],
)
def test_exit_codes(error: Exception, code: Exit) -> None:
    assert code_of(error) is code


def test_exit_codes_are_kept() -> None:
    assert {code.name: code.value for code in Exit} == {
        "OK": 0,
        "FAILED": 1,
        "CANNOT": 2,
        "UNREACHABLE": 3,
        "DENIED": 4,
        "NOT_FOUND": 5,
        "CONFLICT": 6,
        "INTERRUPTED": 130,
    }


@pytest.mark.parametrize(
    ("text", "shown"), [("a\x1b[2Jb", "a\ufffd[2Jb"), ("a\tb\nc", "a\tb\nc"), ("ř→", "ř→"), ("\x07", "\ufffd")]
)
def test_printable(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"), [(-5, "0s"), (0, "0s"), (59, "59s"), (60, "1m"), (3599, "59m"), (7200, "2h"), (86400 * 3 + 5, "3d")]
)
def test_ages(seconds: int, shown: str) -> None:
    assert age(NOW - timedelta(seconds=seconds), NOW) == shown


def test_an_age_that_is_not_known() -> None:
    assert age(None, NOW) == "-"


def test_tables_for_programs_are_not_cut_off() -> None:
    assert plain_lines(("A", "LONG"), [["x" * 300, "1"], ["字", "two\nlines"]]) == [
        f"A{' ' * 301}LONG"[: 302 + 4],
        f"{'x' * 300}  1",
        f"字{' ' * 300}two lines",
    ]


def test_tables_for_people() -> None:
    out = Console(width=60, force_terminal=True, color_system="standard")
    with out.capture() as captured:
        out.print(output.rich_table(("NAME", "STATE", "CAUSE"), [["[bold]a:smile:", output.state_cell("FAILED"), "y" * 90]]))
    told = captured.get()
    assert "[bold]a:smile:" in told
    assert "\x1b[1;31mFAILED" in told
    assert "y…" in told


def test_no_colours_where_they_are_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert output.console().no_color


def test_progress_in_words() -> None:
    items = [
        Item(Ref("eu", "b"), ItemState.DONE),
        Item(Ref("eu", "a"), ItemState.DONE),
        Item(Ref("eu", "z"), ItemState.FAILED_AGAIN, "x"),
        Item(Ref("eu", "w"), ItemState.WAITING),
    ]
    progress = Progress(Verb.RESTART, items, counts(items))
    assert following.summary(progress) == "1 failed again, 1 waiting, 2 running again"
    assert [item.ref.name for item in following.ordered(items)] == ["z", "w", "a", "b"]
    assert following.words(Verb.PAUSE, ItemState.UNDER_WAY) == "pausing"


@pytest.mark.parametrize(
    ("before", "after", "lines", "hidden"),
    [
        ({"a": "1", "b": "2"}, {"a": "1", "c": "3"}, ["- b = 2", "+ c = 3"], []),
        ({"a": "1"}, {"a": "2"}, ["~ a: 1 -> 2"], []),
        ({"a": "1"}, {"a": "1"}, [], []),
        ({"password": "x"}, {"password": "y"}, ["~ password: •••••••• -> ••••••••"], []),
        ({"password": "••••••••"}, {"password": "y"}, [], ["password"]),
        ({"password": "••••••••"}, {}, ["- password = ••••••••"], []),
        ({"password": "••••••••"}, {"password": "••••••••"}, [], []),
    ],
)
def test_differences(before: dict[str, str | None], after: dict[str, str | None], lines: list[str], hidden: list[str]) -> None:
    found, not_compared = differences.between(before, after)
    assert ([str(one) for one in found], not_compared) == (lines, hidden)


@pytest.mark.parametrize(
    ("assignments", "expected"),
    [
        (["a=2"], {"a": "2", "b": "x"}),
        (["a-"], {"b": "x"}),
        (["c=a=b"], {"a": "1", "b": "x", "c": "a=b"}),
        (["c=x-"], {"a": "1", "b": "x", "c": "x-"}),
        (["nothing-"], {"a": "1", "b": "x"}),
        (["c="], {"a": "1", "b": "x", "c": ""}),
    ],
)
def test_assignments(assignments: list[str], expected: dict[str, str]) -> None:
    assert differences.changed({"a": "1", "b": "x"}, assignments) == expected


@pytest.mark.parametrize("wrong", ["a", "=x", "-", ""])
def test_what_is_no_assignment(wrong: str) -> None:
    with pytest.raises(ValueError, match=f"^{wrong}$"):
        differences.changed({}, [wrong])


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.json", '{"name": "n", "config": {"k": "v"}}', Definition("n", {"k": "v"})),
        (
            "a.json",
            '{"name": "n", "k": true, "i": 3, "f": 0.5, "z": null}',
            Definition("n", {"name": "n", "k": "true", "i": "3", "f": "0.5", "z": None}),
        ),
        (
            "a.yaml",
            "name: n\nconfig: {at: 2026-11-22}\ninitial_state: STOPPED\n",
            Definition("n", {"at": "2026-11-22"}, "STOPPED"),
        ),
        ("a.json", '[{"cluster": "eu", "name": "n", "config": {}}]', Definition("n", {}, "", "eu")),
        ("a.properties", "# of mine\nname = n\nk=a\\\n  b\n", Definition("n", {"name": "n", "k": "ab"})),
    ],
)
def test_definitions(tmp_path: Path, name: str, text: str, expected: Definition) -> None:
    (tmp_path / name).write_text(text)
    assert definitions.read((str(tmp_path / name),)) == [expected]


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("a.json", "{}", "has no name"),
        ("a.json", "3", "a connector is a mapping"),
        ("a.json", '{"name": "n", "k": ["a"]}', "k has to be a text"),
        ("a.json", '{"name": "n"', "a.json, line 1"),
        ("a.yaml", "a: 1\na: 2\n", "line 2: the key a is there twice"),
        ("a.yaml", "1: a\n", "the key 1 has to be a text"),
        ("a.yaml", "apiVersion: x\nkind: KafkaConnector\n", "it is for drover apply"),
        ("a.yaml", "", "There is no connector"),
        ("a.properties", "name=\\u12", "Malformed"),
        ("absent.json", None, "cannot be read: No such file"),
    ],
)
def test_what_defines_no_connector(tmp_path: Path, name: str, text: str | None, why: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(Cannot, match=why):
        definitions.read((str(tmp_path / name),))


def document(kind: str, name: str, **labels: str) -> dict[str, object]:
    return {"apiVersion": "kafka.strimzi.io/v1", "kind": kind, "metadata": {"name": name, "labels": labels}, "spec": {}}


def test_manifests_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b/c.yml").write_text(
        "apiVersion: v1\nkind: KafkaConnector\nmetadata: {name: z}\n---\n---\n"
        + "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n"
    )
    several = {"apiVersion": "v1", "kind": "List", "items": [document("KafkaMirrorMaker2", "y")]}
    (tmp_path / "a.json").write_text(json.dumps(several))
    (tmp_path / "readme.txt").write_text("not one")
    read = manifests.read((str(tmp_path),))
    assert list(map(str, read)) == ["configmap/m", "kafkaconnector/z", "kafkamirrormaker2/y"]
    assert read[0].where.endswith("c.yml (document 2)")


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ([], "is no resource"),
        ({"kind": "KafkaConnector"}, "it has no apiVersion"),
        ({"apiVersion": "v1", "kind": "KafkaConnect"}, "no resources of kind KafkaConnect, only ConfigMap, KafkaConnector"),
        ({"apiVersion": "v1", "kind": "ConfigMap"}, "has no metadata.name"),
        ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": 3}}, "has no metadata.name"),
    ],
)
def test_what_is_no_manifest(value: object, why: str) -> None:
    with pytest.raises(Cannot, match=why):
        manifests.checked([Loaded("x.yaml", value)])


def test_a_name_is_there_once() -> None:
    twice = [Loaded("x.yaml", document("ConfigMap", "a")), Loaded("y.yaml", document("ConfigMap", "a"))]
    with pytest.raises(Cannot, match=r"configmap/a is there twice: in x\.yaml and in y\.yaml"):
        manifests.checked(twice)


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("KafkaConnector", "kafkaconnector"),
        ("kafkaconnectors", "kafkaconnector"),
        ("kctr", "kafkaconnector"),
        ("kmm2", "kafkamirrormaker2"),
        ("cm", "configmap"),
    ],
)
def test_kinds(word: str, kind: str) -> None:
    assert manifests.kind_of(word) == kind


@pytest.mark.parametrize("text", ["", "a b", "-a", "a-", "ř", "a" * 64, "a/b"])
def test_what_is_no_set(text: str) -> None:
    with pytest.raises(Cannot, match="cannot be a label"):
        manifests.set_name(text)


def test_what_is_pruned() -> None:
    kept = [
        document("KafkaConnector", "gone", **{LABEL: "shop"}),
        document("ConfigMap", "gone", **{LABEL: "shop"}),
        document("KafkaConnector", "stays", **{LABEL: "shop"}),
        document("KafkaConnector", "other", **{LABEL: "lake"}),
        document("KafkaConnector", "by-hand"),
    ]
    wanted = [Manifest("kafkaconnector", "stays", {}), Manifest("kafkaconnector", "new", {})]
    assert list(map(str, manifests.stale(kept, wanted, "shop"))) == ["kafkaconnector/gone", "configmap/gone"]


def test_a_label_beside_others() -> None:
    manifest = Manifest("configmap", "a", {"kind": "ConfigMap", "metadata": {"name": "a", "labels": {"x": "y"}}, "data": {}})
    told = manifests.labelled(manifest, "shop").document
    assert told == {"kind": "ConfigMap", "metadata": {"name": "a", "labels": {"x": "y", LABEL: "shop"}}, "data": {}}
    assert manifest.document["metadata"]["labels"] == {"x": "y"}


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (Change("spec.config.topics", "a", "b"), "~ spec.config.topics: a -> b"),
        (Change("spec.pause", None, True), "+ spec.pause: True"),
        (Change("spec.tasksMax", 3, None), "- spec.tasksMax: 3"),
        (Change("spec.config.db.password", "x", "y"), "~ spec.config.db.password: •••••••• -> ••••••••"),
    ],
)
def test_changes(change: Change, line: str) -> None:
    assert str(change) == line


def test_a_plan_in_words() -> None:
    of = Manifest("configmap", "a", {})
    steps = [plan.step(of, {"action": action, "changes": []}) for action in ("create", "create", "unchanged", "update")]
    assert plan.summary(steps) == "2 to create, 1 to update, 1 unchanged"
    assert [step.action for step in plan.to_do(steps)] == ["create", "create", "update"]
    assert plan.summary([]) == "nothing"


def test_what_is_watched_in_words() -> None:
    def sight(trouble: str = "", **states: State) -> Sight:
        return Sight([Row(Ref("eu", name), state) for name, state in states.items()], trouble)

    def lines(before: Sight | None, now: Sight) -> list[str]:
        return [line.partition(" ")[2] for line in changes(before, now)]

    both = sight(a=State.RUNNING, b=State.FAILED)
    assert lines(None, both) == ["eu/a RUNNING", "eu/b FAILED"]
    assert lines(both, both) == []
    assert lines(both, sight(a=State.PAUSED)) == ["eu/a RUNNING -> PAUSED", "eu/b gone"]
    silent = sight("No answer.", a=State.RUNNING, b=State.FAILED)
    assert lines(both, silent) == ["No answer."]
    assert lines(silent, silent) == []


def test_json_dates_stay_texts() -> None:
    assert files.parsed("x", "a: 2026-11-22T07:00:00Z\nb: 1.5\nc: on\n") == [{"a": "2026-11-22T07:00:00Z", "b": 1.5, "c": True}]
