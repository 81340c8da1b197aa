"""The offsets tab from the browser's side: what is shown of a cluster, each step of a change, and what a step sends and notes."""

import re
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from django.test import Client

from dashboard.follow.recorder import Recorder
from dashboard.models import Cluster, ConnectorSnapshot, OffsetChange
from tests.dashboard.conftest import PaperCluster
from tests.dashboard.offset_pages import Page

HTMX = {"HX-Request": "true"}
TAB = "/ui/clusters/eu/connectors/orders?tab=offsets"
FORM = "/ui/clusters/eu/offsets/orders"
T0, T1, T10 = ("t", 0), ("t", 1), ("t", 10)
ALTERED, RESET = "The offsets have been altered.", "The offsets have been reset."


@pytest.fixture
def sink(cluster: Cluster, paper: PaperCluster) -> PaperCluster:
    """`orders`, a sink of a Drover, stopped, at 20 of 100 in one partition and at the end of another; a third has nothing."""
    paper.stand("orders", {T10: 100, T0: 20}, {T0: 100, T1: 0, T10: 100})
    return state(paper, "STOPPED")


def state(paper: PaperCluster, state: str, *, type: str = "sink") -> PaperCluster:
    paper.put("orders", state, *(["RUNNING"] if state == "RUNNING" else []), type=type)
    Recorder(Cluster.objects.get()).listing(paper.entries, datetime.now(UTC))
    paper.asked.clear()
    return paper


def opened(room: Client) -> Page:
    page = Page(room, FORM, room.get(TAB))
    assert page.response.status_code == 200
    return page


def noted() -> list[tuple[str, str]]:
    """What is in the history, the oldest first."""
    return [(change.deed, change.outcome) for change in OffsetChange.objects.order_by("pk")]


# --- looking ----------------------------------------------------------------------------------------------------------


def test_partitions_of_a_sink_with_ends_and_lag(room: Client, sink: PaperCluster) -> None:
    page = opened(room)
    assert page.rows() == [["t", "0", "20", "100", "80"], ["t", "1", "–", "0", "–"], ["t", "10", "100", "100", "0"]]
    assert "3 partitions · lag 80" in page.text


def test_topics_that_it_has_used(room: Client, sink: PaperCluster) -> None:
    assert "Topics used so far" not in opened(room).text
    sink.entries["orders"]["topics"] = ["t", "u"]
    assert re.search(r"Topics used so far:.*>t<.*>u<", opened(room).text)


def test_a_cluster_that_does_not_tell_ends(room: Client, sink: PaperCluster) -> None:
    sink.positions.clear()
    page = opened(room)
    assert page.rows() == [["t", "0", "20"], ["t", "10", "100"]]
    assert "earliest" not in page.text


def test_partitions_of_a_source(room: Client, sink: PaperCluster) -> None:
    state(sink, "STOPPED", type="source")
    sink.offsets["orders"] = {'{"filename":"/b"}': {"position": 12}, '{"filename":"/a"}': {"position": 7}}
    assert opened(room).rows() == [['{"filename":"/a"}', '{"position":7}'], ['{"filename":"/b"}', '{"position":12}']]
    assert not any("positions" in line for line in sink.asked), "a source has none"


def test_nothing_committed_yet(room: Client, sink: PaperCluster) -> None:
    sink.stand("orders", {})
    assert "Nothing has been committed yet." in opened(room).text


def test_a_long_table_has_a_filter(room: Client, sink: PaperCluster) -> None:
    assert "data-filter" not in opened(room).text
    sink.stand("orders", {("t", number): 1 for number in range(300)})
    page = opened(room)
    assert "data-filter" in page.text
    assert [row[1] for row in page.rows()] == [str(number) for number in range(300)]


