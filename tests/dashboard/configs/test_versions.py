"""Versions of configs: which change is one, and who made it."""

from datetime import UTC, datetime, timedelta

import pytest

from dashboard import versions
from dashboard.configs.pairs import digest
from dashboard.follow.recorder import Recorder
from dashboard.models import Cluster, ConfigVersion
from dashboard.versions import Known, is_news
from tests.dashboard.conftest import PaperCluster

NOW = datetime(2026, 11, 22, tzinfo=UTC)
LONG_AGO, JUST_NOW = NOW - timedelta(hours=1), NOW - timedelta(seconds=2)


@pytest.mark.parametrize(
    ("known", "news"),
    [
        ([], True),
        ([Known(1, "x", "", LONG_AGO)], False),
        ([Known(1, "a", "", LONG_AGO)], True),
        ([Known(1, "a", "", LONG_AGO), Known(2, "x", "ann", JUST_NOW)], False),
        # An answer from before the save; and the same somewhat later, when it is somebody's way back.
        ([Known(1, "x", "", LONG_AGO), Known(2, "a", "ann", JUST_NOW)], False),
        ([Known(1, "x", "", LONG_AGO), Known(2, "a", "ann", LONG_AGO)], True),
        ([Known(1, "x", "", LONG_AGO), Known(2, "a", "", JUST_NOW)], True),
    ],
)
def test_what_is_a_new_version(known: list[Known], news: bool) -> None:
    assert is_news("x", known, NOW) is news


def told(cluster: Cluster, name: str = "orders") -> list[tuple[int, str, str, dict[str, str | None]]]:
    """The newest first: number, author, note, config."""
    return [(row.number, row.by, row.note, dict(versions.config(row))) for row in versions.of(cluster, name)]


def see(recorder: Recorder, paper: PaperCluster, **config: str) -> None:
    paper.put("orders", "RUNNING")
    paper.entries["orders"]["info"]["config"] = config
    recorder.listing(paper.entries, NOW)


def test_a_change_elsewhere_is_seen_once(cluster: Cluster, paper: PaperCluster) -> None:
    recorder = Recorder(cluster)
    for file in ("one", "one", "two"):
        see(recorder, paper, file=file)
    paper.put("orders", "PAUSED")
    see(recorder, paper, file="two")
    assert told(cluster) == [(2, "", "", {"file": "two"}), (1, "", "", {"file": "one"})]


def test_another_control_process_sees_nothing_new(cluster: Cluster, paper: PaperCluster) -> None:
    see(Recorder(cluster), paper, file="one")
    see(Recorder(cluster), paper, file="one")
    assert len(told(cluster)) == 1
    # What changed while none ran.
    see(Recorder(cluster), paper, file="two")
    assert len(told(cluster)) == 2


def test_what_was_there_before_there_were_versions(cluster: Cluster, paper: PaperCluster) -> None:
    see(Recorder(cluster), paper, file="one")
    ConfigVersion.objects.all().delete()
    see(Recorder(cluster), paper, file="one")
    assert [number for number, *_ in told(cluster)] == [1]


@pytest.mark.parametrize("poller_first", [True, False])
def test_a_save_is_one_version_whoever_is_quicker(cluster: Cluster, paper: PaperCluster, poller_first: bool) -> None:
    recorder = Recorder(cluster)
    see(recorder, paper, file="one")
    if poller_first:
        see(recorder, paper, file="two")
    versions.saved(cluster, "orders", (("file", "two"),), "ann", "because", NOW)
    see(recorder, paper, file="two")
    assert told(cluster)[0] == (2, "ann", "because", {"file": "two"})
    assert len(told(cluster)) == 2


def test_an_old_version_takes_no_new_author(cluster: Cluster) -> None:
    versions.saved(cluster, "orders", (("file", "one"),), "ann", "", NOW)
    versions.saved(cluster, "orders", (("file", "one"),), "bob", "", NOW)
    assert [by for _, by, *_ in told(cluster)] == ["ann"]


def test_order_is_kept_and_nothing_can_be_read_from_the_database(cluster: Cluster) -> None:
    versions.saved(cluster, "orders", (("z", "1"), ("a", "2"), ("db.password", "geheim")), "ann", "", NOW)
    row = ConfigVersion.objects.get()
    assert versions.config(row) == (("z", "1"), ("a", "2"), ("db.password", "geheim"))
    assert "geheim" not in row.config
    assert row.digest == digest({"a": "2", "z": "1", "db.password": "geheim"})


def test_versions_outlive_their_connector(cluster: Cluster, paper: PaperCluster) -> None:
    recorder = Recorder(cluster)
    see(recorder, paper, file="one")
    recorder.listing({}, NOW)
    assert len(told(cluster)) == 1
    see(recorder, paper, file="one")
    assert len(told(cluster)) == 1
    see(recorder, paper, file="two")
    assert len(told(cluster)) == 2


def test_thousands_at_once_ask_few_questions(cluster: Cluster, django_assert_max_num_queries: object) -> None:
    many = {f"c{number}": {"file": str(number)} for number in range(1200)}
    with django_assert_max_num_queries(12):  # type: ignore[operator]
        versions.seen(cluster, many, NOW)
    assert ConfigVersion.objects.count() == 1200
    with django_assert_max_num_queries(2):  # type: ignore[operator]
        versions.seen(cluster, many, NOW)
