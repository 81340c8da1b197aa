"""What is one kind of failure, and what is two. Traces as they come, long lines and all."""
# ruff: noqa: E501

import pytest

from dashboard.failures.kinds import class_of, kind, literal, shape

JAVA = """org.apache.kafka.connect.errors.ConnectException: Couldn't find or create file '{path}' for FileStreamSinkTask
\tat org.apache.kafka.connect.file.FileStreamSinkTask.start(FileStreamSinkTask.java:{line})
Caused by: java.nio.file.NoSuchFileException: {path}
\tat java.base/sun.nio.fs.UnixException.translateToIOException(UnixException.java:92)
\t... 10 more
"""
JDBC = """org.apache.kafka.connect.errors.ConnectException: Exiting WorkerSinkTask due to unrecoverable exception.
\tat org.apache.kafka.connect.runtime.WorkerSinkTask.deliverMessages(WorkerSinkTask.java:{line})
Caused by: org.apache.kafka.connect.errors.ConnectException: java.sql.SQLException: Exception chain:
\tat io.confluent.connect.jdbc.sink.JdbcSinkTask.put(JdbcSinkTask.java:122)
Caused by: org.postgresql.util.PSQLException: ERROR: duplicate key value violates unique constraint "{name}_pkey"
\tat org.postgresql.core.v3.QueryExecutorImpl.receiveErrorResponse(QueryExecutorImpl.java:2713)
"""
CONVERTER = """org.apache.kafka.connect.errors.ConnectException: Tolerance exceeded in error handler
\tat org.apache.kafka.connect.runtime.errors.RetryWithToleranceOperator.execAndHandleError(RetryWithToleranceOperator.java:260)
Caused by: org.apache.kafka.connect.errors.DataException: Converting byte[] to Kafka Connect data failed due to serialization error of topic {name}:\x20
\tat org.apache.kafka.connect.json.JsonConverter.toConnectData(JsonConverter.java:333)
Caused by: com.fasterxml.jackson.core.JsonParseException: Unrecognized token '{token}': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')
\tat com.fasterxml.jackson.core.JsonParser._constructError(JsonParser.java:2477)
"""
PYTHON = """Traceback (most recent call last):
  File "/srv/drover/workers/sink.py", line {line}, in write
    open(path)
FileNotFoundError: [Errno 2] No such file or directory: '{path}'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/drover/task.py", line 9, in run
    write()
workers.errors.TaskFailed: cannot write
"""
SPARK = """org.apache.spark.SparkException: Job aborted due to stage failure: Task {line} in stage {stage}.0 failed 1 times
\tat org.apache.spark.scheduler.DAGScheduler.abortStage(DAGScheduler.scala:2844)
Caused by: org.apache.spark.SparkArithmeticException: [DIVIDE_BY_ZERO] Division by zero. Use `try_divide` to tolerate divisor being 0 and return NULL instead. SQLSTATE: 22012
\tat org.apache.spark.sql.errors.QueryExecutionErrors$.divideByZeroError(QueryExecutionErrors.scala:203)
"""

SAME = [
    (JAVA.format(path="/data/a b/out.txt", line=74), JAVA.format(path="/mnt/lake-7/orders/out.txt", line=81)),
    (JDBC.format(name="orders", line=640), JDBC.format(name="customers_v2", line=583)),
    (CONVERTER.format(name="orders", token="hello"), CONVERTER.format(name="clicks-eu", token="x1")),
    (PYTHON.format(path="/no/f", line=5), PYTHON.format(path="/nowhere/else/at all", line=12)),
    (SPARK.format(line=3, stage=17), SPARK.format(line=0, stage=2)),
    ("E: Topic orders not present in metadata after 60000 ms.", "E: Topic eu not present in metadata after 30000 ms."),
    (
        "java.net.ConnectException: Connection to db-1.eu:5432 refused",
        "java.net.ConnectException: Connection to 10.0.0.7:5432 refused",
    ),
    (
        "E: Fetch position 12 is out of range for partition orders-0",
        "E: Fetch position 98213 is out of range for partition lake-11",
    ),
    ("E: id 7f000001-8c2e-4b5f-9d0c-0242ac130003 is gone", "E: id 11111111-8c2e-4b5f-9d0c-0242ac13ffff is gone"),
    ("E: column total cannot be null", "E: column price cannot be null"),
    ("RuntimeError: {'a': {'b': 1}} is odd", "RuntimeError: {'c': []} is odd"),
]
DIFFERENT = [
    ("java.io.IOException: disk full", "java.io.IOException: broken pipe"),
    ("java.io.IOException: disk full", "java.io.UncheckedIOException: disk full"),
    ("java.nio.file.NoSuchFileException: /a", "java.nio.file.AccessDeniedException: /a"),
    ("FileNotFoundError: [Errno 2] No such file or directory: '/a'", "PermissionError: [Errno 13] Permission denied: '/a'"),
    (CONVERTER.format(name="orders", token="x"), JDBC.format(name="orders", line=1)),
    ("E: topic orders is not there", "E: topic orders was not written"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_kind(one: str, other: str) -> None:
    assert one != other
    assert kind(one) == kind(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_another_kind(one: str, other: str) -> None:
    assert kind(one) != kind(other)


@pytest.mark.parametrize(
    ("cause", "expected"),
    [
        ("", ""),
        ("java.nio.file.NoSuchFileException: /no/f", "java.nio.file.NoSuchFileException: …"),
        ("Error 12", "Error …"),
        ("E: Topic orders not present in metadata after 60000 ms.", "E: Topic … not present in metadata after … ms."),
        ("E: a 1 2 /x b", "E: a … b"),
        ("E: it doesn't fit: 5 > 3", "E: it doesn't fit: …"),
    ],
)
def test_shape(cause: str, expected: str) -> None:
    assert shape(cause) == expected


@pytest.mark.parametrize("trace", [None, "", "\n"])
def test_without_a_trace_there_is_no_kind(trace: str | None) -> None:
    assert kind(trace) == ""


def test_kind_is_short_and_stays_the_same() -> None:
    """It is stored: what it is made of must not change lightly."""
    assert kind("java.io.IOException: disk full") == kind("java.io.IOException: disk full")
    assert len(kind("java.io.IOException: disk full")) == 16


def test_a_message_of_megabytes_is_no_burden() -> None:
    assert len(kind("E: " + "x" * 5_000_000)) == 16
    assert len(kind("E: " + "(" * 100_000)) == 16


@pytest.mark.parametrize(
    ("cause", "name"),
    [
        ("java.io.IOException: disk full", "IOException"),
        ("KeyError: 'a'", "KeyError"),
        ("pyspark.errors.exceptions.captured.StreamingQueryException: [X] y", "StreamingQueryException"),
        ("it broke: badly", ""),
        ("", ""),
    ],
)
def test_class_of(cause: str, name: str) -> None:
    assert class_of(cause) == name


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        ("java.nio.file.NoSuchFileException: /no/f", "java.nio.file.NoSuchFileException:"),
        ("E: Topic orders not present in metadata after 60000 ms.", "not present in metadata after"),
        ("12", ""),
        ("", ""),
    ],
)
def test_what_to_search_by(cause: str, words: str) -> None:
    assert literal(cause) == words
    assert words in cause