@pytest.mark.parametrize(
    ("refusal", "told"),
    [
        ((404, "HTTP 404 Not Found"), "Cluster eu is too old to tell offsets."),
        ((404, "Connector orders not found"), "404, Connector orders not found"),
        ((500, "Failed to retrieve offsets"), "500, Failed to retrieve offsets"),
    ],
)
def test_a_cluster_that_refuses(room: Client, sink: PaperCluster, refusal: tuple[int, str], told: str) -> None:
    sink.refusals["GET offsets"] = refusal
    page = opened(room)
    assert told in page.text
    assert "Ask again" in page.text


def test_a_cluster_that_does_not_answer(room: Client, sink: PaperCluster) -> None:
    sink.down = httpx.ReadTimeout("slow")
    assert "Cluster eu did not answer." in opened(room).text


def test_a_cluster_that_is_known_not_to_answer_is_not_asked(room: Client, cluster: Cluster, sink: PaperCluster) -> None:
    Recorder(cluster).unreachable("Connection refused.", datetime.now(UTC))
    assert "Cluster eu cannot be reached." in opened(room).text
    assert sink.asked == []


def test_what_is_on_the_screen_stays_while_it_fits(room: Client, sink: PaperCluster) -> None:
    def fetched(shown: str) -> str:
        return room.get(f"{TAB}&shown={shown}", headers=HTMX).content.decode()

    assert "partitions" not in fetched("offsets-stopped")
    assert sink.asked == [], "and the cluster is not asked again"
    assert 'id="partitions"' in fetched("offsets-moving")
    state(sink, "RUNNING")
    assert 'id="partitions"' in fetched("offsets-stopped")
    assert "partitions" not in fetched("offsets-moving")


# --- editing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("told", ["RUNNING", "PAUSED", "FAILED"])
def test_nothing_can_be_edited_while_it_is_not_stopped(room: Client, sink: PaperCluster, told: str) -> None:
    page = opened(room)
    assert "Review changes" in page.text
    state(sink, told)
    page = opened(room)
    assert f"Nothing can be edited while orders is {told}." in page.text
    assert "Stop orders to edit its offsets" in page.text
    assert "Review changes" not in page.text
    assert "curl -X PUT http://paper/connectors/orders/stop" in page.text
    assert room.post("/ui/clusters/eu/do/stop/orders?tab=offsets").headers["Location"] == TAB


def test_the_whole_way(room: Client, sink: PaperCluster) -> None:
    review = opened(room).send(step="review", to_0="5", to_1="3", reset_2="on")
    assert "Review: 3 changes" in review.text
    assert review.rows("diff") == [
        ["t 0", "20", "5", "−15 before the beginning, 10: the log does not have it any more"],
        ["t 1", "none", "3", "beyond the end, 0: the log has no such offset"],
        ["t 10", "100", "none: reset", ""],
    ]
    body = '{"offsets":[{"partition":{"kafka_partition":0,"kafka_topic":"t"},"offset":{"kafka_offset":5}},'
    assert f"-H 'Content-Type: application/json' -d '{body}" in review.text
    assert not any(line.startswith("PATCH") for line in sink.asked)

    done = review.send(step="apply")
    assert done.response.status_code == 302
    assert sink.body == {
        "offsets": [
            {"partition": {"kafka_topic": "t", "kafka_partition": 0}, "offset": {"kafka_offset": 5}},
            {"partition": {"kafka_topic": "t", "kafka_partition": 1}, "offset": {"kafka_offset": 3}},
            {"partition": {"kafka_topic": "t", "kafka_partition": 10}, "offset": None},
        ]
    }
    page = done.follow()
    assert ALTERED in page.text
    assert "<span>Resume orders</span>" in page.text
    assert [row[2] for row in page.rows()] == ["5", "3", "–"]
    assert noted() == [("alter", "done")]


def test_with_htmx_an_answer_is_a_fragment(room: Client, sink: PaperCluster) -> None:
    fields = {**opened(room).send(step="review", to_0="5").fields, "step": "apply"}
    text = room.post(FORM, fields, headers=HTMX).content.decode()
    assert "<html" not in text
    assert ALTERED in text


