"""The command against one Connect cluster, which is a dictionary on a socket."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cli import bulk
from connect_client.retry import RetryPolicy
from tests.cli.conftest import Drover, Pauses
from tests.cli.paper import PaperConnect

ODD = ["a/b", "100%", "with space", "a->b.Source", "%2F", "..", "ř\\;{x}"]
ASKED = "POST /connectors/{}/restart?includeTasks=true&onlyFailed=true"


@pytest.fixture(autouse=True)
def cluster(paper_connect: PaperConnect, pauses: Pauses) -> PaperConnect:
    paper_connect.put("orders", "RUNNING FAILED RUNNING")
    paper_connect.put("lake", "FAILED")
    paper_connect.put("fine", "RUNNING RUNNING")
    return paper_connect


def test_connectors(one: Drover) -> None:
    lines = one.lines("get", "connectors")
    assert lines[0] == "NAME STATE TASKS TYPE CLASS SINCE CAUSE"
    assert lines[1:] == [
        "lake FAILED 0/0 sink Sink - java.io.IOException: disk full",
        "orders DEGRADED 1/2 sink Sink - task 0: java.io.IOException: disk full",
        "fine RUNNING 1/1 sink Sink -",
    ]
    assert one.lines("get", "connectors", "--state", "failed", "--state", "degraded", "-o", "name") == ["lake", "orders"]
    assert one.lines("get", "tasks", "orders") == [
        "CONNECTOR TASK STATE WORKER",
        "orders 0 FAILED w1:8083",
        "orders 1 RUNNING w1:8083",
    ]
    assert json.loads(one("get", "connectors", "fine", "-o", "json").stdout)[0]["state"] == "RUNNING"
    assert one.lines("get", "clusters")[1].split()[1:] == ["live", "4.3.0", "3"]
    assert one.lines("plugins") == ["CLASS TYPE VERSION", "org.x.Sink sink 1.0"]


def test_names_of_any_kind(one: Drover, cluster: PaperConnect) -> None:
    for name in ODD:
        cluster.put(name, "RUNNING RUNNING")
        assert f"Name:       {name}" in one("describe", "connector", name).stdout.splitlines()
        assert one.lines("pause", name, "-o", "json")[1:3] == ["{", f'"name": {json.dumps(name, ensure_ascii=False)},']
        assert cluster.words[name] == "PAUSED PAUSED"
        one("delete", name, "--yes")
        assert name not in cluster.configs


def test_control_characters_stay_out_of_the_terminal(one: Drover, cluster: PaperConnect) -> None:
    cluster.put("evil\x1b[2J", "RUNNING")
    assert "\x1b" not in one("get", "connectors").output + one("describe", "connector", "evil\x1b[2J").output
    assert "evil�[2J" in one("get", "connectors", "-o", "name").stdout


def test_secrets_are_not_described(one: Drover) -> None:
    assert "geheim" not in one("describe", "connector", "lake").output
    assert json.loads(one("config", "get", "lake").stdout)["db.password"] == "geheim"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["get", "connectors", "-q", "state:failed"], 2, "which has no search"),
        (["get", "connectors", "-c", "eu"], 2, "--cluster takes the context of a control room"),
        (["get", "connectors", "--state", "broken"], 2, "There is no state BROKEN"),
        (["get", "connectors", "nobody"], 5, "There is no connector nobody."),
        (["restart", "--failed", "--all-clusters"], 2, "--all-clusters takes the context of a control room"),
        (["get", "resources"], 2, "has nobody who keeps resources"),
        (["annotate", "kafkaconnector", "x", "a=b"], 2, "has nobody who keeps resources"),
        (["offsets", "reset", "fine", "--yes"], 6, "fine is RUNNING: stop it first (drover stop fine), then resume it."),
        (["config", "set", "fine", "db.password=••••••••"], 2, "db.password: this hides a secret"),
        (["plugins", "org.x.None"], 5, "HTTP 404 Not Found"),
    ],
)
def test_refusals(one: Drover, words: list[str], code: int, said: str) -> None:
    assert said in one.refused(*words, code=code)


def test_resources_need_somebody_who_keeps_them(one: Drover, tmp_path: Path) -> None:
    file = tmp_path / "orders.yaml"
    file.write_text("apiVersion: kafka.strimzi.io/v1\nkind: KafkaConnector\nmetadata: {name: orders}\n")
    for words in (["apply", "-f", str(file)], ["diff", "-f", str(file)], ["delete", "-f", str(file)]):
        assert one.refused(*words, code=2).startswith("A Connect cluster by itself has nobody who keeps resources")


def test_everything_failed_is_restarted(one: Drover, cluster: PaperConnect) -> None:
    result = one("restart", "--failed")
    assert [line.split()[:3] for line in result.stdout.splitlines()[1:]] == [
        ["lake", "running", "again"],
        ["orders", "running", "again"],
    ]
    assert (cluster.words["lake"], cluster.words["orders"]) == ("RUNNING", "RUNNING RUNNING RUNNING")
    restarts = sorted(line for line in cluster.asked if line.startswith("POST"))
    assert restarts == [ASKED.format("lake"), ASKED.format("orders")]
    assert one("restart", "--failed").stderr == "Nothing to do.\n"


def test_what_fails_again_is_told(one: Drover, cluster: PaperConnect) -> None:
    cluster.stubborn.add("lake")
    told = json.loads(one("restart", "--failed", "-o", "json", code=1).stdout)
    assert [(item["name"], item["state"], item["cause"], item["ok"]) for item in told] == [
        ("lake", "failed again", "java.io.IOException: disk full", False),
        ("orders", "done", "", True),
    ]


def test_only_so_many_at_once(one: Drover, cluster: PaperConnect, pauses: Pauses) -> None:
    """60 of them, all of which hang until as many as may are asked for."""
    names = [f"c{number:02}" for number in range(60)]
    for name in names:
        cluster.put(name, "RUNNING FAILED")
    answered, waiting, most = threading.Event(), set[str](), []
    answer = cluster.answer

    def slow(method: str, target: str, body: object) -> object:
        if method == "POST":
            waiting.add(target)
            most.append(len(waiting))
            if len(waiting) == bulk.AT_ONCE:
                answered.set()
            assert answered.wait(20)
            waiting.discard(target)
        return answer(method, target, body)

    cluster.answer = slow  # type: ignore[method-assign, assignment]
    told = json.loads(one("restart", "--failed", "-o", "json").stdout)
    assert len(told) == 62
    assert all(item["ok"] for item in told)
    assert max(most) == bulk.AT_ONCE


def test_a_rebalance_is_waited_for(one: Drover, cluster: PaperConnect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.cluster._PATIENT", RetryPolicy(attempts=8, first_delay=0.0))
    cluster.refusals[ASKED.format("lake")] = [(409, "Cannot complete request momentarily due to a rebalance")] * 7
    one("restart", "lake", "--failed")
    cluster.stubborn.add("orders")
    cluster.refusals[ASKED.format("orders")] = [(500, "Oh.")]
    assert one.lines("restart", "orders", "--failed", code=1)[1] == "orders refused Oh."


def test_one_is_restarted(one: Drover, cluster: PaperConnect) -> None:
    one("restart", "fine")
    one("restart", "fine", "--tasks")
    one("restart", "fine", "--failed")
    assert [line for line in cluster.asked if line.startswith("POST")] == [
        "POST /connectors/fine/restart?includeTasks=false&onlyFailed=false",
        "POST /connectors/fine/restart?includeTasks=true&onlyFailed=false",
    ]
    cluster.words["fine"] = "STOPPED"
    assert one.lines("restart", "fine", code=1)[1] == "fine left out is stopped: resume it instead"


def test_old_clusters(one: Drover, cluster: PaperConnect) -> None:
    cluster.version = "2.8.0"
    assert "Kafka Connect has stopping as of 3.5; this cluster is 2.8.0." in one.refused("stop", "fine", code=2)
    assert "Kafka Connect has offsets as of 3.5" in one.refused("offsets", "get", "fine", code=2)
    assert "an initial state as of 3.7" in one.refused("create", "-f", "-", "--state", "STOPPED", stdin='{"name": "n"}', code=2)


def test_interrupted(one: Drover, cluster: PaperConnect, pauses: Pauses) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    pauses.does = interrupt
    result = one("restart", "--failed", code=130)
    assert result.stderr.splitlines()[-1].startswith("What was asked for goes on in the cluster")


def test_silence_on_the_way(one: Drover, cluster: PaperConnect, pauses: Pauses, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was asked for, and then nobody answers: neither done nor failed."""
    monkeypatch.setattr("cli.judging.LIMIT", 20.0)
    cluster.stubborn.update(("orders", "lake"))
    pauses.does = lambda: setattr(cluster, "refusals", {"GET /connectors?expand=info&expand=status": [(503, "Starting")] * 2})
    told = json.loads(one("restart", "lake", "--failed", "-o", "json", code=1).stdout)
    assert (told[0]["state"], told[0]["cause"]) == ("unknown", "Starting")


