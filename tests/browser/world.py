"""A control room with something of everything on its pages: each state, what failed and what came of it. Not a test module."""

import json
from datetime import UTC, datetime, timedelta

from django.contrib.auth.models import User

from dashboard import plugins
from dashboard.activity import Who, note
from dashboard.follow.recorder import Recorder
from dashboard.models import (
    Alert,
    AlertDelivery,
    AlertRule,
    AutoRestart,
    Cluster,
    Grant,
    GroupSnapshot,
    Job,
    JobItem,
    Move,
    OffsetChange,
    Readings,
    Resource,
    ResourceConnector,
    RestartPolicy,
    Sampling,
    Token,
)
from dashboard.moves.log import Entry, Outcome
from dashboard.moves.plan import Options, Step
from dashboard.placement.memory import remember
from dashboard.resources import apply, documents, orders
from dashboard.rights.roles import Role
from dashboard.sealed import seal
from tests.dashboard.configs.paper import CONFIG, ConfigPaper

TRACE = """org.apache.kafka.connect.errors.ConnectException: Exiting WorkerSinkTask due to unrecoverable exception.
\tat org.apache.kafka.connect.runtime.WorkerSinkTask.deliverMessages(WorkerSinkTask.java:624)
\tat java.base/java.lang.Thread.run(Thread.java:840)
Caused by: java.io.IOException: disk full
\tat org.x.OrdersSink.put(OrdersSink.java:12)
\t... 2 more"""


def furnish(paper: ConfigPaper) -> None:
    """`eu` is answered for by `paper`; `us` cannot be reached, `new` has not been read yet. What addresses name by a number is
    counted from 1."""
    now = datetime.now(UTC)
    eu, us = (Cluster.objects.create(name=name, urls=["http://paper"], bootstrap_servers="broker:9092") for name in ("eu", "us"))
    Cluster.objects.create(name="new", urls=["https://connect-1:8083", "https://connect-2:8083"], auth="basic", username="drover")
    _connectors(paper, eu, now)
    far = Recorder(us)
    far.listing({name: paper.entries[name] for name in ("orders", "lake")}, now - timedelta(hours=1))
    far.reached("3.4.0", now - timedelta(hours=1))
    far.unreachable("http://us cannot be reached: Connection refused.", now)
    _workers(paper, eu, now)
    _figures(eu, now)
    _jobs(eu, now)
    _moves(eu, us, now)
    _alerts(eu, now)
    _restarts(eu, now)
    _resources()
    _people(eu, now)
    _deeds(eu, now)


def _connectors(paper: ConfigPaper, eu: Cluster, now: datetime) -> None:
    recorder = Recorder(eu)
    states = {
        "lake": ("RUNNING", "RUNNING", "RUNNING"),
        "broken": ("RUNNING",),
        "wide": ("RUNNING", *["RUNNING"] * 40),
        "resting": ("PAUSED", "PAUSED"),
        "restarting": ("RUNNING", "RESTARTING", "RUNNING"),
        "stopped": ("STOPPED",),
        "waiting": ("UNASSIGNED", "UNASSIGNED"),
        "a-connector-whose-name-is-longer-than-a-phone-is-wide-by-far": ("RUNNING", "RUNNING"),
    }
    for name, (own, *tasks) in states.items():
        paper.put(name, own, *tasks)
    paper.add("orders")
    paper.stand("stopped", {("orders", 0): 20, ("orders", 1): 100}, {("orders", 0): 100, ("orders", 1): 100})
    paper.stand("lake", {("orders", 0): 20}, {("orders", 0): 100})
    recorder.listing(paper.entries, now - timedelta(hours=30))
    recorder.reached("4.3.0", now - timedelta(hours=30))
    for hours, state in ((20, "FAILED"), (12, "RUNNING"), (1, "FAILED")):
        paper.put("orders", "RUNNING", "RUNNING", state, trace=TRACE)
        paper.entries["orders"]["info"]["config"] = {**CONFIG, "file": f"/tmp/orders-{hours}.txt"}
        recorder.listing(paper.entries, now - timedelta(hours=hours))
    paper.put("wide", "RUNNING", *["RUNNING"] * 30, *["FAILED"] * 10, trace=TRACE)
    paper.put("broken", "FAILED", trace=TRACE)
    recorder.listing(paper.entries, now)
    recorder.reached("4.3.0", now)
    plugins.refresh(eu, paper.client())
    for plugin in eu.plugins.all():
        plugins.define(plugin, paper.client())
    paper.loggers = {
        "root": {"level": "INFO", "last_modified": None},
        "org.apache.kafka": {"level": "WARN", "last_modified": None},
        "org.x": {"level": "TRACE", "last_modified": 1_790_000_000_000},
    }