def test_a_source_is_edited_as_json(room: Client, sink: PaperCluster) -> None:
    state(sink, "STOPPED", type="source")
    sink.offsets["orders"] = {'{"filename": "/a"}': {"position": 7}}
    page = opened(room)
    assert page.fields["to-0"] == '{"position":7}'
    for text in ("7", "{", "[1]", '{"position": [7]}', ""):
        bad = page.send(step="review", to_0=text)
        assert (bad.response.status_code, len(bad.errors()), bad.fields["to-0"]) == (422, 1, text)
    page.send(step="review", to_0='{"position": 0}').send(step="apply")
    assert sink.offsets["orders"] == {'{"filename": "/a"}': {"position": 0}}


def test_bad_values_are_named_next_to_their_inputs_and_nothing_is_lost(room: Client, sink: PaperCluster) -> None:
    page = opened(room).send(step="review", to_0="5x", to_1="7", reset_2="on", confirm="ord", time="2026-11-21T18:30")
    assert page.response.status_code == 422
    assert "A value cannot be used." in page.text
    assert page.errors() == ["“5x” is no offset: a whole number is wanted, 0 or more."]
    assert 'aria-invalid="true" aria-describedby="error-0"' in page.text
    kept = {name: page.fields.get(name) for name in ("to-0", "to-1", "reset-2", "confirm", "time")}
    assert kept == {"to-0": "5x", "to-1": "7", "reset-2": "on", "confirm": "ord", "time": "2026-11-21T18:30"}
    assert sink.body is None
    # And from the review back again.
    page = page.send(step="review", to_0="5").send(step="edit")
    assert [page.fields.get(name) for name in ("to-0", "to-1", "to-2", "reset-2")] == ["5", "7", "100", "on"]


def test_nothing_different(room: Client, sink: PaperCluster) -> None:
    assert "Nothing is different" in opened(room).send(step="review", to_0=" 20 ").text


@pytest.mark.parametrize(
    ("fill", "inputs"),
    [
        ("earliest", ["10", "10", "10"]),
        ("latest", ["100", "0", "100"]),
        ("time", ["50", "50", "50"]),
        ("earliest-0", ["10", "", "100"]),
        ("latest-0", ["100", "", "100"]),
        ("time-2", ["20", "", "50"]),
        ("latest-7", ["20", "", "100"]),
        ("there", ["20", "", "100"]),
    ],
)
def test_filling_in(room: Client, sink: PaperCluster, fill: str, inputs: list[str]) -> None:
    page = opened(room).send(fill=fill, time="2026-11-21T18:30")
    assert [page.fields[f"to-{number}"] for number in range(3)] == inputs
    if fill.startswith("time"):
        assert "GET /api/v1/connectors/orders/positions?time=1795285800000" in sink.asked


def test_a_time_that_is_none(room: Client, sink: PaperCluster) -> None:
    page = opened(room).send(fill="time", time="", to_1="4")
    assert page.errors() == ["Give the time first, like 2026-11-21 18:30 (UTC)."]
    assert page.fields["to-1"] == "4"


def test_filling_in_where_nothing_is_told_any_more(room: Client, sink: PaperCluster) -> None:
    page = opened(room)
    sink.positions.clear()
    assert page.send(fill="latest-0").errors() == ["The cluster does not say how far this partition reaches."]


def test_reset_all_wants_the_name(room: Client, sink: PaperCluster) -> None:
    page = opened(room).send(step="reset-all", confirm="Orders", to_0="5")
    assert page.errors() == ["Type orders, exactly, to reset all of its offsets."]
    assert page.fields["to-0"] == "5"
    review = page.send(step="reset-all", confirm="orders")
    assert "Review: reset all 2 offsets" in review.text
    assert "curl -X DELETE http://paper/connectors/orders/offsets" in review.text
    back = review.send(step="edit")
    assert (back.fields["to-0"], back.fields["to-2"], "reset-0" in back.fields) == ("5", "100", False)
    done = review.send(step="apply")
    assert sink.asked[-1] == "DELETE /connectors/orders/offsets"
    assert RESET in done.follow().text
    assert sink.offsets["orders"] == {}
    assert noted() == [("reset", "done")]