def test_offsets(one: Drover, cluster: PaperConnect, tmp_path: Path) -> None:
    cluster.offsets["fine"] = [{"partition": {"kafka_topic": "t", "kafka_partition": 0}, "offset": {"kafka_offset": 7}}]
    assert one.lines("offsets", "get", "fine") == ["PARTITION OFFSET", "kafka_topic=t kafka_partition=0 kafka_offset=7"]
    told = json.loads(one("offsets", "get", "fine", "-o", "json").stdout)
    told["offsets"][0]["offset"]["kafka_offset"] = 3
    one("stop", "fine")
    assert one("offsets", "set", "fine", stdin=json.dumps(told)).stderr == "The offsets have been altered.\n"
    assert cluster.offsets["fine"][0]["offset"] == {"kafka_offset": 3}
    file = tmp_path / "offsets.json"
    file.write_text(json.dumps(told["offsets"]))
    assert "There is nobody to ask: say --yes." in one.refused("offsets", "set", "fine", "-f", str(file), code=2)
    one("offsets", "set", "fine", "-f", str(file), "--yes")
    one("offsets", "reset", "fine", "--yes")
    assert cluster.offsets["fine"] == []
    for wrong in ("[]", "{}", '[{"partition": {}}]', '[{"partition": {}, "offset": 3}]'):
        assert "has no offsets in it" in one.refused("offsets", "set", "fine", stdin=wrong, code=2)


