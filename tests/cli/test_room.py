"""The command against the control room's own views."""

import json
from datetime import UTC, datetime

import pytest
import yaml
from django.contrib.auth.models import User

from cli.commands import acting
from cli.ends import Failure
from dashboard.follow.recorder import Recorder
from dashboard.jobs.run import Run
from dashboard.models import Cluster, Grant, Job, OffsetChange
from dashboard.rights.roles import Role
from tests.cli.conftest import Drover, Pauses, token
from tests.dashboard.jobs.conftest import Clock, Fleet, run_of
from tests.dashboard.jobs.test_run import heard

ODD = ["a/b", "100%", "with space", "a->b", "%2F", "ř\\;{x}", "eu/lake"]


def control(pauses: Pauses, fleet: Fleet, clock: Clock) -> None:
    """The control process works on the job while the command waits for it."""
    runs: list[Run] = []

    def step() -> None:
        if not runs:
            runs.append(run_of(Job.objects.latest("pk"), clock))
        if runs[0].step() is not None:
            heard(runs[0])
            runs[0].step()
            fleet.look()

    pauses.does = step


def test_connectors(room: Drover, seen: Fleet) -> None:
    lines = room.lines("get", "connectors")
    assert lines[0] == "CLUSTER NAME STATE TASKS TYPE CLASS SINCE CAUSE"
    assert [line.split()[:4] for line in lines[1:]] == [
        ["eu", "lake", "FAILED", "0/0"],
        ["us", "orders-us", "FAILED", "0/2"],
        ["eu", "orders", "DEGRADED", "1/2"],
        ["us", "fine", "PAUSED", "0/1"],
        ["eu", "fine", "RUNNING", "1/1"],
    ]
    assert lines[1].endswith(" java.io.IOException: disk full")


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["-q", "state:failed cluster:eu"], ["eu/lake"]),
        (["-c", "us"], ["us/orders-us", "us/fine"]),
        (["--state", "paused", "--state", "degraded"], ["eu/orders", "us/fine"]),
        (["eu/fine", "orders"], ["eu/orders", "eu/fine"]),
        (["fine", "-c", "us"], ["us/fine"]),
        (["-q", "nothing-like-this"], []),
    ],
)
def test_which_connectors(room: Drover, seen: Fleet, words: list[str], names: list[str]) -> None:
    assert room.lines("get", "connectors", *words, "-o", "name") == names


def test_for_programs(room: Drover, seen: Fleet) -> None:
    told = json.loads(room("get", "connectors", "eu/orders", "-o", "json").stdout)
    assert (told[0]["cluster"], told[0]["name"], told[0]["state"], len(told[0]["tasks"])) == ("eu", "orders", "DEGRADED", 2)
    assert yaml.safe_load(room("get", "connectors", "eu/orders", "-o", "yaml").stdout) == told
    assert room.lines("get", "tasks", "--state", "failed", "-o", "name") == ["eu/orders:0", "us/orders-us:0", "us/orders-us:1"]
    assert room.lines("get", "tasks", "eu/fine")[1] == "eu fine 0 RUNNING w1:8083"
    clusters = json.loads(room("get", "clusters", "-o", "json").stdout)
    assert [(one["name"], one["connectors"]) for one in clusters] == [("eu", 3), ("us", 2)]
    assert room.lines("get", "clusters")[1].split()[0] == "eu"


def test_more_than_a_page(room: Drover, fleet: Fleet) -> None:
    fleet.add("eu", **{f"c{number:03}": "RUNNING RUNNING" for number in range(230)})
    assert room.lines("get", "connectors", "-o", "name") == [f"eu/c{number:03}" for number in range(230)]


def test_names_of_any_kind(room: Drover, fleet: Fleet) -> None:
    fleet.add("eu", **dict.fromkeys([*ODD, "lake"], "RUNNING RUNNING"))
    for name in ODD[:-1]:
        for said in (["eu/" + name], [name], [name, "-c", "eu"]):
            told = json.loads(room("describe", "connector", *said, "-o", "json").stdout)
            assert (told["name"], told["config"]["connector.class"]) == (name, "Sink")
            assert told["config"]["db.password"] == "••••••••"
    # This is the name of one, and what another one is called by.
    assert "There are several: say which, eu/eu/lake or eu/lake" in room.refused("describe", "connector", "eu/lake", code=2)
    assert room.lines("get", "connectors", "eu/lake", "-c", "eu", "-o", "name") == ["eu/eu/lake"]


def test_a_name_that_several_clusters_have(room: Drover, seen: Fleet) -> None:
    assert room.refused("pause", "fine", code=2) == "There are several: say which, eu/fine or us/fine, or --cluster."
    assert room.refused("pause", "nobody", code=5) == "There is no connector nobody."
    assert room.refused("pause", "lake", "-c", "us", code=5) == "There is no connector lake in cluster us."