def test_return_in_the_name_is_meant_for_the_reset(room: Client, sink: PaperCluster) -> None:
    assert "Review: reset all 2 offsets" in opened(room).send(step="review", confirm="orders").text


@pytest.mark.parametrize("step", ["review", "apply"])
def test_somebody_else_was_faster(room: Client, sink: PaperCluster, step: str) -> None:
    page = opened(room)
    page = page.send(step="review", to_0="5") if step == "apply" else page
    sink.stand("orders", {T0: 30, T10: 100}, {T0: 100, T1: 0, T10: 100})
    again = page.send(step=step, **({} if step == "apply" else {"to_0": "5"}))
    assert again.response.status_code == 409
    assert "Somebody else has changed these offsets since you began." in again.text
    assert again.rows("diff") == [["t 0", "20", "30", "+10"]], "the first of the two tables: what he did"
    assert "30" in again.text.partition('aria-label="What changes"')[2]
    assert not any(line.startswith("PATCH") for line in sink.asked)
    again.send(step="apply")
    assert sink.body["offsets"][0]["offset"] == {"kafka_offset": 5}


def test_somebody_else_did_the_same(room: Client, sink: PaperCluster) -> None:
    review = opened(room).send(step="review", to_0="30")
    sink.stand("orders", {T0: 30, T10: 100})
    assert "Nothing is different" in review.send(step="apply").text
    assert noted() == []


@pytest.mark.parametrize(
    ("refusal", "outcome", "told"),
    [
        (
            (400, "Connectors must be in the STOPPED state"),
            "refused",
            "The cluster refused: 400, Connectors must be in the STOPPED",
        ),
        ((409, "Rebalance"), "refused", "The cluster refused: 409, Rebalance"),
        ((500, "Failed to alter"), "unknown", "What came of it is not known: 500, Failed to alter"),
    ],
)
def test_a_change_that_is_refused(room: Client, sink: PaperCluster, refusal: tuple[int, str], outcome: str, told: str) -> None:
    review = opened(room).send(step="review", to_0="5")
    sink.refusals["PATCH offsets"] = refusal
    answer = review.send(step="apply")
    if outcome == "unknown":
        answer = answer.follow()
    else:
        assert answer.fields["changes"] == review.fields["changes"], "it can be tried again"
    assert told in answer.text
    assert noted() == [("alter", outcome)]