def test_configs(one: Drover, cluster: PaperConnect) -> None:
    result = one("config", "set", "fine", "topics=a,b", "db.password-", "db.token=x=y")
    assert result.stdout.splitlines() == ["- db.password = ••••••••", "+ db.token = ••••••••", "~ topics: t -> a,b"]
    assert cluster.configs["fine"] == {"name": "fine", "connector.class": "org.x.Sink", "topics": "a,b", "db.token": "x=y"}
    assert one.lines("config", "diff", "fine", "-f", "-", stdin="topics: a,b\nconnector.class: org.x.Sink\ndb.token: x=y") == []
    one("config", "set", "fine", "-f", "-", stdin='{"connector.class": "org.x.Sink", "tasks.max": 3}')
    assert cluster.configs["fine"] == {"name": "fine", "connector.class": "org.x.Sink", "tasks.max": "3"}


def test_create(one: Drover, cluster: PaperConnect, tmp_path: Path) -> None:
    file = tmp_path / "new.properties"
    file.write_text("name=n1\nconnector.class=org.x.Sink\n")
    assert one.lines("create", "-f", str(file)) == ["n1 created"]
    assert cluster.configs["n1"] == {"name": "n1", "connector.class": "org.x.Sink"}
    several = json.dumps([{"name": "n1", "config": {}}, {"name": "n2", "config": {"tasks.max": 1}, "initial_state": "PAUSED"}])
    result = one("create", "-f", "-", stdin=several, code=6)
    assert (result.stdout, result.stderr) == ("n2 created\n", "n1: Connector n1 already exists\n")
    assert (cluster.configs["n2"], cluster.words["n2"]) == ({"tasks.max": "1"}, "PAUSED")