def test_describe(room: Drover, seen: Fleet) -> None:
    lines = room("describe", "connector", "orders").stdout.splitlines()
    assert lines[:5] == [
        "Name:       orders",
        "Cluster:    eu",
        "State:      DEGRADED",
        "Type:       sink",
        "Class:      Sink",
    ]
    assert "  0  FAILED on w1:8083" in lines
    assert "  db.password = ••••••••" in lines


def test_traces_are_told(room: Drover, seen: Fleet) -> None:
    seen.set("eu", "fine", "RUNNING FAILED")
    seen.look()
    told = room("describe", "connector", "eu/fine").stdout
    assert "Trace of task 0:\n  Outer: o\n  Caused by: java.io.IOException: disk full" in told


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["get", "connectors", "-q", "clutser:eu"], 2, "There is no filter “clutser”"),
        (["get", "connectors", "--state", "broken"], 2, "There is no state “broken”"),
        (["get", "connectors", "eu/fine", "-q", "x"], 2, None),
        (["get", "nothing"], 2, None),
        (["offsets", "reset", "orders", "--yes"], 6, "eu/orders is DEGRADED: stop it first (drover stop eu/orders)"),
        (["restart"], 2, "Say which: a NAME, or --failed"),
        (["restart", "--failed"], 2, "Say of what"),
        (["restart", "orders", "--all-clusters"], 2, "Either names"),
        (["restart", "--failed", "--all-clusters", "-c", "eu"], 2, "Either --all-clusters"),
        (["loggers", "get"], 2, "Say in which cluster: --cluster eu or us."),
        (["plugins", "org.x.None"], 5, "No cluster has a plug-in org.x.None."),
        (["delete", "orders"], 2, "Delete 1 connector: eu/orders? There is nobody to ask: say --yes."),
        (["annotate", "kafkatopic", "x", "a=b"], 2, "There is no kind kafkatopic"),
    ],
)
def test_refusals(room: Drover, seen: Fleet, words: list[str], code: int, said: str | None) -> None:
    if said is None:
        assert "Usage: drover" in room(*words, code=code).stderr
    else:
        assert said in room.refused(*words, code=code)
    assert not Job.objects.exists()


def test_who_may_not(seen: Fleet, room_url: str, env: dict[str, str]) -> None:
    nobody = Drover(("--url", room_url), env)
    assert "answered 401: Authentication credentials were not provided" in nobody.refused("get", "connectors", code=4)
    wrong = Drover(("--url", room_url, "--token", "drover_x"), env)
    assert "This token is not known" in wrong.refused("get", "connectors", code=4)
    viewer = Drover(("--url", room_url, "--token", token("operator", Role.VIEWER)), env)
    assert viewer.lines("get", "connectors", "-c", "us", "-o", "name") == ["us/orders-us", "us/fine"]
    assert "This needs the role operator" in viewer.refused("pause", "eu/fine", code=4)
    assert "This needs the role operator" in viewer.refused("restart", "--failed", "--all-clusters", code=4)
    assert not Job.objects.exists()


def test_who_is_not_there(env: dict[str, str], one: Drover) -> None:
    assert "127.0.0.1:1 cannot be reached: Connection refused" in Drover(("--url", "http://127.0.0.1:1"), env).refused(
        "get", "connectors", code=3
    )
    mistaken = Drover(("--url", one.options[1]), env)
    assert "is no control room of Drover's; a Connect cluster is asked with --connect" in mistaken.refused(
        "get", "clusters", code=1
    )


def test_everything_failed_is_restarted(room: Drover, seen: Fleet, clock: Clock, pauses: Pauses) -> None:
    control(pauses, seen, clock)
    result = room("restart", "--failed", "--all-clusters")
    assert sorted(line.split()[0] for line in result.stdout.splitlines()[1:]) == ["eu/lake", "eu/orders", "us/orders-us"]
    assert "running again" in result.stdout
    assert result.stderr.splitlines()[-1] == "3 running again."
    assert seen.words("us", "orders-us") == "RUNNING RUNNING RUNNING"
    assert "Nothing to do." in room("restart", "--failed", "--all-clusters").stderr
    assert Job.objects.count() == 1


