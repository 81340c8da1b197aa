"""Apache Kafka Connect's converters and Drover's, record by record: the same bytes are read by one converter and written by
another. Differences that are wanted stand in docs/converters.md, and here."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from tests.integration.converting import Failed, Outcome, Peer, drovers, running_peer, setting
from workers.converters.base import SESSION_OPTIONS
from workers.data.records import DATA_EXCEPTION

STRING, BYTES = setting("StringConverter"), setting("ByteArrayConverter")
JSON, PLAIN = setting("JsonConverter"), setting("JsonConverter", schemas_enable="false")
NUMERIC = setting("JsonConverter", decimal_format="NUMERIC")
KEEPS_NULLS = setting("JsonConverter", replace_null_with_default="false")
NUMBERS = ("Short", "Integer", "Long", "Float", "Double")
MALFORMED = Failed(DATA_EXCEPTION, "Converting byte[] to Kafka Connect data failed due to serialization error: ")


@pytest.fixture(scope="module")
def peer() -> Iterator[Peer]:
    with running_peer() as peer:
        yield peer


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    for key, value in SESSION_OPTIONS.items():
        builder = builder.config(key, value)
    # Not the session of another test: that one may have been made with other options.
    session = builder.getOrCreate().newSession()
    for key, value in SESSION_OPTIONS.items():
        session.conf.set(key, value)
    yield session
    session.stop()


def comparable(outcome: Outcome) -> object:
    """The order of an object's fields is nobody's business, nor how a character is escaped."""
    try:
        return json.dumps(json.loads(outcome), sort_keys=True) if isinstance(outcome, bytes) else outcome
    except ValueError:
        return outcome


def assert_same(
    spark: SparkSession,
    peer: Peer,
    records: list[bytes | None],
    read: Mapping[str, str],
    write: Mapping[str, str],
    *,
    compiled: bool = False,
) -> None:
    expected = [comparable(one) for one in peer.outcomes(records, read, write)]
    found = [comparable(one) for one in drovers(spark, records, read, write, compiled=compiled)]
    assert [*zip(records, found, strict=True)] == [*zip(records, expected, strict=True)]


# --- texts, bytes, single values ------------------------------------------------------------------------------------------

TEXTS: list[bytes | None] = [
    None,
    b"",
    b"x",
    "äöü €".encode(),
    "😀".encode(),
    b"\xff",
    b"a\xc3",
    b"\xe2\x82x",
    b"\x00\x01",
    b"A\x00B\x00",
    b"\xd8\x00a",
    b"\xfe\xff\x00a",
    "ä€".encode("utf-16-be"),
    b"odd",
]


@pytest.mark.parametrize(
    "encoding", ["UTF-8", "utf8", "ISO-8859-1", "US-ASCII", "UTF-16", "UTF-16LE", "UTF-16BE", "windows-1252"]
)
def test_texts(spark: SparkSession, peer: Peer, encoding: str) -> None:
    coded = setting("StringConverter", converter_encoding=encoding)
    assert_same(spark, peer, TEXTS, coded, STRING)
    assert_same(spark, peer, TEXTS, STRING, coded)


def primitive(kind: str) -> dict[str, str]:
    """Those of numbers have their full names alone."""
    return setting(f"org.apache.kafka.connect.converters.{kind}Converter")


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("kind", [*NUMBERS, "Boolean", "ByteArray"])
def test_single_values(spark: SparkSession, peer: Peer, kind: str, compiled: bool) -> None:
    records: list[bytes | None] = [None, b"", b"\x00", b"\x01", b"\x02", b"\xff", b"xyz", b"\x00" * 9]
    for size in (2, 4, 8):
        records += [
            bytes(size),
            b"\xff" * size,
            b"\x80" + bytes(size - 1),
            b"\x7f" + b"\xff" * (size - 1),
            b"@I\x0f\xdbABCD"[:size],
        ]
    if kind in ("Float", "Double"):
        # There is but one NaN in SQL.
        records = [one for one in records if one is None or one[:1] not in (b"\xff", b"\x7f")]
    read = primitive(kind)
    for write in (read, STRING) if kind != "ByteArray" else (read,):
        assert_same(spark, peer, records, read, write, compiled=compiled)


@pytest.mark.parametrize("kind", [*NUMBERS, "Boolean", "ByteArray"])
def test_what_is_of_another_type_is_refused_in_the_same_words(spark: SparkSession, peer: Peer, kind: str) -> None:
    records: list[bytes | None] = [None, b"null", b"true", b"5", b'"x"', b"[1]", b'{"a":1}', b"1.5"]
    write = primitive(kind)
    assert_same(spark, peer, records, PLAIN, write)
    assert_same(spark, peer, [b"x", None], STRING, write)
    assert_same(spark, peer, [b"\x00\x00\x00\x05"], primitive("Integer"), write)


# --- JSON without schemas -------------------------------------------------------------------------------------------------

DOCUMENTS: list[bytes | None] = [
    None,
    b"",
    b" ",
    b"null",
    b"1",
    b"-5",
    b" 5 ",
    b"1.0",
    b"1.10",
    b"1e3",
    b"1.5E-7",
    b"true",
    b'"x"',
    b'"a\\nb\\u0001\\"\\\\ \xc3\xa9 \xf0\x9f\x98\x80"',
    b"[]",
    b"{}",
    b'[1,null,2.50,"1.0",[true]]',
    b'{"a":1.0}',
    b'{"a":{"b":[1.25,"x 1.5, y\\"2.0"]}}',
    b'{"a":1,"a":2}',
    b'{"":1}',
    b'{"a":null}',
    b"{",
    b"xyz",
    b"NaN",
    b"\xff",
    b'"\xff"',
    b'"a\x01b"',
    b"[1,]",
    b"/*c*/5",
    b"'a'",
    b'{"a":1} x',
    b"9223372036854775807",
    b"0.1234567890123456789",
    b'"${env:HOME}"',
]


@pytest.mark.parametrize("write", [PLAIN, JSON, STRING], ids=["plain", "envelope", "text"])
def test_documents(spark: SparkSession, peer: Peer, write: Mapping[str, str]) -> None:
    assert_same(spark, peer, DOCUMENTS, PLAIN, write)


def test_documents_in_a_job(spark: SparkSession, peer: Peer) -> None:
    assert_same(spark, peer, DOCUMENTS, PLAIN, JSON, compiled=True)


def test_numbers_that_java_has_no_room_for_are_kept(spark: SparkSession, peer: Peer) -> None:
    records: list[bytes | None] = [b"12345678901234567890"]
    assert peer.outcomes(records, PLAIN, PLAIN) == [b"-6101065172474983726"]
    assert drovers(spark, records, PLAIN, PLAIN) == records


def test_what_is_no_json_although_kafka_connect_reads_it(spark: SparkSession, peer: Peer) -> None:
    records: list[bytes | None] = [b"01", b"\xef\xbb\xbf5"]
    assert peer.outcomes(records, PLAIN, PLAIN) == [b"1", b"5"]
    assert drovers(spark, records, PLAIN, PLAIN) == [MALFORMED, MALFORMED]


texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False).filter(lambda number: str(number) != "-0.0")
    | texts,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=12,
)
some = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], database=None)


@some
@given(documents=st.lists(values, min_size=20, max_size=20))
def test_any_document(spark: SparkSession, peer: Peer, documents: list[object]) -> None:
    assert_same(spark, peer, [json.dumps(one).encode() for one in documents], PLAIN, JSON)


# --- JSON with schemas ----------------------------------------------------------------------------------------------------

_DATA = "org.apache.kafka.connect.data."
INT, TEXT = {"type": "int32", "optional": False}, {"type": "string", "optional": True}
SINGLE: Mapping[str, list[object]] = {
    "int8": [0, -128, 127],
    "int32": [5, 2147483647],
    "int64": [9223372036854775807, -5],
    "float": [1.1, 0.5, 3, 1e30],
    "double": [1.1, 1e300, -0.5, 7],
    "boolean": [True, False],
    "string": ["", 'a"b\nä', "x" * 100],
    "bytes": ["", "//79", base64.b64encode(b"x" * 100).decode(), "!!"],
}


def enveloped(schema: object, payload: object) -> bytes:
    return json.dumps({"schema": schema, "payload": payload}).encode()


def structure(*fields: tuple[str, Mapping[str, object]], **more: object) -> dict[str, object]:
    return {"type": "struct", "fields": [{**schema, "field": name} for name, schema in fields], "optional": False, **more}


def decimal(scale: object, **more: object) -> dict[str, object]:
    return {"type": "bytes", "name": f"{_DATA}Decimal", "version": 1, "parameters": {"scale": str(scale)}, **more}


def unscaled(number: int) -> str:
    return base64.b64encode(number.to_bytes(number.bit_length() // 8 + 1, "big", signed=True)).decode()


def array(items: object) -> dict[str, object]:
    return {"type": "array", "items": items}


def mapping(keys: object, values: object) -> dict[str, object]:
    return {"type": "map", "keys": keys, "values": values}


def time(name: str, **more: object) -> dict[str, object]:
    return {"type": "int64" if name == "Timestamp" else "int32", "name": _DATA + name, "version": 1, **more}


ENVELOPES: list[bytes | None] = [
    None,
    b"",
    b"5",
    b"{}",
    b"[]",
    b"{",
    b"\xff",
    b'{"schema":null}',
    b'{"schema":null,"payload":5}',
    b'{"schema":null,"payload":null}',
    b'{"payload":5,"schema":{"type":"int32"}}',
    b'{"schema":{"type":"int32"},"payload":5,"x":1}',
    enveloped("x", 1),
    enveloped({}, 1),
    enveloped({"type": "nope"}, 1),
    enveloped({"type": "array"}, []),
    enveloped({"type": "map", "keys": TEXT}, {}),
    enveloped({"type": "struct"}, {}),
    enveloped({"type": "struct", "fields": [INT]}, {}),
    enveloped({**INT, "parameters": {"a": 1}}, 1),
    enveloped({"type": "int32", "default": None}, 1),
    enveloped(structure(("a", INT), ("a", INT)), {"a": 1}),
]
NESTED: list[bytes | None] = [
    enveloped(array(INT), [1, 2]),
    enveloped(array(INT), []),
    enveloped(array(INT), [1, None]),
    enveloped(array(TEXT), ["a", None]),
    enveloped(mapping(TEXT, INT), {'k"': 1}),
    enveloped(mapping(TEXT, INT), []),
    enveloped(mapping(TEXT, INT), {"k": None}),
    enveloped(mapping(INT, TEXT), [[1, "a"], [2, None]]),
    enveloped(mapping(INT, TEXT), {"a": 1}),
    enveloped(mapping(INT, TEXT), [5]),
    enveloped(mapping(INT, TEXT), [[1]]),
    enveloped(mapping(INT, TEXT), []),
    enveloped(structure(("a", INT), ("b", TEXT)), {"b": "x"}),
    enveloped(structure(("a", INT), ("b", TEXT)), {"a": 1}),
    enveloped(structure(("a", INT), ("b", TEXT)), 5),
    enveloped(structure(("a", INT), ("b", TEXT)), [{"a": 1}]),
    enveloped(structure(), {}),
    enveloped(structure(("a", INT), optional=True), None),
    enveloped(structure(("a", structure(("b", INT), optional=True))), {"a": None}),
    enveloped(structure(("x", mapping(TEXT, array(mapping(INT, structure(("z", INT))))))), {"x": {"k": [[[1, {"z": 2}]]]}}),
    enveloped(structure(("x", array(structure(("z", INT))))), {"x": [{"z": 1}, {"z": None}]}),
    enveloped(
        structure(*((name, INT) for name in ("a.b", "c d", 'q"q', "s's", "$x", "back`tick", "ä"))),
        {"a.b": 1, "c d": 2, 'q"q': 3, "s's": 4, "$x": 5, "back`tick": 6, "ä": 7},
    ),
    enveloped(
        structure(("a", decimal(2)), ("d", structure(("e", array(TEXT)), name="inner", version=3, doc="ö")), name="outer"),
        {"a": "AQ==", "d": {"e": ["x"]}},
    ),
]
DEFAULTS: list[bytes | None] = [
    *(enveloped({**INT, "default": 7, "optional": optional}, payload) for optional in (True, False) for payload in (None, 4)),
    enveloped({**INT, "name": "n", "version": 2, "doc": "dö", "parameters": {"p": "1", "a": "2"}, "default": 3}, 4),
    enveloped(decimal(2, default="AQ=="), None),
    enveloped({**array(INT), "default": [1, 2]}, None),
    enveloped({"type": "boolean", "default": True}, None),
    enveloped({"type": "double", "default": 1.5}, None),
    enveloped({"type": "string", "default": "${env:HOME}'\\"}, None),
    enveloped(structure(("a", {**INT, "default": 9}), ("b", {**TEXT, "default": "dd"})), {"b": None}),
]
BIG = [0, 1, -1, 127, 128, -128, -129, 2**63, -(2**63), 2**64, -(2**64), 10**37, 10**38 - 1, 1 - 10**38]
LOGICAL: list[bytes | None] = [
    *(enveloped(decimal(scale), unscaled(number)) for scale in (0, 9) for number in BIG),
    enveloped(decimal(38), unscaled(1)),
    enveloped(decimal(2), 1.25),
    enveloped(decimal(2), True),
    enveloped(decimal(2), "!!"),
    enveloped(decimal(2), "AAAB"),
    enveloped(decimal(2, optional=True), None),
    enveloped(decimal(2), None),
    *(enveloped(time("Date"), payload) for payload in (0, -1, 18000, "x", 1.5, None)),
    *(enveloped(time("Time"), payload) for payload in (0, 86399999, 86400001, -1, "x")),
    *(enveloped(time("Timestamp"), payload) for payload in (0, 1577934245678, -1, "x", True)),
    enveloped(time("Timestamp", optional=True), None),
]


@pytest.mark.parametrize(
    "records",
    [
        ENVELOPES,
        [enveloped({"type": kind, "optional": False}, one) for kind, all_ in SINGLE.items() for one in (*all_, None)],
        [enveloped({"type": kind, "optional": True}, one) for kind, all_ in SINGLE.items() for one in (*all_[:1], None)],
        NESTED,
        DEFAULTS,
        LOGICAL,
    ],
    ids=["envelopes", "single", "optional", "nested", "defaults", "logical"],
)
def test_envelopes(spark: SparkSession, peer: Peer, records: list[bytes | None]) -> None:
    assert_same(spark, peer, records, JSON, JSON)


@pytest.mark.parametrize("compiled", [False, True], ids=["", "in a job"])
@pytest.mark.parametrize("write", [PLAIN, JSON, STRING], ids=["plain", "envelope", "text"])
def test_envelopes_without_a_schema(spark: SparkSession, peer: Peer, write: Mapping[str, str], compiled: bool) -> None:
    """What is in them is what it would be without one, beside records that have a schema."""
    documents = [one for one in DOCUMENTS if one is not None]
    records = [b'{"schema":null,"payload":%s}' % one for one in documents]
    records += [b'{ "payload" : %s , "schema" : null }' % one for one in documents]
    records += [enveloped(structure(("schema", TEXT), ("x", decimal(2))), {"schema": None, "x": unscaled(10**20 + 1)})]
    assert_same(spark, peer, [*records, None], JSON, write, compiled=compiled)


@pytest.mark.parametrize("records", [NESTED, LOGICAL], ids=["nested", "logical"])
def test_what_had_a_schema_without_it(spark: SparkSession, peer: Peer, records: list[bytes | None]) -> None:
    assert_same(spark, peer, records, JSON, PLAIN)


def test_what_had_a_schema_as_a_text(spark: SparkSession, peer: Peer) -> None:
    """Where Java prints the identity of an object, or leaves out the zeros of a scale, there is nothing to compare."""
    printed = [one for one in NESTED if one is not None] + [
        one for one in LOGICAL if one is not None and (b"Decimal" not in one or b'"payload": "' in one)
    ]
    assert_same(spark, peer, [*printed], JSON, STRING)


def test_numeric_decimals_and_nulls_that_stay(spark: SparkSession, peer: Peer) -> None:
    assert_same(spark, peer, [one for one in LOGICAL if one and b'"scale": "9"' in one], JSON, NUMERIC)
    assert_same(spark, peer, DEFAULTS, KEEPS_NULLS, KEEPS_NULLS)


def test_envelopes_in_a_job(spark: SparkSession, peer: Peer) -> None:
    """Compiled, as a batch is."""
    schema = structure(("a", INT), ("b", TEXT), ("c", decimal(2)), ("d", array(structure(("e", time("Date", optional=True))))))
    payloads: list[Any] = [
        {"a": 1, "b": "x", "c": "AQ==", "d": [{"e": 5}, {"e": None}]},
        {"a": None, "b": "x", "c": "AQ==", "d": []},
        {"a": 2, "b": None, "c": "!", "d": []},
        {"a": 2, "c": unscaled(-(10**30)), "d": []},
        7,
    ]
    records: list[bytes | None] = [None, b"{", *(enveloped(schema, payload) for payload in payloads)]
    assert_same(spark, peer, records, JSON, JSON, compiled=True)


def test_one_schema_for_all(spark: SparkSession, peer: Peer) -> None:
    """KIP-1054."""
    content = setting("JsonConverter", schema_content=json.dumps(structure(("a", INT), ("b", TEXT))))
    records: list[bytes | None] = [None, b'{"a":1,"b":"x"}', b'{"a":1}', b"{}", b"5", b"{"]
    assert_same(spark, peer, records, content, JSON)


MISREAD = [
    # What it is, what Kafka Connect makes of it, what Drover does.
    (INT, "5", b"0", b"5"),
    (INT, "x", b"0", "Invalid value for INT32 field: found STRING"),
    ({"type": "int8", "optional": False}, 300, b"44", "Invalid value for INT8 field: found NUMBER"),
    ({"type": "boolean", "optional": False}, "x", b"false", "Invalid value for BOOLEAN field: found STRING"),
    (TEXT, 5, b"null", b'"5"'),
    (array(INT), 5, b"[]", "Invalid value for ARRAY field: found NUMBER"),
]


@pytest.mark.parametrize(("schema", "payload", "theirs", "ours"), MISREAD)
def test_what_is_of_another_kind_than_its_schema_says(
    spark: SparkSession, peer: Peer, schema: dict[str, Any], payload: object, theirs: bytes, ours: bytes | str
) -> None:
    records: list[bytes | None] = [enveloped(schema, payload)]
    assert peer.outcomes(records, JSON, PLAIN) == [theirs]
    assert drovers(spark, records, JSON, PLAIN) == [Failed(DATA_EXCEPTION, ours) if isinstance(ours, str) else ours]


def test_decimals_of_more_digits_than_spark_has_are_refused(spark: SparkSession) -> None:
    records: list[bytes | None] = [enveloped(decimal(2), unscaled(number)) for number in (10**38, -(2**127), 2**200)]
    assert drovers(spark, records, JSON, JSON) == [Failed(DATA_EXCEPTION, "Invalid bytes for Decimal field")] * 3
