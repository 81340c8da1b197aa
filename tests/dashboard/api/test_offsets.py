"""`/api/v1/connectors/{cluster}/{name}/offsets`: what it tells, what it asks a cluster for, and what it notes."""

from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from django.test import Client

from dashboard.follow.recorder import Recorder
from dashboard.models import Activity, Cluster, OffsetChange
from tests.dashboard.conftest import PaperCluster

PATH = "/api/v1/connectors/eu/orders/offsets"
CHANGES = "/api/v1/connectors/eu/orders/offset-changes"
CHANGE = "PATCH /connectors/orders/offsets"
FORGET = "DELETE /connectors/orders/offsets"


@pytest.fixture
def sink(cluster: Cluster, paper: PaperCluster) -> PaperCluster:
    """`orders`, stopped, of a Drover: at 20 of 100 in one partition, nowhere in another."""
    paper.stand("orders", {("t", 0): 20}, {("t", 0): 100, ("t", 1): 0})
    paper.put("orders", "STOPPED")
    recorder = Recorder(cluster)
    recorder.listing(paper.entries, datetime.now(UTC))
    recorder.reached("4.3.0", datetime.now(UTC))
    return paper


def at(partition: int, offset: Any) -> dict[str, Any]:
    told = {"kafka_offset": offset} if isinstance(offset, int | str) else offset
    return {"partition": {"kafka_topic": "t", "kafka_partition": partition}, "offset": told}


def patch(client: Client, *offsets: dict[str, Any], query: str = "", code: int = 200, **headers: str) -> dict[str, Any]:
    response = client.patch(PATH + query, {"offsets": offsets}, content_type="application/json", headers=headers)
    assert response.status_code == code, response.content
    told: dict[str, Any] = response.json()
    return told


def sent(paper: PaperCluster) -> list[str]:
    return [line for line in paper.asked if not line.startswith("GET ")]


def noted() -> list[tuple[str, str, str, str]]:
    return list(OffsetChange.objects.order_by("pk").values_list("by", "deed", "outcome", "message"))


def test_what_is_committed(room: Client, sink: PaperCluster) -> None:
    response = room.get(PATH)
    assert response.json() == {"offsets": [at(0, 20)]}
    assert response.headers["ETag"] == room.get(PATH).headers["ETag"]


def test_they_are_altered(room: Client, sink: PaperCluster) -> None:
    told = patch(room, at(0, 200), at(1, None))
    change = {"partition": at(0, 0)["partition"], "before": {"kafka_offset": 20}, "after": {"kafka_offset": 200}}
    remark = "beyond the end, 100: the log has no such offset"
    assert told == {"message": "The offsets have been altered.", "changes": [{**change, "remark": remark}]}
    assert sent(sink) == [CHANGE]
    assert sink.body == {"offsets": [at(0, 200)]}, "what is different, and nothing else"
    assert noted() == [("operator", "alter", "done", "The offsets have been altered.")]
    page = room.get("/ui/clusters/eu/connectors/orders?tab=offsets").content.decode()
    assert "1 offset altered" in page, "from where it can be put back"


def test_what_is_so_already_is_not_asked_for(room: Client, sink: PaperCluster) -> None:
    told = patch(room, {"partition": {"kafka_partition": 0, "kafka_topic": "t"}, "offset": {"kafka_offset": 20}})
    assert told["changes"] == []
    assert told["message"].startswith("Nothing is different")
    sink.offsets["orders"] = {}
    assert room.delete(PATH).json()["changes"] == []
    assert (sent(sink), noted()) == ([], [])


def test_a_dry_run(room: Client, sink: PaperCluster) -> None:
    told = patch(room, at(0, 5), query="?dryRun=true")
    assert (told["message"], [one["after"] for one in told["changes"]]) == ("", [{"kafka_offset": 5}])
    told = room.delete(f"{PATH}?dryRun=true").json()
    assert [(one["before"], one["after"]) for one in told["changes"]] == [({"kafka_offset": 20}, None)]
    assert (sent(sink), noted()) == ([], [])


def test_they_are_forgotten(room: Client, sink: PaperCluster) -> None:
    assert room.delete(PATH).json()["message"] == "The offsets have been reset."
    assert (sent(sink), sink.offsets["orders"]) == ([FORGET], {})
    assert noted() == [("operator", "reset", "done", "The offsets have been reset.")]


def test_they_are_put_back(room: Client, sink: PaperCluster) -> None:
    assert room.get(CHANGES).json() == {"changes": []}
    patch(room, at(0, 5), at(1, 0))
    (past,) = room.get(CHANGES).json()["changes"]
    partitions = [at(0, 0)["partition"], at(1, 0)["partition"]]
    assert (past["person"], past["deed"], past["outcome"], past["message"]) == (
        "operator",
        "alter",
        "done",
        "The offsets have been altered.",
    )
    assert [(one["partition"], one["before"], one["after"]) for one in past["changes"]] == [
        (partitions[0], {"kafka_offset": 20}, {"kafka_offset": 5}),
        (partitions[1], None, {"kafka_offset": 0}),
    ]
    back = f"{CHANGES}/{past['id']}/put-back"
    assert [one["after"] for one in room.post(f"{back}?dryRun=true").json()["changes"]] == [{"kafka_offset": 20}, None]
    assert (len(sent(sink)), len(noted())) == (1, 1)
    assert room.post(back).json()["message"] == "The offsets have been altered."
    assert room.get(PATH).json() == {"offsets": [at(0, 20)]}
    assert room.post(back).json()["message"].startswith("Nothing is different"), "it is as it was already"
    assert [one["deed"] for one in room.get(CHANGES).json()["changes"]] == ["put-back", "alter"]


