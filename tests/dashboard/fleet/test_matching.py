"""What is found: by tables, and beside an implementation that looks at the documents alone, one term after the other."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fnmatch import translate
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connect_client import ConnectorStatus
from connect_client.secrets import without_secrets
from connect_client.states import State, connector_failed, overall_state, tasks_failed
from dashboard.fleet.entries import Entry, entry
from dashboard.fleet.language import Field, Term
from dashboard.fleet.matching import FACETS, ordered, sift
from dashboard.fleet.query import Column, FleetQuery, Sort, parse
from dashboard.fleet.rows import short_class
from dashboard.fleet.sentence import Tally

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
TRACE = (
    "org.apache.kafka.connect.errors.ConnectException: Tolerance exceeded\n\tat org.apache.Frame.run(Frame.java:7)\n"
    "Caused by: java.io.IOException: Disk full on /data\n\t... 3 more"
)
Documents = dict[str, Any]


def connector(name: str, cluster: str = "eu", own: str = "RUNNING", *tasks: str, **config: str | None) -> Documents:
    """Its documents. Task n runs on worker n; `_` in the key of a config is a dot."""
    told = {"name": name} | {key.replace("_", "."): value for key, value in config.items() if key != "type"}

    def instance(state: str, worker: str) -> dict[str, str]:
        return {"state": state, "worker_id": worker} | ({"trace": TRACE} if state == "FAILED" else {})

    listed = [{"id": number, **instance(state, f"w{number}:8083")} for number, state in enumerate(tasks)]
    status = {"name": name, "connector": instance(own, "w0:8083"), "tasks": listed, "type": config.get("type")}
    return {
        "cluster": cluster,
        "name": name,
        "info": {"name": name, "config": told, "type": config.get("type")},
        "status": status,
    }


def entry_of(id: int, told: Documents, since: datetime | None = None) -> Entry:
    status = ConnectorStatus.from_json(told["status"]) if told["status"] else None
    tally = Tally(overall_state(status), tasks_failed(status), connector_failed(status))
    found = entry(id, 0, told["cluster"], told["name"], tally, since, NOW, told["info"], told["status"])
    return replace(found, gave_up=told.get("gave_up", False))


JDBC = "io.confluent.connect.jdbc.JdbcSinkConnector"
FLEET = [
    connector("orders-1", "eu", "RUNNING", "RUNNING", "FAILED", connector_class=JDBC, topics="orders-1, payments", type="sink"),
    connector("orders-2", "us", "RUNNING", "RUNNING", connector_class="FileStreamSource", topic="orders-2", type="source"),
    connector("Lake", "eu-2", "FAILED", connector_class=JDBC, type="sink", db_password="geheim", url="jdbc:x=y")
    | {"gave_up": True},
    connector("resting", "eu", "PAUSED", "PAUSED", "PAUSED", topics="lake", empty=None, token="${file:/run:t}"),
    {"cluster": "us", "name": "new", "info": None, "status": None},
]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("", [0, 1, 2, 3, 4]),
        ("orders", [0, 1]),
        ("ORDERS 2", [1]),
        ("lake", [2]),
        ("jdbcsink", [0, 2]),
        ('"disk full"', [0, 2]),
        ("disk full", [0, 2]),
        ("ioexception orders", [0]),
        # Frames are no text of the failure: half of them are the framework's.
        ("Frame.java", []),
        ("failure:disk", [0, 2]),
        ("failure:orders", []),
        ("failure:disk failure:tolerance lake", [2]),
        ("state:failed", [2]),
        ("state:failed,degraded", [0, 2]),
        ("state:healthy state:paused", [1, 3]),
        ("state:unassigned", [4]),
        ("is:gave-up", [2]),
        ("is:Gave-Up cluster:eu", []),
        ("cluster:eu", [0, 3]),
        ("cluster:EU*", [0, 2, 3]),
        ("cluster:eu,us", [0, 1, 3, 4]),
        ("cluster:e", []),
        ("type:sink", [0, 2]),
        ("type:source,sink", [0, 1, 2]),
        ("class:JdbcSink", [0, 2]),
        ("class:jdbcsinkconnector", [0, 2]),
        (f"class:{JDBC}", [0, 2]),
        ("class:io.confluent.*", [0, 2]),
        ("class:Jdbc", []),
        ("class:FileStreamSource class:JdbcSink", [0, 1, 2]),
        ("worker:w1", [0, 3]),
        ("worker:w1:8083", [0, 3]),
        ("worker:w?:80*", [0, 1, 2, 3]),
        ("worker:w", []),
        ("name:orders-1", [0]),
        ("name:orders", []),
        ("name:orders* name:LAKE", [0, 1, 2]),
        ("name:*-?", [0, 1]),
        ("config:topics", [0, 3]),
        ("config:top*", [0, 1, 3]),
        ("config:topics=lake", [3]),
        ("config:topics=payments", [0]),
        ("config:topics=orders*", [0]),
        ("config:topic*=orders*", [0, 1]),
        ("config:topics=order", []),
        ("config:=FileStream*", [1]),
        ("config:url=jdbc:x=y", [2]),
        ("config:url=*x=?", [2]),
        ("config:nonsense", []),
        # That there is a secret can be found, what it is cannot.
        ("config:db.password", [2]),
        ("config:db.password=geheim", []),
        ("config:db.password=g*", []),
        ("config:=geheim", []),
        ("geheim", []),
        # That one is only named.
        ("config:token=${file:*", [3]),
        ("cluster:eu type:sink config:topics disk", [0]),
    ],
)
def test_what_is_found(search: str, found: list[int]) -> None:
    query = parse({"q": search})
    assert query.problems == ()
    entries = [entry_of(number, told) for number, told in enumerate(FLEET)]
    assert [entry.id for entry in sift(query, entries).matching] == found
    assert [entry.id for entry in reference(query, entries)] == found


def test_counts_are_of_what_choosing_would_show() -> None:
    entries = [entry_of(number, told) for number, told in enumerate(FLEET)]
    counts = sift(parse({"q": "cluster:eu type:sink"}), entries).counts
    # Of sinks anywhere; of whatever is in eu; and the rest of the sinks in eu.
    assert counts[Field.CLUSTER] == {"eu": 1, "eu-2": 1}
    assert counts[Field.TYPE] == {"sink": 1}
    assert counts[Field.STATE] == {"DEGRADED": 1}
    assert counts[Field.CLASS] == {"JdbcSink": 1}
    assert counts[Field.WORKER] == {"w0:8083": 1, "w1:8083": 1}


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        (Sort(), [2, 0, 3, 4, 1]),
        (Sort(Column.STATE, descending=True), [1, 4, 3, 0, 2]),
        (Sort(Column.NAME), [2, 4, 0, 1, 3]),
        (Sort(Column.NAME, descending=True), [3, 1, 0, 4, 2]),
        (Sort(Column.CLUSTER), [0, 3, 2, 4, 1]),
        (Sort(Column.CLUSTER, descending=True), [4, 1, 2, 0, 3]),
        (Sort(Column.FAILED, descending=True), [0, 2, 4, 1, 3]),
        (Sort(Column.FAILED), [4, 1, 3, 2, 0]),
        # The first and the last are not known.
        (Sort(Column.SINCE), [1, 2, 3, 4, 0]),
        (Sort(Column.SINCE, descending=True), [3, 2, 1, 4, 0]),
    ],
)
def test_order(sort: Sort, order: list[int]) -> None:
    moments = [None, *(NOW - timedelta(hours=hours) for hours in (3, 2, 1)), None]
    entries = [entry_of(number, told, since) for number, (told, since) in enumerate(zip(FLEET, moments, strict=True))]
    assert [entry.id for entry in ordered(entries, sort)] == order


def reference(query: FleetQuery, entries: Iterable[Entry], fleet: list[Documents] = FLEET) -> list[Entry]:
    """Plainly, from the documents."""
    return [
        entry for entry in entries if all(_fits(query.of(field), field, fleet[entry.id]) for field in Field if query.of(field))
    ]


def _fits(terms: tuple[Term, ...], field: Field, told: Documents) -> bool:
    fitting = [_has(field, term.value.lower(), told) for term in terms]
    return all(fitting) if field in (Field.CONFIG, Field.FAILURE, Field.TEXT) else any(fitting)


def _has(field: Field, value: str, told: Documents) -> bool:
    info, status = told["info"] or {}, told["status"]
    config: dict[str, str] = info.get("config", {})
    class_name = config.get("connector.class", "")
    instances = [status["connector"], *status["tasks"]] if status else []
    lines = [line for one in instances for line in one.get("trace", "").split("\n") if not line.startswith("\t")]
    match field:
        case Field.STATE:
            return overall_state(ConnectorStatus.from_json(status) if status else None).lower() == value
        case Field.IS:
            return told.get("gave_up") is True
        case Field.CLUSTER:
            return _is(value, told["cluster"])
        case Field.TYPE:
            return info.get("type") == value
        case Field.CLASS:
            return any(_is(value, name) for name in (class_name, class_name.split(".")[-1], short_class(class_name)))
        case Field.WORKER:
            return any(_is(value, name) for one in instances for name in (one["worker_id"], one["worker_id"].split(":")[0]))
        case Field.NAME:
            return _is(value, told["name"])
        case Field.FAILURE:
            return any(value in line.lower() for line in lines)
        case Field.TEXT:
            return any(value in line.lower() for line in (told["name"], class_name, *lines))
    key, equals, wanted = value.partition("=")
    shown = {name: text or "" for name, text in without_secrets(config).items() if _is(key or "*", name)}
    shown = {name: "" if "•" in text else text for name, text in shown.items()}
    return any(not equals or _is(wanted, part) for text in shown.values() for part in (text, *re.split(r"\s*,\s*", text.strip())))


def _is(pattern: str, text: str) -> bool:
    return re.fullmatch(translate(pattern.replace("[", "[[]")), text.lower()) is not None


_NAMES = st.sampled_from(["orders-1", "orders-2", "lake", "Lake", "pay*ments", "a b"])
_CLASSES = st.sampled_from([JDBC, "FileStreamSource", "FileStreamSinkConnector", "x.y.Z"])
_OWN = st.sampled_from([*State, "ODD"])
_CONFIGS = st.dictionaries(
    st.sampled_from(["topics", "topic", "db.password", "api.key", "url", "token"]),
    st.sampled_from(["orders-1", "orders-1,lake", " a , b ", "geheim", "${env:x}", "", "jdbc:a=b"]),
)


@st.composite
def fleets(draw: st.DrawFn) -> list[Documents]:
    fleet = []
    for _ in range(draw(st.integers(0, 6))):
        told = connector(
            draw(_NAMES),
            draw(st.sampled_from(["eu", "eu-2", "us"])),
            draw(_OWN),
            *draw(st.lists(_OWN, max_size=3)),
            connector_class=draw(_CLASSES),
            type=draw(st.sampled_from(["source", "sink"])),
        )
        told["info"]["config"] |= draw(_CONFIGS)
        told["gave_up"] = draw(st.booleans())
        if draw(st.booleans()):
            told["status"] = None
        fleet.append(told)
    return fleet


_ASKED = {
    Field.STATE: st.sampled_from([state.lower() for state in State]),
    Field.IS: st.just("gave-up"),
    Field.CLUSTER: st.sampled_from(["eu", "EU*", "us", "?u"]),
    Field.TYPE: st.sampled_from(["source", "sink"]),
    Field.CLASS: st.sampled_from(["JdbcSink", "FileStream*", "z", "x.y.Z", "*"]),
    Field.WORKER: st.sampled_from(["w0", "w1:8083", "w?", "*:8083", "w"]),
    Field.NAME: st.sampled_from(["orders-*", "LAKE", "pay*ments", "*"]),
    Field.CONFIG: st.sampled_from(
        ["topics", "top*", "topics=lake", "=orders*", "db.password=g*", "=*=b", "=", "*=a", "token=$*"]
    ),
    Field.FAILURE: st.sampled_from(["disk full", "tolerance", "frame"]),
    Field.TEXT: st.sampled_from(["orders", "disk full", "stream", "JDBC", "frame"]),
}
_TERMS = st.sampled_from(Field).flatmap(lambda field: st.builds(Term, st.just(field), _ASKED[field]))


@given(fleets(), st.lists(_TERMS, max_size=4, unique=True))
@settings(max_examples=300)
def test_the_same_is_found_as_by_looking_at_the_documents(fleet: list[Documents], terms: list[Term]) -> None:
    query = FleetQuery()
    for term in terms:
        query = query if query.holds(term) else query.toggled(term)
    entries = [entry_of(number, told) for number, told in enumerate(fleet)]
    sifted = sift(query, entries)
    assert sifted.matching == reference(query, entries, fleet)
    for facet in FACETS:
        fitting = reference(query.without(facet), entries, fleet)
        if facet is Field.CLUSTER:
            assert sifted.counts[facet] == Counter(entry.cluster for entry in fitting)
        if facet is Field.IS:
            assert sifted.counts[facet].total() == sum(entry.gave_up for entry in fitting)
        if facet is Field.STATE:
            assert sifted.counts[facet] == Counter(entry.tally.state for entry in fitting)
        if facet is Field.WORKER:
            assert sifted.counts[facet] == Counter(worker for entry in fitting for worker in entry.workers)