@pytest.mark.parametrize(("stubborn", "code"), [((), 0), (("c07",), 1)])
def test_sixty_failed_tasks_over_two_clusters(
    room: Drover, fleet: Fleet, clock: Clock, pauses: Pauses, stubborn: tuple[str, ...], code: int
) -> None:
    fleet.add("eu", **{f"c{number:02}": "RUNNING FAILED FAILED FAILED FAILED" for number in range(10)})
    fleet.add("us", **{f"d{number:02}": "RUNNING FAILED FAILED FAILED FAILED" for number in range(5)})
    fleet.look()
    fleet.stubborn.update(stubborn)
    control(pauses, fleet, clock)
    # To rich this is a terminal.
    result = room("restart", "--failed", "--all-clusters", code=code, FORCE_COLOR="1")
    assert "restarting" in result.stdout
    assert "\x1b[1A" in result.stdout, "the table is drawn again in its place"
    healthy = sum(words.split().count("RUNNING") for words in (fleet.words("eu", f"c{number:02}") for number in range(10)))
    assert healthy == 50 - 4 * code
    told = result.stdout.split("CONNECTOR")[-1]
    assert told.count("running again") == 15 - code
    assert ("task 0: java.io.IOException: disk full" in told) == bool(code)


def test_what_fails_again_is_told(room: Drover, seen: Fleet, clock: Clock, pauses: Pauses) -> None:
    seen.stubborn.add("lake")
    control(pauses, seen, clock)
    result = room("restart", "--failed", "-c", "eu", code=1)
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert lines[1] == "eu/lake failed again java.io.IOException: disk full"
    assert lines[2].startswith("eu/orders running again ")
    assert result.stderr.splitlines()[-2:] == ["1 failed again, 1 running again.", "Error: 1 of 2 is not running again."]
    assert seen.words("us", "orders-us") == "RUNNING FAILED FAILED"


def test_a_search_is_restarted(room: Drover, seen: Fleet, clock: Clock, pauses: Pauses) -> None:
    control(pauses, seen, clock)
    told = json.loads(room("restart", "--failed", "-q", "name:orders*", "-c", "eu,us", "-o", "json").stdout)
    assert [(one["cluster"], one["name"], one["ok"]) for one in told] == [("eu", "orders", True), ("us", "orders-us", True)]


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ([], {"only_failed": False, "include_tasks": False, "include_connector": True}),
        (["--tasks"], {"only_failed": False, "include_tasks": True, "include_connector": True}),
        (["--failed"], {"only_failed": True, "include_tasks": True, "include_connector": True}),
    ],
)
def test_one_is_restarted(
    room: Drover, seen: Fleet, clock: Clock, pauses: Pauses, words: list[str], options: dict[str, bool]
) -> None:
    control(pauses, seen, clock)
    if not words:
        # The connector alone was asked for, and its task is still broken.
        seen.stubborn.add("orders")
    room("restart", "orders", *words)
    assert Job.objects.get().options == options


def test_verbs(room: Drover, seen: Fleet, clock: Clock, pauses: Pauses) -> None:
    for verb, words, state in (("pause", "paused", "PAUSED"), ("stop", "stopped", "STOPPED"), ("resume", "running", "RUNNING")):
        control(pauses, seen, clock)
        assert room.lines(verb, "eu/fine")[1].split()[:2] == ["eu/fine", words]
        assert seen.words("eu", "fine").split()[0] == state
    assert room.lines("resume", "eu/fine")[1] == "eu/fine left out runs already"
    assert "eu/lake left out has failed: restart or stop it instead" in room.lines("pause", "eu/lake", code=1)
    control(pauses, seen, clock)
    assert room.lines("delete", "eu/fine", "--yes")[1].split()[:2] == ["eu/fine", "deleted"]
    assert "fine" not in seen.papers["eu"].entries