def _workers(paper: ConfigPaper, eu: Cluster, now: datetime) -> None:
    wide = " ".join(f"wide/{task}" for task in range(40))
    paper.place(w1=f"orders orders/0 orders/1 wide {wide}", w2="lake lake/0 lake/1", w3="resting resting/0")
    before = remember((), paper.client().workers().workers, now - timedelta(hours=1))  # type: ignore[union-attr]
    paper.place((("waiting", 0),), w1=f"orders orders/0 orders/1 wide {wide}", w2="lake lake/0 lake/1 resting resting/0")
    assert paper.group is not None
    paper.group["workers"][1]["failed_plugins"] = [{"name": "Acme", "value": "acme:Source", "reason": "ModuleNotFoundError"}]
    seen = remember(before, paper.client().workers().workers, now)  # type: ignore[union-attr]
    GroupSnapshot.objects.create(cluster=eu, workers=[one.to_json() for one in seen], moving=[["waiting", 0]])


def _figures(eu: Cluster, now: datetime) -> None:
    Sampling.objects.create(cluster=eu, at=now, tells_metrics=True)
    for hours in (1, 0):
        hour = now.replace(minute=0, second=0, microsecond=0) - timedelta(hours=hours)
        points = [[minute * 60, 10.5, 10.0, 20 * minute] for minute in range(60)]
        Readings.objects.create(cluster=eu, connector="orders", hour=hour, step=60, points=points)


def _jobs(eu: Cluster, now: datetime) -> None:
    asked = {"by": "ann", "via": "ui", "asked_at": now - timedelta(minutes=2), "started_at": now - timedelta(minutes=2)}
    under_way = Job.objects.create(pk=1, verb="restart", about="Restart 8 failed in 8 connectors", state="running", **asked)
    for number, state in enumerate(JobItem.State.values):
        ended = None if state in ("waiting", "asked", "under way") else now
        cause = "java.io.IOException: disk full" if state in ("failed again", "refused") else ""
        JobItem.objects.create(
            job=under_way, cluster=eu, cluster_name="eu", connector=f"c{number}", state=state, cause=cause, ended_at=ended
        )
    over = Job.objects.create(pk=2, verb="pause", about="Pause 1 connector", state="done", ended_at=now, **asked)
    JobItem.objects.create(job=over, cluster=eu, cluster_name="eu", connector="resting", state="done", ended_at=now)


def _moves(eu: Cluster, us: Cluster, now: datetime) -> None:
    def ended(step: Step, outcome: Outcome = Outcome.DONE, detail: str = "It is so.") -> dict[str, object]:
        return json.loads(json.dumps(Entry(step, 0, now, now, 1, now, outcome, detail).to_json()))  # type: ignore[no-any-return]

    begun = [ended(Step.CHECK), ended(Step.STOP)]
    logs = {
        "running": begun,
        "failed": [*begun, ended(Step.READ), ended(Step.CREATE, Outcome.FAILED, "400, Connector configuration is invalid")],
        "done": [*begun, *(ended(step) for step in (Step.READ, Step.CREATE, Step.WRITE, Step.START, Step.WATCH))],
    }
    config = {"name": "lake", "connector.class": "FileStreamSink", "db.password": "geheim"}
    for number, (state, log) in enumerate(logs.items(), 1):
        Move.objects.create(
            pk=number,
            source=eu,
            source_name="eu",
            connector="lake",
            target=us,
            target_name="us",
            new_name=f"lake-{state}",
            options=Options().to_json(),
            type="sink",
            source_config=seal(json.dumps(config)),
            config=seal(json.dumps({**config, "name": f"lake-{state}", "topics": "other"})),
            state=state,
            log=log,
            waiting_for="2 tasks of lake in eu still to end." if state == "running" else "",
            cause="400, Connector configuration is invalid" if state == "failed" else "",
            by="ann",
            via="ui",
            asked_at=now,
            ended_at=None if state == "running" else now,
        )


