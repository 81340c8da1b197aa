"""The fleet's address: what it means, and that links say what they mean to."""

from urllib.parse import parse_qsl

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from dashboard.fleet.language import Field, Term
from dashboard.fleet.query import MOST_TERMS, Column, FleetQuery, Sort, parse


def term(text: str) -> Term:
    field, colon, value = text.partition(":")
    return Term(Field(field), value) if colon else Term(Field.TEXT, text)


def query(*terms: str, **more: object) -> FleetQuery:
    return FleetQuery(tuple(map(term, terms)), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("address", "meant"),
    [
        ("", query()),
        ("state=failed&q=+ord+&page=3", query("state:failed", "ord", page=3)),
        ("state=FAILED,healthy&state=paused", query("state:failed", "state:running", "state:paused")),
        ("q=state:healthy", query("state:running")),
        ("cluster=eu&q=cluster:us+disk", query("cluster:eu", "cluster:us", "disk")),
        ("cluster=eu,+us", query("cluster:eu", "cluster:us")),
        ("cluster=eu&cluster=EU&q=cluster:eu", query("cluster:eu")),
        ("type=Sink", query("type:sink")),
        ("q=IS:Gave-Up&cluster=eu", query("is:gave-up", "cluster:eu")),
        ("config=topics=a,b", query("config:topics=a,b")),
        ("q=config:topics=orders*+%22disk+full%22", query("config:topics=orders*", "disk full")),
        # In the order of their fields, whatever the order in the address.
        ("q=disk&worker=w1&class=Jdbc*", query("class:Jdbc*", "worker:w1", "disk")),
        ("state=&cluster=&q=&sort=&page=", query()),
        ("sort=-since", query(sort=Sort(Column.SINCE, descending=True))),
        ("sort=state", query()),
        ("shown=3,1t,3,x,2t2", query(shown=(3, 1), tall=frozenset({1}))),
    ],
)
def test_meaning(address: str, meant: FleetQuery) -> None:
    found = parse(QueryDict(address))
    assert found == meant
    assert found.problems == ()


@pytest.mark.parametrize(
    ("address", "meant", "told"),
    [
        ("state=odd", query(), "There is no state “odd”, it was left out: there are failed, degraded,"),
        ("state=failed,odd", query("state:failed"), "There is no state “odd”"),
        ("type=both", query(), "There is no type “both”, it was left out: there are source, sink."),
        ("q=cluster:+disk", query("disk"), "“cluster:” says no cluster; it was left out."),
        ("q=clutser:eu", query("q:clutser:eu"), "There is no filter “clutser”: “clutser:eu” is looked for as it stands."),
        ("sort=colour", query(), "The list cannot be sorted by “colour”, only by state, name,"),
        ("page=-1", query(), "“-1” is no page: this is the first."),
        ("page=0", query(), "“0” is no page"),
        ("page=" + "9" * 5000, query(), "is no page"),
        ("page=%C2%B2", query(), "is no page"),
        ("q=" + "+".join(f"w{number}" for number in range(60)), None, f"More than {MOST_TERMS} conditions"),
    ],
)
def test_what_makes_no_sense_is_left_out_and_told(address: str, meant: FleetQuery | None, told: str) -> None:
    found = parse(QueryDict(address))
    assert meant is None or found == meant
    assert len(found.terms) <= MOST_TERMS
    (problem,) = found.problems
    assert told in problem


@pytest.mark.parametrize("words", ["java.io.IOException:", "IOException:disk", "http://eu:8083", "disk:", "eu:8083"])
def test_a_colon_alone_is_no_problem(words: str) -> None:
    assert parse({"q": words}).problems == ()


@pytest.mark.parametrize(
    ("asked", "address", "text"),
    [
        (query(), "?", ""),
        (query("state:failed", "a b", page=2, shown=(1,)), "?state=failed&q=%22a+b%22&page=2", 'state:failed "a b"'),
        (query("cluster:eu", "cluster:us"), "?cluster=eu&cluster=us", "cluster:eu cluster:us"),
        (query("config:topics=orders*"), "?config=topics=orders*", "config:topics=orders*"),
        (query("worker:w1:8083", sort=Sort(Column.NAME)), "?worker=w1:8083&sort=name", "worker:w1:8083"),
        (query("q:cluster:eu"), "?q=%22cluster:eu%22", '"cluster:eu"'),
    ],
)
def test_addresses_and_texts(asked: FleetQuery, address: str, text: str) -> None:
    assert asked.address == address
    assert asked.text == text


_VALUES = {
    Field.STATE: st.sampled_from(["failed", "degraded", "running", "unassigned"]),
    Field.IS: st.just("gave-up"),
    Field.TYPE: st.sampled_from(["source", "sink"]),
    Field.CLUSTER: st.text(st.characters(exclude_characters=",", exclude_categories=["Cs"]), min_size=1).map(str.strip),
}
_ANY = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
_TERMS = st.sampled_from(Field).flatmap(lambda field: st.builds(Term, st.just(field), _VALUES.get(field, _ANY)))
_QUERIES = st.builds(
    lambda terms, sort, page: FleetQuery().cleared().sorted_by(sort).turned(page) if not terms else _with(terms, sort, page),
    st.lists(_TERMS.filter(lambda term: bool(term.value.strip())), max_size=6),
    st.builds(Sort, st.sampled_from(Column), st.booleans()),
    st.integers(1, 10**9 - 1),
)


def _with(terms: list[Term], sort: Sort, page: int) -> FleetQuery:
    found = FleetQuery()
    for one in terms:
        found = found if found.holds(one) else found.toggled(one)
    return found.sorted_by(sort).turned(page)


@given(_QUERIES)
def test_an_address_leads_back(asked: FleetQuery) -> None:
    assert parse(QueryDict(asked.address.removeprefix("?"))) == asked
    assert dict(parse_qsl(asked.address.removeprefix("?"))).keys() <= {*Field, "sort", "page"}


@given(_QUERIES)
def test_the_text_of_a_query_means_the_same(asked: FleetQuery) -> None:
    assert parse({"q": asked.text}).terms == asked.terms


@given(_QUERIES, _TERMS.filter(lambda term: bool(term.value.strip())))
def test_a_term_is_put_in_and_taken_out_again(asked: FleetQuery, one: Term) -> None:
    turned = asked.toggled(one)
    assert turned.holds(one) is not asked.holds(one)
    assert set(turned.toggled(one).terms) == set(asked.terms) or asked.holds(one)
    assert turned.page == 1


@given(st.dictionaries(st.sampled_from([*Field, "sort", "page", "shown"]), st.text(max_size=40)))
def test_anything_at_all_can_be_parsed(parameters: dict[str, str]) -> None:
    found = parse(parameters)
    assert parse(QueryDict(found.address.removeprefix("?"))).terms == found.terms


def test_choosing_starts_at_the_first_page() -> None:
    asked = query("state:failed", "disk", page=7, shown=(1,), tall=frozenset({1}), sort=Sort(Column.NAME))
    assert asked.without(Field.STATE) == query("disk", sort=Sort(Column.NAME))
    assert asked.cleared() == query(sort=Sort(Column.NAME))
    assert asked.sorted_by(Sort()) == query("state:failed", "disk")
    assert asked.turned(8) == query("state:failed", "disk", page=8, sort=Sort(Column.NAME))
