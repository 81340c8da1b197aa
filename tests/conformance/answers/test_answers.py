"""Every case of the list is asked of both. A case that Apache Kafka Connect answers differently from Drover fails, and so does a
wanted difference that is none, or that docs/compatibility.md does not name."""

import uuid
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from connect_client.calls import segment
from tests.conformance.answers.case import Answer, Case, comparable, compared
from tests.conformance.answers.cases import all_cases
from tests.conformance.answers.conftest import Side
from tests.running import PROJECT
from tests.waiting import eventually

CASES = all_cases()
COMPATIBILITY = (PROJECT / "docs" / "compatibility.md").read_text()
# What a cluster says for a moment after a connector has come, gone or changed.
MOMENTARY = ("stale configuration", "a rebalance is expected", "rebalance was underway")


def test_no_two_cases_have_one_name() -> None:
    assert len({case.id for case in CASES}) == len(CASES)


@pytest.fixture
def new_name(sides: tuple[Side, Side]) -> Iterator[str]:
    """For a connector that will be deleted at the end if it comes to be."""
    name = f"c-{uuid.uuid4().hex[:8]}"
    yield name
    for side in sides:
        for made in side.cluster.http.get("/connectors").json():
            if name in made:
                side.cluster.delete(segment(made))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_answer(case: Case, sides: tuple[Side, Side], new_name: str) -> None:
    plugins = sides[0].plugins & sides[1].plugins
    drover, apache = (asked(side, case, new_name, plugins) for side in sides)
    if not case.differs:
        assert shown(drover, case) == shown(apache, case)
        return
    assert case.differs in COMPATIBILITY
    assert case.drover is not None
    assert shown(drover, case) != shown(apache, case), "a difference that is none"
    found = drover[0]
    assert found.status == case.drover.status, found
    assert (
        message(found).startswith(message(case.drover)) if isinstance(case.drover.body, str) else found.body == case.drover.body
    )
    assert replaced(dict(case.drover.headers), {"{c}": new_name}).items() <= found.headers.items(), found


def asked(side: Side, case: Case, new_name: str, plugins: frozenset[str]) -> list[Answer]:
    """The answer to the question, and those to what is read `then`."""
    if not case.given:
        name = new_name
    elif case.changes:
        name = new_name
        side.make(case.given, name)
    else:
        name = side.shared(case.given)
    words = {"{c}": name, "{file}": str(side.folder / "cases.txt")}

    def ask(method: str, path: str, body: object = None) -> Answer:
        def answer() -> Answer:
            found = side.asker.ask(method, replaced(path, words), replaced(body, words), case.headers)
            assert not any(text in str(found.body) for text in MOMENTARY), found
            return found

        return eventually(answer, f"{method} {path}")

    for method, path, body in case.before:
        assert ask(method, path, body).status < 400
    answers = [ask(case.method, case.path, case.body), *(ask("GET", path) for path in case.then)]
    return [replace(answer, body=comparable(answer.body, side.version, plugins)) for answer in answers]


def replaced(there: Any, words: dict[str, str]) -> Any:
    """With the words put in wherever there is text."""
    if isinstance(there, str):
        for word, meant in words.items():
            there = there.replace(word, meant)
        return there
    if isinstance(there, bytes):
        return replaced(there.decode("latin-1"), words).encode("latin-1")
    if isinstance(there, dict):
        return {replaced(key, words): replaced(value, words) for key, value in there.items()}
    return [replaced(each, words) for each in there] if isinstance(there, list) else there


def shown(answers: list[Answer], case: Case) -> list[object]:
    """What is compared of them."""
    first, *then = answers
    if case.stem:
        assert message(first).startswith(case.stem), f"{first}"
        first = replace(first, body=case.stem)
    return [compared(answer, case.ignore, case.ordered) for answer in (first, *then)]


def message(answer: Answer) -> str:
    """Of an error's body; of a text, the text."""
    return str(answer.body.get("message")) if isinstance(answer.body, dict) else str(answer.body)