def _alerts(eu: Cluster, now: datetime) -> None:
    address = seal("https://hooks.slack.com/services/T0/B0/x")
    rule = AlertRule.objects.create(
        pk=1, name="nights", cluster=eu, states=["FAILED", "UNREACHABLE"], channel="slack", address=address
    )
    AlertRule.objects.create(pk=2, name="off", enabled=False, states=["FAILED"], channel="email", address=seal("ann@example.org"))
    refused = {"attempts": 2, "error": "hooks.slack.com answered 500: no service", "next_try_at": now}
    told = AlertDelivery.objects.create(rule=rule, ended=False, made_at=now, done_at=now, attempts=1, next_try_at=now)
    untold = AlertDelivery.objects.create(rule=rule, ended=False, made_at=now, **refused)
    began = {"rule": rule, "cluster": "eu", "state": "FAILED", "since": now - timedelta(hours=1), "began_at": now}
    Alert.objects.create(connector="orders", cause="java.io.IOException: disk full", began_message=untold, **began)
    Alert.objects.create(connector="lake", began_message=told, ended_at=now, why="It runs again", **began)


def _restarts(eu: Cluster, now: datetime) -> None:
    """The second counts: what failed is restarted by it, or was given up."""
    RestartPolicy.objects.all().delete()
    RestartPolicy.objects.create(
        pk=1, name="nights", position=1, enabled=False, cluster=eu, quiet_from="22:00", quiet_until="06:00"
    )
    RestartPolicy.objects.create(pk=2, name="everything", position=2, text="disk full")
    ago = now - timedelta(minutes=1)
    failed = {"cluster": eu, "count": 6, "last_restart_at": ago, "trace": TRACE}
    AutoRestart.objects.create(connector="broken", gave_up_at=now, **failed)
    AutoRestart.objects.create(connector="orders", message="409: rebalance", **failed | {"count": 2})


def _resources() -> None:
    """One that is as wanted, one that is not, and one that goes."""

    def put(name: str, *conditions: dict[str, str], **annotations: str) -> Resource:
        metadata = {"labels": {orders.CLUSTER: "eu"}, "annotations": annotations}
        spec = {"class": "FileStreamSink", "tasksMax": 1, "config": {"topics": "orders", "db.password": "geheim"}}
        resource, _ = apply.apply(documents.parse("kafkaconnector", name, {"metadata": metadata, "spec": spec}), Who("ann"))
        resource.status = {"conditions": [{"status": "True", **one} for one in conditions]}
        resource.save()
        return resource

    put(
        "orders",
        {"type": "Ready"},
        {"type": "Warning", "reason": "UnknownField", "message": "spec.taskMax is not known."},
        team="x",
    )
    put("lake", {"type": "NotReady", "reason": "ConnectRestException", "message": "POST /connectors returned 400 (400): No"})
    gone = put("gone", {"type": "Ready"})
    ResourceConnector.objects.create(resource=gone, cluster_name="eu", connector="gone")
    apply.delete(gone, Who("ann"))


def _people(eu: Cluster, now: datetime) -> None:
    ann = User.objects.create_user("ann", password="x", pk=1)
    Grant.objects.create(user=ann, role=Role.OPERATOR, cluster=eu, pattern="orders-*")
    Grant.objects.create(user=ann, role=Role.VIEWER)
    User.objects.create(username="gone", is_active=False)
    operator = User.objects.create_superuser("operator")
    for name, ends in (("ci", now + timedelta(days=30)), ("old", now - timedelta(days=1))):
        token = {"user": operator, "role": Role.VIEWER, "start": "drover_ab", "digest": name, "made_at": now}
        Token.objects.create(name=name, expires_at=ends, **token)


def _deeds(eu: Cluster, now: datetime) -> None:
    note(Who("ann"), "stop", cluster="eu", connector="orders")
    note(Who("bob", "api"), "restart", cluster="eu", connector="orders", task=1, refused="409: rebalance")
    note(Who("root"), "change-cluster", cluster="eu", before={"urls": ["http://a"]}, after={"urls": ["http://b"]})
    before, after = (
        [{"partition": {"kafka_topic": "orders", "kafka_partition": 0}, "offset": at}] for at in ({"kafka_offset": 5}, None)
    )
    done = {"cluster": eu, "connector": "stopped", "by": "ann", "deed": "alter", "before": before, "after": after}
    OffsetChange.objects.create(asked_at=now - timedelta(hours=1), outcome="done", message="Altered.", **done)
    OffsetChange.objects.create(asked_at=now, **done)
