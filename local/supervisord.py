"""supervisord with the two manners it lacks, run as `python -m local.supervisord -c FILE`.

It never gives up on a process that keeps dying, and it leaves nothing of a dead one behind: a JVM or a web worker that outlives
its parent holds the port that the restarted one needs.
"""

import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from supervisor.options import ProcessConfig, ServerOptions
from supervisor.process import Subprocess
from supervisor.states import ProcessStates
from supervisor.supervisord import go

from local import leftovers

# A process that dies within supervisord's `startsecs` waits one second longer each time, up to this.
LONGEST_BACKOFF_SECONDS = 15


class Persistent(Subprocess):  # type: ignore[misc]
    backoff: int
    delay: float

    def change_state(self, new_state: int, expected: bool = True) -> None:
        super().change_state(new_state, expected)
        if new_state == ProcessStates.BACKOFF:
            # Never above `startretries`, which is the same number: supervisord would give up there.
            self.backoff = min(self.backoff, LONGEST_BACKOFF_SECONDS)
            self.delay = time.time() + self.backoff

    def finish(self, pid: int, status: int) -> None:
        # The group's id cannot have been taken by another process while a member lives.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        super().finish(pid, status)


class PersistentConfig(ProcessConfig):  # type: ignore[misc]
    def make_process(self, group: Any = None) -> Persistent:
        process = Persistent(self)
        process.group = group
        return process


class Options(ServerOptions):  # type: ignore[misc]
    def processes_from_section(self, parser: Any, section: str, group_name: str, klass: Any = None) -> Any:
        # Whatever class it asks for: a plain program is the only kind we have.
        return super().processes_from_section(parser, section, group_name, PersistentConfig)


def main(arguments: Sequence[str]) -> None:
    options = Options()
    options.realize(arguments)
    options.first = True
    options.test = False
    go(options)
    options.close_httpservers()
    options.close_logger()
    leftovers.end(Path(os.environ[leftovers.MARK]))


if __name__ == "__main__":
    main(sys.argv[1:])