def test_loggers(one: Drover, cluster: PaperConnect) -> None:
    assert one.lines("loggers", "get") == ["LOGGER LEVEL SET", "org.apache.kafka WARN -", "root INFO -"]
    assert one.lines("loggers", "get", "org", "-o", "name") == ["org.apache.kafka"]
    assert one("loggers", "set", "root", "debug").stderr == "root is DEBUG in all workers in a moment.\n"
    assert one("loggers", "set", "root", "info", "--worker").stderr == "1 logger of the worker that answered: INFO.\n"
    assert cluster.levels["root"] == "INFO"
    assert one.refused("loggers", "get", "nobody", code=5) == "There is no logger nobody."


def test_watch_goes_on_through_silence(one: Drover, cluster: PaperConnect, pauses: Pauses) -> None:
    looks = []
    cluster.words = dict.fromkeys(cluster.words, "RUNNING")

    def look() -> None:
        looks.append(1)
        match len(looks):
            case 1:
                cluster.words["fine"] = "PAUSED"
            case 2:
                del cluster.configs["lake"]
            case 3:
                raise KeyboardInterrupt

    pauses.does = look
    lines = [line.partition(" ")[2] for line in one("watch", code=130).stdout.splitlines()]
    assert lines == ["fine RUNNING", "lake RUNNING", "orders RUNNING", "fine RUNNING -> PAUSED", "lake gone"]


def test_a_fault_of_ones_own_is_one_sentence(one: Drover, monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(*_: object) -> None:
        raise ValueError("odd")

    monkeypatch.setattr("cli.cluster.OneCluster.connectors", fault)
    told = one.refused("get", "connectors", code=1, DROVER_DEBUG="")
    assert told == "This is a fault of drover's own (ValueError: odd); with DROVER_DEBUG=1 it says where."


def test_where_nobody_answers(env: dict[str, str]) -> None:
    nobody = Drover(("--connect", "http://127.0.0.1:1"), env)
    for words in (["get", "connectors"], ["restart", "--failed"], ["describe", "connector", "x"], ["loggers", "get"]):
        assert nobody.refused(*words, code=3) == "http://127.0.0.1:1 cannot be reached: Connection refused."


def test_interrupted_before_all_were_asked_for(one: Drover, cluster: PaperConnect, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said is what the cluster was asked for, and no more is asked afterwards."""
    for number in range(30):
        cluster.put(f"c{number:02}", "RUNNING FAILED")
    asked, go_on = threading.Event(), threading.Event()
    answer = cluster.answer

    def hangs(method: str, target: str, body: object) -> object:
        if method == "POST":
            asked.set()
            assert go_on.wait(20)
        return answer(method, target, body)

    def interrupt(*_: object, **__: object) -> None:
        assert asked.wait(20)
        raise KeyboardInterrupt

    class Pool(ThreadPoolExecutor):
        def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
            super().shutdown(wait=False, cancel_futures=cancel_futures)
            go_on.set()
            super().shutdown(wait=wait)

    cluster.answer = hangs  # type: ignore[method-assign, assignment]
    monkeypatch.setattr(bulk, "wait", interrupt)
    monkeypatch.setattr(bulk, "ThreadPoolExecutor", Pool)
    said = one("restart", "--failed", code=130).stderr.splitlines()[-1]
    restarts = sum(line.startswith("POST") for line in cluster.asked)
    assert said == f"What was asked for goes on in the cluster; {32 - restarts} of 32 were not asked for."
    assert 0 < restarts <= bulk.AT_ONCE


def test_the_version(one: Drover) -> None:
    assert one("--version").stdout.startswith("drover ")
