import os
import re
import shutil
import socket
from collections import namedtuple
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.test import override_settings

from config.listeners import Listener
from local import preflight, processes
from local.installation import Installation


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that this process listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def silent() -> Iterator[int]:
    """A port that is bound and not listened on: nobody else can have it, and nobody answers there."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


def test_loopback_needs_no_permission(installation: Installation) -> None:
    assert preflight.host_problem(installation, insecure=False) is None


def test_a_wider_address_needs_insecure(installation: Installation) -> None:
    wide = replace(installation, host="0.0.0.0")
    problem = preflight.host_problem(wide, insecure=False)
    assert problem is not None
    assert problem.startswith("DROVER_HOST is 0.0.0.0, ")
    assert "--insecure" in problem
    assert preflight.host_problem(wide, insecure=True) is None


def test_every_listener_counts_and_one_that_demands_a_certificate_is_guarded(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = replace(installation, more=(Listener("https", "0.0.0.0", 1),))
    assert preflight.host_problem(wide, insecure=False) is not None
    monkeypatch.setenv("CONNECT_SSL_CLIENT_AUTH", "required")
    assert preflight.host_problem(wide, insecure=False) is None
    assert preflight.host_problem(replace(wide, host="0.0.0.0"), insecure=False) is not None


def test_tls_that_cannot_be_is_told_before_anything_starts(installation: Installation) -> None:
    problem = preflight.listeners_problem(replace(installation, scheme="https"))
    assert problem == "CONNECT_LISTENERS_HTTPS_SSL_KEYSTORE_LOCATION is needed: a listener is https."


def test_a_port_in_use_is_named_with_its_owner(taken: int) -> None:
    problem = preflight.port_problem("Kafka", "127.0.0.1", taken)
    assert problem is not None
    assert problem.startswith(f"Port {taken}, for Kafka, is in use by ")
    assert f"(process {os.getpid()})" in problem
    assert "--port" in problem


def test_a_port_that_was_just_let_go_is_free() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)), server.accept()[0]:
            # The server's end closes first, and stays in TIME_WAIT.
            pass
    assert preflight.port_problem("Kafka", "127.0.0.1", port) is None


def test_a_host_that_is_not_this_machine() -> None:
    problem = preflight.port_problem("the web server", "192.0.2.77", 9000)
    assert problem is not None
    assert problem.startswith("Port 9000, for the web server, cannot be listened on (")


def test_ports_are_asked_for_what_is_started_only(installation: Installation) -> None:
    assert [port for _, _, port in preflight.wanted_ports(installation, processes.NAMES)] == [9001, 9002, 9003, 9000]
    assert [port for _, _, port in preflight.wanted_ports(installation, ("redis", "worker"))] == [9003]


def test_too_little_space_names_the_folder_and_the_amounts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**9, 10**9 - 300 * 1024**2, 300 * 1024**2))
    data = tmp_path / "not" / "there" / "yet"
    assert preflight.space_problem(data) == f"There is too little disk space for {data}: 300 MB are free and 1024 MB are needed."


def test_enough_space(tmp_path: Path) -> None:
    assert preflight.space_problem(tmp_path / "not" / "there" / "yet") is None


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """Below a file not even root can make one."""
    (tmp_path / "file").touch()
    assert "cannot be written to" in (preflight.space_problem(tmp_path / "file" / "data") or "")


def test_a_path_too_long_for_a_socket(installation: Installation) -> None:
    assert preflight.path_problem(replace(installation, data=Path("/srv/drover"))) is None
    assert "too long" in (preflight.path_problem(replace(installation, data=Path("/srv") / ("x" * 90))) or "")


def test_a_broker_that_does_not_answer_is_named(silent: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preflight, "BROKER_SECONDS", 0.3)
    problem = preflight.broker_problem(f"127.0.0.1:{silent}")
    assert problem == (
        f"No Kafka broker answers at 127.0.0.1:{silent}, which KAFKA_BOOTSTRAP_SERVERS names: start it, or unset the variable."
    )


def test_a_redis_that_does_not_answer_is_named_without_its_password(silent: int) -> None:
    problem = preflight.redis_problem(f"redis://drover:secret@127.0.0.1:{silent}/0")
    assert problem == (
        f"No Redis answers at redis://***@127.0.0.1:{silent}/0, which REDIS_URL names: start it, or unset the variable."
    )


def test_a_spark_master_that_does_not_answer_is_named(silent: int) -> None:
    assert preflight.spark_problem("local[*]") is None
    assert preflight.spark_problem("k8s://https://cluster") is None
    assert (preflight.spark_problem(f"spark://127.0.0.1:{silent}") or "").startswith("No Spark master answers at spark://127")


def test_a_spark_master_that_answers(taken: int) -> None:
    assert preflight.spark_problem(f"spark://127.0.0.1:{taken}") is None


@override_settings(SPARK_MASTER="local[*]")
def test_problems_come_together_one_sentence_each(installation: Installation, taken: int, silent: int) -> None:
    named = replace(installation, port=taken, redis_url=f"redis://127.0.0.1:{silent}/0", own_redis=False)
    problems = preflight.part_problems(named, processes.own_parts(named))
    # The ports that follow it may be taken too, by anybody.
    starts = [re.split(r"[ ,]", problem)[0:2] for problem in problems]
    assert ["Port", str(taken)] in starts
    assert starts[-1] == ["No", "Redis"]
    for problem in problems:
        assert problem.endswith(".")
        assert "\n" not in problem


def test_java_too_old_is_a_problem_not_an_exception(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (preflight.java_problem() or "").startswith("Java is missing")