def test_a_change_that_is_not_answered(room: Client, sink: PaperCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    review = opened(room).send(step="review", to_0="5")
    noted_before: list[tuple[str, str]] = []
    answer = sink.answer

    def silent(request: httpx.Request) -> httpx.Response:
        if request.method == "PATCH":
            noted_before.extend(noted())
            raise httpx.ReadTimeout("slow")
        return answer(request)

    monkeypatch.setattr(sink, "answer", silent)
    page = review.send(step="apply").follow()
    assert "What came of it is not known" in page.text
    assert noted_before == noted() == [("alter", "unknown")]
    assert "<span>Resume orders</span>" not in page.text


@pytest.mark.parametrize("step", ["review", "reset-all", "apply"])
def test_a_cluster_that_has_gone_meanwhile(room: Client, sink: PaperCluster, step: str) -> None:
    page = opened(room).send(step="review", to_0="5") if step == "apply" else opened(room)
    sink.down = httpx.ConnectError("gone")
    again = page.send(step=step, confirm="orders", **({} if step == "apply" else {"to_0": "5"}))
    assert "The cluster did not tell where the connector stands" in again.text
    assert again.fields["to-0"] == "5"
    assert noted() == []


@pytest.mark.parametrize(
    "fields", [{}, {"step": "review"}, {"step": "explode", "known": "[]"}, {"step": "review", "known": "[1]"}]
)
def test_what_is_no_form_of_ours(room: Client, sink: PaperCluster, fields: dict[str, str]) -> None:
    response = room.post(FORM, fields)
    assert response.status_code == 400
    assert b"This form was not complete." in response.content


def test_addresses(room: Client, sink: PaperCluster) -> None:
    assert room.get(FORM).headers["Location"] == TAB
    assert room.post("/ui/clusters/eu/offsets/nobody").status_code == 404
    assert room.post("/ui/clusters/eu/put-back/1/orders").status_code == 404
    assert room.get("/ui/clusters/eu/put-back/1/orders").status_code == 405


def test_a_thousand_partitions_fit_into_the_form(room: Client, sink: PaperCluster) -> None:
    partitions = {("t", number): 500 for number in range(1000)}
    sink.stand("orders", partitions, partitions)
    page = opened(room).send(fill="earliest").send(step="review")
    assert "Review: 1,000 changes" in page.text


# --- history ----------------------------------------------------------------------------------------------------------


def put_back(room: Client) -> Page:
    newest = OffsetChange.objects.latest("pk")
    response = room.post(f"/ui/clusters/eu/put-back/{newest.pk}/orders", headers=HTMX)
    return Page(room, FORM, response)


def test_what_was_before_is_put_back_with_one_click(room: Client, sink: PaperCluster) -> None:
    opened(room).send(step="review", to_0="5", to_1="3", reset_2="on").send(step="apply")
    page = put_back(room)
    assert "3 offsets put back." in page.text
    assert [row[2] for row in page.rows()] == ["20", "–", "100"]
    assert [item["offset"] for item in sink.body["offsets"]] == [{"kafka_offset": 20}, None, {"kafka_offset": 100}]
    assert noted() == [("alter", "done"), ("put-back", "done")]
    assert "by operator" in page.text
    assert (
        "were before this change already"
        in Page(room, FORM, room.post(f"/ui/clusters/eu/put-back/{OffsetChange.objects.earliest('pk').pk}/orders")).text
    )


def test_a_reset_is_put_back(room: Client, sink: PaperCluster) -> None:
    opened(room).send(step="reset-all", confirm="orders").send(step="apply")
    assert sink.offsets["orders"] == {}
    assert [row[2] for row in put_back(room).rows()] == ["20", "–", "100"]


def test_nothing_is_put_back_while_it_is_not_stopped(room: Client, sink: PaperCluster) -> None:
    opened(room).send(step="review", to_0="5").send(step="apply")
    state(sink, "RUNNING")
    assert 'disabled title="Only while orders is STOPPED"' in opened(room).text
    sink.refusals["PATCH offsets"] = (400, "Connectors must be in the STOPPED state")
    assert "Refused, nothing was changed: 400, Connectors must be in the STOPPED state" in put_back(room).text


def test_history_is_the_newest_first_and_of_this_connector(room: Client, cluster: Cluster, sink: PaperCluster) -> None:
    at = datetime.now(UTC) - timedelta(days=1)
    for number, name in enumerate(("orders", "orders", "other")):
        offsets = [{"partition": {"file": name}, "offset": {"position": number}}]
        OffsetChange.objects.create(
            cluster=cluster,
            connector=name,
            asked_at=at + timedelta(hours=number),
            by=f"user {number}",
            deed="alter",
            before=offsets,
            after=offsets,
        )
    history = opened(room).text.partition("Changes made here")[2]
    assert re.findall(r"by (user \d)", history) == ["user 1", "user 0"]
    assert "no answer has been noted" in history
    assert ConnectorSnapshot.objects.count() == 1