def test_nothing_to_put_back(room: Client, sink: PaperCluster) -> None:
    response = room.post(f"{CHANGES}/77/put-back")
    assert (response.status_code, response.json()["message"]) == (404, "There is no change 77 of the offsets of orders")
    assert (sent(sink), noted()) == ([], [])


def test_each_is_an_activity(room: Client, sink: PaperCluster) -> None:
    patch(room, at(0, 5))
    sink.refusals["DELETE offsets"] = (400, "Stop it first")
    room.delete(PATH)
    sink.refusals["DELETE offsets"] = (500, "Oh")
    room.delete(PATH)
    found = Activity.objects.order_by("pk").values_list("by", "via", "verb", "cluster", "connector", "outcome", "message")
    told = [
        ("operator", "api", verb, "eu", "orders", outcome, message)
        for verb, outcome, message in (
            ("alter-offsets", "done", ""),
            ("reset-offsets", "refused", "Refused, nothing was changed: 400, Stop it first"),
            ("reset-offsets", "refused", "What came of it is not known: 500, Oh"),
        )
    ]
    assert list(found) == told
    altered = Activity.objects.earliest("pk")
    assert (altered.before, altered.after) == ({"t 0": {"kafka_offset": 20}}, {"t 0": {"kafka_offset": 5}})
    page = room.get("/ui/clusters/eu/connectors/orders?tab=activity").content.decode()
    assert page.count("alter offsets") == 1, "noted twice, told once"


def test_only_what_it_was_made_from(room: Client, sink: PaperCluster) -> None:
    etag = room.get(PATH).headers["ETag"]
    sink.stand("orders", {("t", 0): 21}, {("t", 0): 100})
    told = patch(room, at(0, 5), code=412, if_match=etag)
    assert told == {"error_code": 412, "message": "The offsets of orders have changed since they were read"}
    assert room.delete(PATH, headers={"if-match": etag}).status_code == 412
    assert (sent(sink), noted()) == ([], [])
    patch(room, at(0, 5), if_match=room.get(PATH).headers["ETag"])
    assert sent(sink) == [CHANGE]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "offsets: This field is required."),
        ({"offsets": []}, "may not be empty"),
        ({"offsets": [{"partition": {}}]}, "offset: This field is required."),
        ({"offsets": [{"partition": None, "offset": {}}]}, "partition: This field may not be null."),
        ({"offsets": [at(0, -1)]}, "t 0: An offset is a whole number, 0 or more"),
        ({"offsets": [at(0, "3")]}, "t 0: An offset is a whole number"),
        ({"offsets": [at(0, 2**63)]}, "t 0: An offset is a whole number"),
        ({"offsets": [at(0, {"position": 3})]}, "t 0: An offset is a whole number"),
        (
            {"offsets": [{"partition": {"kafka_topic": "t", "kafka_partition": "0"}, "offset": None}]},
            "a topic, a text, and a number",
        ),
        ({"offsets": [{"partition": {"file": "/a"}, "offset": {"at": [1]}}]}, "“at” is a list or an object"),
        ({"offsets": [at(0, 1), at(0, 2)]}, "t 0 is there twice"),
    ],
)
def test_what_cannot_be_meant(room: Client, sink: PaperCluster, body: dict[str, Any], said: str) -> None:
    response = room.patch(PATH, body, content_type="application/json")
    assert response.status_code == 400
    assert said in response.json()["message"]
    assert (sink.asked, noted()) == ([], [])


def test_what_the_cluster_says_no_to(room: Client, sink: PaperCluster) -> None:
    told = "Connectors must be in the STOPPED state before their offsets can be modified."
    sink.refusals["PATCH offsets"] = (400, told)
    assert patch(room, at(0, 5), code=400) == {"error_code": 400, "message": told}
    sink.refusals["DELETE offsets"] = (500, "Oh")
    assert room.delete(PATH).status_code == 500
    assert [(deed, outcome) for _, deed, outcome, _ in noted()] == [("alter", "refused"), ("reset", "unknown")]


def test_a_cluster_that_does_not_answer(room: Client, sink: PaperCluster, cluster: Cluster) -> None:
    sink.down = httpx.ConnectError("no")
    assert room.get(PATH).status_code == 502
    sink.asked.clear()
    Recorder(cluster).unreachable("no answer", datetime.now(UTC))
    response = room.get(PATH)
    assert (response.status_code, response.json()["message"]) == (502, "Cluster eu cannot be reached: no answer")
    assert sink.asked == [], "it is known, and not waited for"


def test_a_cluster_that_has_none(room: Client, sink: PaperCluster, cluster: Cluster) -> None:
    Recorder(cluster).reached("3.4.1", datetime.now(UTC))
    response = room.get(PATH)
    assert response.status_code == 400
    assert "Cluster eu is too old to tell offsets." in response.json()["message"]
    assert room.get(PATH.replace("orders", "nothing")).status_code == 404
