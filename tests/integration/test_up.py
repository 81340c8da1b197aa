"""Acceptance of `manage.py up` and `down`: real processes, started, killed and stopped as a user would."""

import os
import pty
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import psutil
import pytest
from confluent_kafka import Consumer, Producer
from playwright.sync_api import expect
from redis import Redis

from local import leftovers, probes
from tests.chromium import PATIENCE, chromium
from tests.running import MANAGE, PASSWORD, PROJECT, RunningDrover, clean_environment, describe, free_port, manage, running
from tests.waiting import eventually

SERVICES = ("--only", "broker,redis")


def is_healthy(drover: RunningDrover) -> bool:
    return probes.http_answers(f"{drover.url}/health", healthy=True)


def alive(process: psutil.Process) -> bool:
    return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)


# A complete installation


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDrover]:
    with running(tmp_path_factory.mktemp("whole")) as drover:
        yield drover


def test_everything_answers(whole: RunningDrover) -> None:
    assert is_healthy(whole)
    assert httpx.get(f"{whole.url}/connectors").json() == []
    assert httpx.get(f"{whole.url}/ui/", follow_redirects=True).status_code == httpx.codes.OK
    assert httpx.get(f"{whole.url}/ui/setup").headers["Location"] == "/ui/login"
    assert {process["name"] for process in processes(whole)} == {"broker", "redis", "worker", "web", "control"}


def processes(drover: RunningDrover) -> list[dict[str, object]]:
    return [{"name": name, "pid": drover.process_pid(name)} for name in ("broker", "redis", "worker", "web", "control")]


def test_nothing_listens_beyond_this_machine(whole: RunningDrover) -> None:
    addresses = {
        connection.laddr.ip.removeprefix("::ffff:")
        for process in whole.processes()
        for connection in process.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    }
    assert addresses == {"127.0.0.1"}


def test_idle_it_costs_little(whole: RunningDrover) -> None:
    # A start goes on in the background for a while: Spark warms up. Then it has to become quiet.
    eventually(lambda: cores_used(whole, seconds=5) < 0.3, "quiet")
    assert sum(process.memory_info().rss for process in whole.processes()) < 2.5e9


def cores_used(drover: RunningDrover, seconds: float) -> float:
    everything = drover.processes()
    before = {process.pid: sum(process.cpu_times()[:2]) for process in everything}
    time.sleep(seconds)
    return sum(sum(process.cpu_times()[:2]) - before[process.pid] for process in everything) / seconds


@pytest.mark.parametrize("name", ["redis", "control", "web", "worker", "broker"])
def test_what_is_killed_comes_back(whole: RunningDrover, name: str) -> None:
    pid = whole.process_pid(name)
    family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    os.kill(pid, signal.SIGKILL)

    eventually(lambda: whole.process_pid(name) not in {0, pid}, f"{name} runs again")
    # A web worker or a JVM left behind would hold the port, or the task, of its successor.
    eventually(lambda: not any(alive(process) for process in family), f"the dead {name}'s children are gone")
    eventually(lambda: is_healthy(whole), "healthy again")
    assert httpx.get(f"{whole.url}/connectors", timeout=30).json() == []


def test_a_second_up_is_refused(whole: RunningDrover) -> None:
    # What was killed before has come back, and a member that was cut off meanwhile is one again.
    eventually(lambda: is_healthy(whole), "healthy")
    second = manage("up", "--data-dir", str(whole.data_dir), "--port", str(free_port()))
    assert second.returncode == 1
    assert second.stderr.strip() == (
        f"CommandError: Drover is already up in {whole.data_dir}: stop it first, or choose another folder."
    )
    assert is_healthy(whole)


# In the foreground


# A session of its own, and with it the terminal's foreground group: what is typed reaches the command as it would in a shell.
TAKE_TERMINAL = """
import os, sys
os.setsid()
os.close(os.open(os.ttyname(0), os.O_RDWR))
os.execv(sys.argv[1], sys.argv[1:])
"""


