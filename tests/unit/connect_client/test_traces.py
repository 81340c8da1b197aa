"""Root cause first."""

import pytest

from connect_client.traces import Frames, Link, chain, root_cause

SINK = """org.apache.kafka.connect.errors.ConnectException: Couldn't find or create file '/no/f' for FileStreamSinkTask
\tat org.apache.kafka.connect.file.FileStreamSinkTask.start(FileStreamSinkTask.java:74)
\tat org.apache.kafka.connect.runtime.WorkerSinkTask.initializeAndStart(WorkerSinkTask.java:338)
\tat java.base/java.lang.Thread.run(Thread.java:840)
Caused by: java.nio.file.NoSuchFileException: /no/f
\tat java.base/sun.nio.fs.UnixException.translateToIOException(UnixException.java:92)
\tat org.apache.kafka.connect.file.FileStreamSinkTask.start(FileStreamSinkTask.java:70)
\t... 10 more
"""
PYTHON = """Traceback (most recent call last):
  File "/srv/.venv/lib/python3.11/site-packages/pyspark/sql/utils.py", line 10, in run
    call()
  File "/srv/drover/sink.py", line 5, in write
    open(path)
FileNotFoundError: [Errno 2] No such file or directory: '/no/f'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/drover/task.py", line 9, in run
    write()
workers.errors.TaskFailed: cannot write
over two lines"""


@pytest.mark.parametrize(
    ("trace", "cause"),
    [
        (None, ""),
        ("", ""),
        ("\n", ""),
        ("java.lang.Error: one", "java.lang.Error: one"),
        ("java.lang.Error: one\n\tat a.B.c(B.java:1)", "java.lang.Error: one"),
        (SINK, "java.nio.file.NoSuchFileException: /no/f"),
        (PYTHON, "FileNotFoundError: [Errno 2] No such file or directory: '/no/f'"),
        ("A: a\nCaused by: B: b\n\t... 1 more\nCaused by: C: c", "C: c"),
        ("A: it was Caused by: somebody", "A: it was Caused by: somebody"),
    ],
)
def test_root_cause(trace: str | None, cause: str) -> None:
    assert root_cause(trace) == cause


def test_chain_of_java() -> None:
    root, outer = chain(SINK)
    assert root == Link(
        "java.nio.file.NoSuchFileException: /no/f",
        "",
        (
            Frames(True, ("at java.base/sun.nio.fs.UnixException.translateToIOException(UnixException.java:92)",)),
            Frames(False, ("at org.apache.kafka.connect.file.FileStreamSinkTask.start(FileStreamSinkTask.java:70)",)),
            Frames(True, ("... 10 more",)),
        ),
    )
    assert outer.headline.startswith("org.apache.kafka.connect.errors.ConnectException: Couldn't")
    assert [frames.framework for frames in outer.frames] == [False, True]


def test_chain_of_python() -> None:
    root, outer = chain(PYTHON)
    assert [frames.framework for frames in root.frames] == [True, False]
    assert (outer.headline, outer.rest) == ("workers.errors.TaskFailed: cannot write", "over two lines")


def test_chain_of_a_task_of_drovers_own() -> None:
    (link,) = chain("E: e\n\tat start(workers/connectors/file/sink.py:35)\n\tat _begin(workers/herder/host.py:151)")
    assert [frames.framework for frames in link.frames] == [False, True]


def test_message_of_several_lines() -> None:
    (link,) = chain("A: first\nsecond\nthird\n\tat a.B.c(B.java:1)")
    assert (link.headline, link.rest, len(link.frames)) == ("A: first", "second\nthird", 1)


@pytest.mark.parametrize(
    "trace", [SINK, PYTHON, "A: a", "A: a\nCaused by: B: b\n\t... 1 more\nCaused by: C: c", "", "  \n x: y \n"]
)
def test_the_root_cause_is_the_first_of_the_chain(trace: str) -> None:
    links = chain(trace)
    assert root_cause(trace) == (links[0].headline if links else "")
