"""A failure as text."""

import pytest

from config.concealment import Concealment
from workers.connectors.base import ConnectError
from workers.herder.traces import causes, trace


def raised(error: BaseException, cause: BaseException | None = None) -> BaseException:
    try:
        if cause is None:
            raise error
        raise error from cause
    except BaseException as caught:
        return caught


def raised_while_handling(first: Exception, second: Exception) -> Exception:
    try:
        try:
            raise first
        except Exception:
            raise second  # noqa: B904  The context is what is tested.
    except Exception as caught:
        return caught


def test_secrets_of_the_one_who_failed_are_named() -> None:
    try:
        with Concealment([("s3cret", "${env:A}")]).marking():
            raise raised(ConnectError("no login as s3cret"), ValueError("s3cret is wrong"))
    except ConnectError as caught:
        text = trace(caught)
    assert "ConnectError: no login as ${env:A}\n" in text
    assert "Caused by: ValueError: ${env:A} is wrong\n" in text
    assert "s3cret" in trace(raised(ValueError("another's s3cret")))


@pytest.mark.parametrize(
    ("error", "headline"),
    [
        (ValueError("bad"), "ValueError: bad"),
        (ValueError(), "ValueError"),
        (ValueError("  \n"), "ValueError"),
        (ConnectError("no file"), "workers.connectors.base.ConnectError: no file"),
    ],
)
def test_the_headline_comes_first(error: Exception, headline: str) -> None:
    assert trace(raised(error)).splitlines()[0] == headline


def test_frames_are_indented_as_java_does() -> None:
    lines = trace(raised(ValueError("bad"))).splitlines()
    assert lines[1].startswith("\tat raised(")
    assert lines[1].endswith(")")
    # Named as it is imported: where the installation lies is nobody's business.
    assert "(tests/unit/workers/herder/test_traces.py:" in lines[1]


def test_a_trace_ends_with_a_newline() -> None:
    assert trace(ValueError("never raised")) == "ValueError: never raised\n"


def test_every_cause_has_its_line() -> None:
    error = raised(RuntimeError("outer"), raised(OSError("middle"), raised(KeyError("root"))))
    headlines = [line for line in trace(error).splitlines() if not line.startswith("\t")]
    assert headlines == ["RuntimeError: outer", "Caused by: OSError: middle", "Caused by: KeyError: 'root'"]


def test_what_was_being_handled_is_a_cause_too_unless_it_was_hidden() -> None:
    seen = raised_while_handling(ValueError("first"), RuntimeError("second"))
    assert [str(cause) for cause in causes(seen)] == ["second", "first"]
    seen.__suppress_context__ = True
    assert [str(cause) for cause in causes(seen)] == ["second"]


def test_a_circle_of_causes_ends() -> None:
    first, second = ValueError("1"), ValueError("2")
    first.__cause__, second.__cause__ = second, first
    assert causes(first) == [first, second]