class Terminal:
    """`manage.py up` in a terminal of its own."""

    def __init__(self, drover: RunningDrover, *flags: str) -> None:
        self.drover = drover
        mine, its = pty.openpty()
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                TAKE_TERMINAL,
                *MANAGE,
                "up",
                "--port",
                str(drover.port),
                "--data-dir",
                str(drover.data_dir),
                *flags,
            ],
            cwd=PROJECT,
            env={name: value for name, value in clean_environment().items() if name != "DROVER_ADMIN_PASSWORD"},
            stdin=its,
            stdout=its,
            stderr=its,
        )
        os.close(its)
        self._descriptor = mine
        self.output = ""
        os.set_blocking(mine, False)

    def shows(self, text: str) -> bool:
        self._read()
        return text in self.output

    def press_ctrl_c(self) -> None:
        os.write(self._descriptor, b"\x03")

    def ends(self) -> bool:
        self._read()
        return self.process.poll() is not None

    def _read(self) -> None:
        try:
            while chunk := os.read(self._descriptor, 65536):
                self.output += chunk.decode(errors="replace")
        except OSError:
            # Nothing more for now, or the other end is closed.
            return

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        leftovers.end(self.drover.data_dir)
        os.close(self._descriptor)


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a short name: a data folder holds sockets, whose paths are no longer than a hundred bytes."""
    return tmp_path_factory.mktemp("up")


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def opens(*flags: str) -> Terminal:
        opened.append(Terminal(describe(free_port(), tmp_path / "data"), *flags))
        return opened[-1]

    yield opens
    for one in opened:
        one.close()


def make_administrator(address: str) -> None:
    """As somebody does who follows what the terminal says, and then sees this installation's own cluster."""
    with chromium() as browser:
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(address)
        page.get_by_label("Name").fill("ann")
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_label("The same again").fill(PASSWORD)
        page.get_by_role("button", name="Make the administrator").click()
        page.wait_for_url("**/ui/")
        page.get_by_role("link", name="Settings").click()
        page.get_by_role("link", name="Clusters").click()
        expect(page.locator('#cluster-local [data-contact="live"]')).to_be_visible()
        another = browser.new_context().new_page()
        another.goto(address)
        expect(another.get_by_role("button", name="Sign in")).to_be_visible()


def test_ctrl_c_stops_everything_in_reverse_order(terminal: Callable[..., Terminal]) -> None:
    """Once somebody has made the first administrator with the code that is printed, which nobody can use again."""
    up = terminal()
    eventually(lambda: up.shows("Ctrl-C") or up.ends(), "up")
    code = (up.drover.data_dir / "setup-code").read_text().strip()
    assert f"http://127.0.0.1:{up.drover.port}/ui/" in up.output
    address = f"http://127.0.0.1:{up.drover.port}/ui/setup?code={code}"
    assert address in up.output
    assert "broker     | \x1b[0m" in up.output
    make_administrator(address)
    assert not (up.drover.data_dir / "setup-code").exists()

    everything = up.drover.processes()
    up.press_ctrl_c()
    eventually(up.ends, "ended")
    assert up.process.returncode == 0
    assert not any(alive(process) for process in everything)
    assert up.drover.processes() == []
    log = up.drover.log("supervisord").splitlines()
    stopped = [line.split("stopped: ")[1].split()[0] for line in log if "stopped: " in line]
    assert stopped == ["control", "web", "worker", "redis", "broker"]


def test_sigterm_stops_it_too(terminal: Callable[..., Terminal]) -> None:
    up = terminal(*SERVICES)
    eventually(lambda: up.shows("Ctrl-C"), "up")
    up.process.terminate()
    eventually(up.ends, "ended")
    assert up.process.returncode == 0
    assert up.drover.processes() == []


def test_a_stop_while_it_starts_leaves_nothing(terminal: Callable[..., Terminal]) -> None:
    up = terminal(*SERVICES)
    eventually(lambda: up.shows("spawned: 'broker'"), "the broker is started")
    up.press_ctrl_c()
    eventually(up.ends, "ended")
    assert up.shows("Stopped before it was up.")
    assert up.process.returncode == 130
    assert up.drover.processes() == []


def test_down_from_elsewhere_ends_it(terminal: Callable[..., Terminal]) -> None:
    up = terminal(*SERVICES)
    eventually(lambda: up.shows("Ctrl-C"), "up")
    assert manage("down", "--data-dir", str(up.drover.data_dir)).stdout == "Stopped.\n"
    eventually(up.ends, "ended")
    assert up.process.returncode == 0
    assert up.drover.processes() == []


def test_a_death_is_shown_and_mended(terminal: Callable[..., Terminal]) -> None:
    up = terminal("--only", "redis")
    eventually(lambda: up.shows("Ctrl-C"), "up")
    os.kill(up.drover.process_pid("redis"), signal.SIGKILL)
    eventually(lambda: up.shows("exited: redis (terminated by SIGKILL; not expected)"), "told")
    eventually(lambda: probes.redis_answers(up.drover.redis_url), "mended")


# Two of them, one after another, and after a crash


def test_two_side_by_side(tmp_path: Path) -> None:
    with running(tmp_path / "one", *SERVICES) as one, running(tmp_path / "two", *SERVICES) as two:
        with Redis.from_url(one.redis_url) as first, Redis.from_url(two.redis_url) as second:
            first.set("whose", "one")
            assert second.get("whose") is None
        assert manage("down", "--data-dir", str(one.data_dir)).stdout == "Stopped.\n"
        assert not probes.kafka_answers(one.bootstrap_servers, 1)
        assert probes.kafka_answers(two.bootstrap_servers, 5)


def test_data_survives_even_at_another_port(tmp_path: Path) -> None:
    with running(tmp_path, *SERVICES) as before:
        producer = Producer({"bootstrap.servers": before.bootstrap_servers})
        producer.produce("survivors", b"still here")
        assert producer.flush(10) == 0
    with socket.create_server(("127.0.0.1", before.port)), running(tmp_path, *SERVICES) as after:
        assert after.port != before.port
        consumer = Consumer({"bootstrap.servers": after.bootstrap_servers, "group.id": "any", "auto.offset.reset": "earliest"})
        consumer.subscribe(["survivors"])
        message = consumer.poll(20)
        consumer.close()
    assert message is not None
    assert message.value() == b"still here"