def test_a_yes_is_asked_for(room: Drover, seen: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def no(question: str, *, yes: bool) -> None:
        asked.append(question)
        raise Failure("Nothing was done.")

    monkeypatch.setattr(acting, "confirmed", no)
    assert room.refused("delete", "eu/fine", "lake", code=1) == "Nothing was done."
    assert asked == ["Delete 2 connectors: eu/fine, eu/lake?"]
    assert not Job.objects.exists()


def test_interrupted(room: Drover, seen: Fleet, pauses: Pauses) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    pauses.does = interrupt
    result = room("restart", "--failed", "--all-clusters", code=130)
    job = Job.objects.get()
    assert result.stderr.splitlines()[-1] == f"The job goes on in the control room: {room.options[1]}/ui/jobs/{job.pk}"
    assert job.state == "waiting"


def test_a_dead_cluster_is_left_out_and_told(room: Drover, seen: Fleet) -> None:
    Recorder(Cluster.objects.get(name="us")).unreachable("no answer", datetime.now(UTC))
    result = room("get", "connectors", "-c", "us")
    assert result.stderr == "us: does not answer; what is shown of it was last seen.\n"
    told = room.lines("restart", "--failed", "-c", "us", code=1)
    assert told[1] == "us/orders-us left out is in cluster us, which cannot be reached"


def test_configs(room: Drover, seen: Fleet, pauses: Pauses, monkeypatch: pytest.MonkeyPatch) -> None:
    told = json.loads(room("config", "get", "orders").stdout)
    assert told == {"connector.class": "Sink", "db.password": "••••••••", "name": "orders"}
    assert room("config", "get", "orders", "-o", "properties").stdout.splitlines()[-1] == "name=orders"
    wanted = json.dumps({**told, "topics": "t"})
    assert room.lines("config", "diff", "orders", "-f", "-", stdin=wanted, code=1) == ["+ topics = t"]
    assert room.lines("config", "diff", "orders", "-f", "-", stdin=json.dumps(told)) == []
    result = room("config", "diff", "orders", "-f", "-", stdin=json.dumps({**told, "db.password": "anders"}))
    assert "Not compared, because the control room does not tell secrets: db.password." in result.stderr
    assert "anders" not in result.output
    assert "is the config of x" in room.refused("config", "diff", "orders", "-f", "-", stdin='{"name": "x"}', code=2)
    assert "nonsense is neither KEY=VALUE nor KEY-" in room.refused("config", "set", "orders", "nonsense", code=2)
    assert "there is nothing to change" in room("config", "set", "orders", "name=orders").stderr


def test_offsets(room: Drover, seen: Fleet) -> None:
    paper = seen.papers["eu"]
    paper.stand("orders", {("t", 0): 7, ("t", 1): 9})
    assert room.lines("offsets", "get", "orders")[1:] == [
        "kafka_partition=0 kafka_topic=t kafka_offset=7",
        "kafka_partition=1 kafka_topic=t kafka_offset=9",
    ]
    seen.set("eu", "orders", "STOPPED")
    seen.look()
    told = json.loads(room("offsets", "get", "eu/orders", "-o", "json").stdout)
    assert "Nothing is different" in room("offsets", "set", "orders", stdin=json.dumps(told)).stderr
    told["offsets"][0]["offset"] = {"kafka_offset": 3}
    assert room("offsets", "set", "orders", stdin=json.dumps(told)).stderr == "The offsets have been altered.\n"
    assert [one["offset"] for one in paper.body["offsets"]] == [{"kafka_offset": 3}], "what is different, and nothing else"
    told["offsets"][0]["offset"] = {"kafka_offset": "three"}
    assert "t 0: An offset is a whole number" in room.refused("offsets", "set", "orders", stdin=json.dumps(told), code=1)
    assert "say --yes" in room.refused("offsets", "reset", "orders", code=2)
    assert room("offsets", "reset", "orders", "--yes").stderr == "The offsets have been reset.\n"
    assert paper.offsets["orders"] == {}
    assert list(OffsetChange.objects.order_by("pk").values_list("by", "deed", "outcome")) == [
        ("operator", "alter", "done"),
        ("operator", "reset", "done"),
    ]


def test_grants_count(seen: Fleet, room_url: str, env: dict[str, str]) -> None:
    user = User.objects.create_user("olga")
    Grant.objects.create(user=user, role=Role.VIEWER, pattern="orders*")
    olga = Drover(("--url", room_url, "--token", token("olga")), env)
    assert olga.lines("get", "connectors", "-o", "name") == ["us/orders-us", "eu/orders"]
    assert olga.refused("describe", "connector", "lake", code=5) == "There is no connector lake."


def test_the_environment_says_whom(seen: Fleet, room: Drover, drover: Drover) -> None:
    drover.env |= {"DROVER_URL": room.options[1] + "/ui/jobs/7", "DROVER_TOKEN": room.options[3]}
    assert drover.lines("get", "connectors", "-c", "us", "-o", "name") == ["us/orders-us", "us/fine"]


def test_watch_tells_changes(room: Drover, seen: Fleet, pauses: Pauses) -> None:
    looks = []

    def look() -> None:
        looks.append(1)
        if len(looks) == 3:
            raise KeyboardInterrupt
        seen.set("eu", "fine", "RUNNING FAILED" if len(looks) == 1 else "RUNNING RUNNING")
        seen.look()

    pauses.does = look
    lines = [line.partition(" ")[2] for line in room("watch", "-c", "eu", code=130).stdout.splitlines()]
    assert lines == [
        "eu/fine RUNNING",
        "eu/lake FAILED: java.io.IOException: disk full",
        "eu/orders DEGRADED: task 0: java.io.IOException: disk full",
        "eu/fine RUNNING -> FAILED: java.io.IOException: disk full",
        "eu/fine FAILED -> RUNNING",
    ]
