"""The file of clusters: what it says is what there is, and a broken one changes nothing."""

import json
import logging
from pathlib import Path

import pytest
from django.test import Client

from connect_client import Basic
from dashboard import clusters
from dashboard.models import Activity, Cluster, ClustersFile
from dashboard.registry.file import Unreadable, read_file
from dashboard.registry.keeping import FileOfClusters
from dashboard.registry.wish import Wish
from dashboard.sealed import unseal
from tests.certificates import authority

EU = """
clusters:
  - name: eu
    urls:
      - https://one:8083
      - https://two:8083
    auth: basic
    username: drover
    secret: ${env:EU_PASSWORD}
    authorities: ${file:%s}
    poll_seconds: 5
    bootstrap_servers: broker:9092
  - {name: us, urls: ["http://us:8083"]}
"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EU_PASSWORD", "geheim")
    (tmp_path / "ca.pem").write_text(authority().certificate_pem())
    path = tmp_path / "clusters.yaml"
    path.write_text(EU % (tmp_path / "ca.pem"))
    return path


def test_a_file_is_read_with_what_it_refers_to(path: Path) -> None:
    eu, us = read_file(path)
    assert (eu.urls, eu.auth, eu.username, eu.secret) == (("https://one:8083", "https://two:8083"), "basic", "drover", "geheim")
    assert eu.authorities == (path.parent / "ca.pem").read_text()
    assert (eu.poll_seconds, eu.bootstrap_servers) == (5.0, "broker:9092")
    assert us == Wish("us", ("http://us:8083",))


def test_json_is_yaml(tmp_path: Path) -> None:
    path = tmp_path / "clusters.json"
    path.write_text(json.dumps({"clusters": [{"name": "us", "urls": ["http://us:8083"]}]}))
    assert read_file(path) == (Wish("us", ("http://us:8083",)),)


@pytest.mark.parametrize("text", ["clusters:", "clusters: []"])
def test_a_file_may_name_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "f").write_text(text)
    assert read_file(tmp_path / "f") == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a file of clusters"),
        ("- eu", "not a file of clusters"),
        ("clusters: {eu: 1}", "not a file of clusters"),
        ("clusters: []\nmore: 1", "not a file of clusters"),
        ("clusters: [", "no YAML in line 1"),
        ("clusters:\n  - secret: 'geheim", "no YAML in line 2"),
        ("clusters: !!python/object/apply:os.system [x]", "no YAML"),
        ("clusters:\n  - name: eu\n    name: us", "name stands here twice"),
        ("clusters: [eu]", "A cluster has fields"),
        ("clusters: [{name: eu}]", "eu, urls: Give at least one address."),
        ("clusters: [{name: no, urls: ['http://no']}]", "number 1, name: This has to be text."),
        ("clusters: [{name: local, urls: ['http://a']}]", "local, name: local is the name of Drover's own"),
        ("clusters: [{name: eu, url: 'http://a'}]", "eu, url: There is no such field."),
        ("clusters: [{name: eu, urls: ['http://a']}, {name: EU, urls: ['http://b']}]", "several of this name"),
        ("clusters: [{name: eu, urls: ['http://a'], secret: '${env:NOBODY_SET_IT}'}]", "no variable NOBODY_SET_IT"),
        ("clusters: [{name: eu, urls: ['http://a'], secret: '${file:/nowhere}'}]", "/nowhere cannot be read"),
        ("clusters: [{name: eu, urls: ['http://a'], auth: basic, username: a, secret: 'geheim\x07'}]", "no YAML"),
    ],
)
def test_what_cannot_be_read_is_told_without_secrets(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "f").write_text(text)
    with pytest.raises(Unreadable) as unreadable:
        read_file(tmp_path / "f")
    assert words in str(unreadable.value)
    assert "geheim" not in str(unreadable.value)


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="No such file"):
        read_file(tmp_path / "f")
    (tmp_path / "f").write_bytes(b"\xff\xfe")
    with pytest.raises(Unreadable, match="no text in UTF-8"):
        read_file(tmp_path / "f")


def names() -> dict[str, str]:
    return dict(Cluster.objects.values_list("name", "origin"))


def verbs() -> list[tuple[str, str, str]]:
    return list(Activity.objects.order_by("pk").values_list("verb", "cluster", "via"))


def test_it_is_taken_up_and_followed(db: None, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Cluster.objects.create(name="mine", urls=["http://mine"])
    file = FileOfClusters(str(path))
    file.step()
    assert names() == {"mine": "room", "eu": "file", "us": "file"}
    eu = Cluster.objects.get(name="eu")
    assert unseal(eu.secret) == "geheim"
    assert clusters._credentials(clusters.access(eu)) == Basic("drover", "geheim")
    assert verbs() == [("add-cluster", "eu", "automation"), ("add-cluster", "us", "automation")]
    assert "geheim" not in str(list(Activity.objects.values_list("after", flat=True)))

    # Another start, and nothing else: nobody is reached anew.
    FileOfClusters(str(path)).step()
    assert Cluster.objects.get(name="eu").secret == eu.secret
    assert len(verbs()) == 2

    # What it refers to has changed, it has not.
    monkeypatch.setenv("EU_PASSWORD", "noch geheimer")
    file.step()
    assert unseal(Cluster.objects.get(name="eu").secret) == "noch geheimer"
    assert verbs()[2:] == [("change-cluster", "eu", "automation")]

    path.write_text("clusters: [{name: eu, urls: ['http://eu:8083']}]")
    file.step()
    assert names() == {"mine": "room", "eu": "file"}
    changed = Cluster.objects.get(name="eu")
    assert (changed.pk, changed.urls, changed.auth, changed.secret) == (eu.pk, ["http://eu:8083"], "none", "")
    assert verbs()[3:] == [("change-cluster", "eu", "automation"), ("remove-cluster", "us", "automation")]


def test_a_broken_one_keeps_what_is_there_and_is_told(
    db: None, path: Path, room: Client, caplog: pytest.LogCaptureFixture
) -> None:
    file = FileOfClusters(str(path))
    file.step()
    whole = path.read_text()
    before = list(Cluster.objects.values())
    path.write_text("clusters: [{name: eu, urls: ['one']}, {name: us}]")
    file.step()
    file.step()
    assert list(Cluster.objects.values()) == before
    assert len([record for record in caplog.records if record.levelno == logging.ERROR]) == 1
    page = room.get("/ui/settings/clusters/").content.decode()
    assert "The file of clusters is not taken up." in page
    assert "eu, urls: one is no address" in page
    assert "us, urls: Give at least one address." in page
    path.write_text(whole)
    file.step()
    assert ClustersFile.objects.get().trouble == ""
    assert "not taken up" not in room.get("/ui/settings/clusters/").content.decode()


@pytest.mark.parametrize("origin", [Cluster.Origin.ROOM, Cluster.Origin.OWN])
def test_what_somebody_else_added_is_not_taken_over(db: None, path: Path, origin: str) -> None:
    Cluster.objects.create(name="EU", urls=["http://mine"], origin=origin)
    FileOfClusters(str(path)).step()
    assert names() == {"EU": origin}
    assert ClustersFile.objects.get().trouble == "EU: There is a cluster of this name already, not from this file."


def test_no_file_is_no_trouble(db: None, path: Path) -> None:
    FileOfClusters(str(path)).step()
    FileOfClusters("").step()
    assert not ClustersFile.objects.exists()
    assert names() == {"eu": "file", "us": "file"}