def test_what_a_killed_supervisor_left_does_not_block_the_next_up(tmp_path: Path) -> None:
    with running(tmp_path, *SERVICES) as drover:
        (supervisor,) = [process for process in drover.processes() if "local.supervisord" in process.cmdline()]
        orphans = [process for process in drover.processes() if process != supervisor]
        assert len(orphans) == 2
        supervisor.kill()
        supervisor.wait(10)
        assert (drover.data_dir / "run" / "supervisord.pid").exists()

        again = manage("up", "--detach", "--port", str(drover.port), "--data-dir", str(tmp_path), *SERVICES)
        assert again.returncode == 0, again.stderr
        assert "Ended 2 processes that an earlier run had left behind." in again.stdout
        assert not any(alive(process) for process in orphans)
        assert probes.kafka_answers(drover.bootstrap_servers, 5)


def test_status(tmp_path: Path) -> None:
    assert manage("status", "--data-dir", str(tmp_path)).returncode == 3
    with running(tmp_path, "--only", "redis") as drover:
        status = manage("status", "--data-dir", str(tmp_path))
        _, redis = status.stdout.splitlines()
        assert redis.split()[0] == "redis"
        assert redis.split()[2] == str(drover.process_pid("redis"))
        assert redis.endswith(" MB")


def test_down_where_nothing_runs(tmp_path: Path) -> None:
    down = manage("down", "--data-dir", str(tmp_path))
    assert (down.returncode, down.stdout) == (0, f"Nothing is running in {tmp_path}.\n")


# Refused: one clear sentence, nothing half-started


def refused(data_dir: Path, *flags: str, **named: str) -> str:
    """Runs an `up` that has to be refused, and returns the one sentence that says why."""
    up = manage("up", "--detach", "--data-dir", str(data_dir), *flags, environment=clean_environment(**named))
    assert up.returncode == 1, up.stdout
    assert leftovers.find(data_dir) == []
    sentence = up.stderr.removeprefix("CommandError: ").strip()
    assert "\n" not in sentence
    assert sentence.endswith(".")
    return sentence


def test_a_port_in_use(tmp_path: Path) -> None:
    port = free_port()
    with socket.create_server(("127.0.0.1", port + 1)):
        sentence = refused(tmp_path / "data", "--port", str(port))
    assert sentence.startswith(f"Port {port + 1}, for Kafka, is in use by ")
    assert not (tmp_path / "data" / "kafka").exists()


def script(folder: Path, name: str, text: str) -> dict[str, str]:
    """An executable that comes first on the PATH of the environment that is returned."""
    folder.mkdir()
    file = folder / name
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def test_a_java_that_is_too_old(tmp_path: Path) -> None:
    named = script(tmp_path / "bin", "java", """echo 'openjdk version "11.0.21" 2023-10-17' >&2""")
    sentence = refused(tmp_path / "data", "--port", str(free_port()), **named, JAVA_HOME="")
    assert sentence.startswith(f"{tmp_path}/bin/java is Java 11, too old: install Java 17 or later")
    assert not (tmp_path / "data").exists()


def test_a_named_broker_that_does_not_answer(tmp_path: Path) -> None:
    nobody = f"127.0.0.1:{free_port()}"
    sentence = refused(tmp_path / "data", "--port", str(free_port()), KAFKA_BOOTSTRAP_SERVERS=nobody)
    assert (
        sentence == f"No Kafka broker answers at {nobody}, which KAFKA_BOOTSTRAP_SERVERS names: start it, or unset the variable."
    )


def test_a_database_that_does_not_answer(tmp_path: Path) -> None:
    nobody = free_port()
    sentence = refused(tmp_path / "data", "--port", str(nobody), DATABASE_URL=f"postgres://drover:pw@127.0.0.1:{nobody}/drover")
    assert sentence.startswith("The database that DATABASE_URL names cannot be reached (")
    assert ":pw@" not in sentence


def test_a_wider_address_without_permission(tmp_path: Path) -> None:
    assert refused(tmp_path / "data", "--host", "0.0.0.0").startswith("DROVER_HOST is 0.0.0.0, which other machines reach")
    assert not (tmp_path / "data").exists()


def test_a_process_that_keeps_dying_at_the_start(tmp_path: Path) -> None:
    refusing = """[ "$1" = --version ] && echo 'Redis server v=7.0.0' || { echo 'I would rather not'; exit 3; }"""
    named = script(tmp_path / "bin", "redis-server", refusing)
    up = manage(
        *("up", "--detach", "--data-dir", str(tmp_path / "data"), "--port", str(free_port()), "--only", "redis"),
        environment=clean_environment(**named),
    )
    assert up.returncode == 1
    assert up.stderr == "CommandError: redis keeps dying\n"
    # The reason is in its log, and the log's end is shown.
    assert up.stdout.count("  I would rather not") == 3
    assert leftovers.find(tmp_path / "data") == []
