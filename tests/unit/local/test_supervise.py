import logging
from dataclasses import replace
from pathlib import Path

import pytest
from supervisor.states import ProcessStates

from local import supervise
from local.installation import Installation
from local.java import Java
from local.processes import NAMES, ProcessSpec, Runs, plan
from local.supervisord import LONGEST_BACKOFF_SECONDS, Options, Persistent

ALONE = ProcessSpec("alone", ("true",), Runs())


def read(installation: Installation, specs: tuple[ProcessSpec, ...]) -> Options:
    """What supervisord itself makes of the configuration."""
    installation.run.mkdir(parents=True)
    installation.logs.mkdir()
    supervise.config_file(installation).write_text(supervise.render(installation, specs))
    options = Options()
    options.realize(["-c", str(supervise.config_file(installation))])
    return options


def test_supervisord_reads_what_was_meant(installation: Installation, java: Java, tmp_path: Path) -> None:
    installation = replace(installation, project=tmp_path)
    options = read(installation, plan(installation, java, NAMES))
    groups = sorted(options.process_group_configs)
    assert [group.name for group in groups] == list(NAMES)
    assert options.nodaemon is True
    assert options.server_configs[0]["file"] == str(installation.run / "supervisor.sock")
    for group in groups:
        (process,) = group.process_configs
        assert process.autostart is False
        assert process.killasgroup is True
        # Asked to stop by itself: its JVM would go from under it.
        assert process.stopasgroup is False
        assert process.stdout_logfile == str(installation.logs / f"{group.name}.log")
        # supervisord gives up where the back-off exceeds this.
        assert process.startretries >= LONGEST_BACKOFF_SECONDS
    assert [group.process_configs[0].stopwaitsecs for group in groups] == [15, 10, 20, 10, 10]


def test_odd_paths_reach_the_process_unchanged(installation: Installation, tmp_path: Path) -> None:
    odd = ("/opt/my drover/100%/bin", "it's", 'a "quote"', "%(here)s", "$HOME")
    options = read(replace(installation, project=tmp_path, data=tmp_path / "50% of it"), (replace(ALONE, command=odd),))
    (group,) = options.process_group_configs
    process = group.process_configs[0].make_process()
    assert isinstance(process, Persistent)
    process.config.options.check_execv_args = lambda *_: None
    assert process.get_execv_args()[1] == list(odd)
    assert process.config.stdout_logfile == str(tmp_path / "50% of it" / "logs" / "alone.log")


def test_back_off_grows_and_never_gives_up(installation: Installation, tmp_path: Path) -> None:
    options = read(replace(installation, project=tmp_path), (ALONE,))
    options.logger = logging.getLogger("test")
    process = options.process_group_configs[0].process_configs[0].make_process()
    waits = []
    for _ in range(LONGEST_BACKOFF_SECONDS + 20):
        process.state = ProcessStates.STARTING
        process.change_state(ProcessStates.BACKOFF)
        waits.append(process.backoff)
        process.transition()
        assert process.state == ProcessStates.BACKOFF
    assert waits[:4] == [1, 2, 3, 4]
    assert set(waits[LONGEST_BACKOFF_SECONDS - 1 :]) == {LONGEST_BACKOFF_SECONDS}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("2026-11-21 08:42:39,980 WARN exited: broker (terminated by SIGKILL; not expected)", True),
        ("2026-11-21 08:42:40,983 INFO spawned: 'broker' with pid 8930", True),
        ("2026-11-21 08:42:40,983 WARN killing 'worker' (12) with SIGKILL", True),
        ("2026-11-21 08:42:25,542 CRIT Server 'unix_http_server' running without any HTTP authentication checking", False),
        ("2026-11-21 08:42:51,012 INFO success: broker entered RUNNING state", False),
    ],
)
def test_what_of_the_supervisors_log_is_shown(line: str, told: bool) -> None:
    assert supervise.is_event(line) is told


def test_one_lock_per_data_folder(installation: Installation) -> None:
    assert not supervise.is_up(installation)
    installation.run.mkdir(parents=True)
    with supervise.lock(installation):
        assert supervise.is_up(installation)
        with pytest.raises(supervise.AlreadyUp), supervise.lock(installation):
            pass
    assert not supervise.is_up(installation)
