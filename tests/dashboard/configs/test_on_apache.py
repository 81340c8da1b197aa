"""Configs on a real Apache Kafka Connect: what its plug-ins define, what it takes, and what it gives back."""

import json
import re
import uuid
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from connect_client import ConnectClient
from connect_client.secrets import HIDDEN
from dashboard import plugins, versions
from dashboard.follow.follower import Follower
from dashboard.live.publisher import Publisher
from dashboard.models import Cluster
from tests.waiting import eventually

SOURCE = "org.apache.kafka.connect.file.FileStreamSourceConnector"


@pytest.fixture
def cluster(connect_cluster: ConnectClient, db: None) -> Cluster:
    return Cluster.objects.create(name="apache", urls=[connect_cluster.url])


@pytest.fixture
def follower(cluster: Cluster, connect_cluster: ConnectClient) -> Follower:
    follower = Follower(cluster, connect_cluster, Publisher("redis://127.0.0.1:1/0"))
    follower.step()
    return follower


@pytest.fixture
def name(connect_cluster: ConnectClient, tmp_path: Path) -> Iterator[str]:
    name = f"config-{uuid.uuid4().hex[:6]}"
    yield name
    if name in connect_cluster.connectors():
        connect_cluster.delete(name)


def config(name: str, folder: Path, **more: str) -> dict[str, str]:
    return {
        "z.unknown": "kept",
        "connector.class": SOURCE,
        "topic": name,
        "file": str(folder / "in.txt"),
        "my.secret": "geheim",
        "a.unknown": "kept, too",
        "transforms": "mask",
        "transforms.mask.type": "org.apache.kafka.connect.transforms.HoistField$Value",
        "transforms.mask.field": "line",
        "name": name,
        **more,
    }


def ask(room: Client, method: str, path: str, body: Any = None) -> Any:
    response: Any = getattr(room, method)(
        f"/api/v1/{path}", *([json.dumps(body), "application/json"] if body is not None else [])
    )
    assert "geheim" not in response.content.decode()
    return response


def test_plugins(follower: Follower, cluster: Cluster, connect_cluster: ConnectClient) -> None:
    kinds = set(cluster.plugins.values_list("type", flat=True))
    assert kinds == {"source", "sink", "transformation", "predicate", "converter", "header_converter"}
    follower.step()
    assert cluster.plugins.filter(definitions__isnull=False).count() == 1
    mirror = cluster.plugins.get(class_name="org.apache.kafka.connect.mirror.MirrorSourceConnector")
    plugins.define(mirror, connect_cluster)
    assert "source.cluster.sasl.jaas.config" in mirror.passwords or "sasl.jaas.config" in mirror.passwords
    for plugin in cluster.plugins.filter(class_name__contains="MaskField"):
        plugins.define(plugin, connect_cluster)
        assert [key.name for key in plugins.defined(plugin)] == ["fields", "replacement", "replace.null.with.default"]


def test_a_check(room: Client, follower: Follower, name: str, tmp_path: Path) -> None:
    sent = config(name, tmp_path, **{"tasks.max": "0", "my.secret": "x"})
    report = ask(room, "post", "plugins/apache/validate", {"config": sent}).json()
    assert report["good"] is False
    assert report["errors"]["tasks.max"][0] == "Invalid value 0 for configuration tasks.max: Value must be at least 1"
    fields = {field["key"]: (section["title"], field) for section in report["sections"] for field in section["fields"]}
    assert set(sent) <= set(fields)
    assert fields["name"][0] == "General"
    assert fields["file"][0] == "FileStreamSourceConnector"
    assert fields["topic"][1]["required"]
    assert fields["transforms.mask.field"][0] == "Transforms: mask"
    assert "org.apache.kafka.connect.transforms.Cast$Value" in fields["transforms.mask.type"][1]["choices"]
    assert fields["z.unknown"][0] == "Other keys"


def test_a_secret_survives_an_edit(
    room: Client, follower: Follower, cluster: Cluster, connect_cluster: ConnectClient, name: str, tmp_path: Path
) -> None:
    sent = config(name, tmp_path)
    made = ask(room, "post", "connectors/apache", {"name": name, "config": sent, "initial_state": "STOPPED"})
    assert made.status_code == 201
    assert connect_cluster.config(name) == sent

    def seen() -> bool:
        follower.step()
        return cluster.connectors.filter(name=name).exists()

    # Connect leaves out of its list what has no status yet.
    eventually(seen)
    assert connect_cluster.status(name).connector.state == "STOPPED"
    tab = f"/ui/clusters/apache/connectors/{name}?tab=config"
    page = unescape(room.get(tab).content.decode())
    assert "geheim" not in page
    editor = json.loads(page.partition('name="config"')[2].partition(">")[2].partition("</textarea>")[0])
    # In the order in which it was created, whatever the server makes of it.
    assert list(editor.items()) == list({**sent, "my.secret": HIDDEN}.items())
    opened = re.findall(r'name="opened" value="(\w+)"', page)[0]
    edited = {"config": json.dumps({**editor, "file": "/tmp/other.txt"}), "opened": opened}
    reviewed = room.post(f"/ui/clusters/apache/config/{name}", {**edited, "step": "review"}, headers={"HX-Request": "true"})
    assert "Save 1 change" in reviewed.content.decode()
    digest = re.findall(r'name="reviewed" value="(\w+)"', reviewed.content.decode())[0]
    room.post(f"/ui/clusters/apache/config/{name}", {**edited, "step": "save", "reviewed": digest, "note": "moved"})
    assert connect_cluster.config(name) == {**sent, "file": "/tmp/other.txt"}

    # A change made elsewhere is a version, and one made here is one only.
    follower.step()
    connect_cluster.put_config(name, {**sent, "topic": f"{name}-2"})
    follower.step()
    follower.step()
    assert [(version.number, version.by, version.note) for version in versions.of(cluster, name)] == [
        (3, "", ""),
        (2, "operator", "moved"),
        (1, "operator", ""),
    ]

    back = ask(room, "post", f"connectors/apache/{name}/rollback", {"version": 2})
    assert (back.status_code, back.json()["version"]) == (200, 4)
    assert connect_cluster.config(name) == {**sent, "file": "/tmp/other.txt"}
    follower.step()
    assert versions.of(cluster, name)[0].number == 4

    assert ask(room, "delete", f"connectors/apache/{name}").status_code == 204
    assert name not in connect_cluster.connectors()


def test_a_refusal_is_told_without_the_secret(
    room: Client, follower: Follower, connect_cluster: ConnectClient, name: str, tmp_path: Path
) -> None:
    wrong = {**config(name, tmp_path), "errors.tolerance": "geheim", "my.secret": "geheim"}
    refused = ask(room, "post", "connectors/apache", {"name": name, "config": wrong})
    assert refused.status_code == 400
    assert f"Invalid value {HIDDEN} for configuration errors.tolerance" in refused.json()["message"]
    assert name not in connect_cluster.connectors()
