import uuid
from dataclasses import replace
from pathlib import Path

import pytest

from local import kafka
from local.installation import Installation
from local.java import Java


def test_the_broker_listens_on_loopback_only(installation: Installation) -> None:
    properties = kafka.properties(installation)
    assert properties["listeners"] == "PLAINTEXT://127.0.0.1:9001,CONTROLLER://127.0.0.1:9002"
    assert properties["advertised.listeners"] == "PLAINTEXT://127.0.0.1:9001"


def test_a_single_node_replicates_to_nobody(installation: Installation) -> None:
    replicated = {key: value for key, value in kafka.properties(installation).items() if "replication" in key or "min.isr" in key}
    assert len(replicated) == 5
    assert set(replicated.values()) == {"1"}


def test_only_addresses_follow_the_port(installation: Installation) -> None:
    """So that a data folder can be taken to another port."""
    here, there = kafka.properties(installation), kafka.properties(replace(installation, port=9100))
    assert {key for key in here if here[key] != there[key]} == {"listeners", "controller.quorum.voters"}


def test_render_escapes_what_java_would_read_as_an_escape() -> None:
    assert kafka.render({"log.dirs": r"/odd\name", "a": "b=c"}) == "log.dirs=/odd\\\\name\na=b=c\n"


def test_a_cluster_id_is_never_taken_for_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter([uuid.UUID(bytes=b"\xfb" + bytes(15)), uuid.UUID(bytes=bytes(16))])
    monkeypatch.setattr(uuid, "uuid4", lambda: next(drawn))
    assert kafka.new_cluster_id() == "A" * 22


def test_command(installation: Installation, java: Java) -> None:
    command = kafka.command(installation, java)
    assert command[0] == "/usr/bin/java"
    assert command[command.index("-cp") + 1] == "/opt/drover/.jars/broker/*"
    assert command[-2:] == ("kafka.Kafka", str(installation.data / "run" / "server.properties"))
    (logging,) = [argument for argument in command if argument.startswith("-Dlog4j2.configurationFile=")]
    assert Path(logging.partition("=")[2]).is_file()
