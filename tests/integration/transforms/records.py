"""The records that go through both."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from workers.data.schema import (
    DATE_SCHEMA,
    OPTIONAL_BYTES,
    OPTIONAL_STRING,
    STRING,
    TIME_SCHEMA,
    TIMESTAMP_SCHEMA,
    Schema,
    SchemaType,
    decimal,
    struct,
)


@dataclass(frozen=True, slots=True)
class Side:
    """A key or a value: of a schema, and as Kafka Connect's JSON has it."""

    schema: Schema | None
    value: Any


@dataclass(frozen=True, slots=True)
class Rec:
    """A record. `key` and `value` are JSON as it goes in, a `Side` as it comes out."""

    key: Any
    value: Any
    topic: str = "orders"
    partition: int | None = 3
    offset: int | None = 70_000_000_000
    timestamp: int | None = 1_700_000_000_123
    headers: tuple[tuple[str, str | None], ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    exception: str
    message: str


#: None: the record is dropped.
Outcome = Rec | Problem | None


@dataclass(frozen=True, slots=True)
class Table:
    """Records of one pair of schemas."""

    name: str
    key: Side
    value: Side
    records: Sequence[Rec] = field(repr=False)


def table(name: str, key: Schema | None, value: Schema | None, records: Sequence[Rec]) -> Table:
    return Table(name, Side(key, None), Side(value, None), records)


def optional(kind: SchemaType, **more: Any) -> Schema:
    return replace(Schema(kind, optional=True), **more)


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def number(unscaled: int) -> str:
    """A decimal, by its digits without the point."""
    return b64(unscaled.to_bytes(unscaled.bit_length() // 8 + 1, "big", signed=True))


# --- with a schema ------------------------------------------------------------------------------------------------------

INNER = struct({"x": optional(SchemaType.INT64), "y.z": OPTIONAL_STRING}, name="Inner", optional=True)
NESTED = struct(
    {"a": Schema(SchemaType.INT32, default=5), "s": OPTIONAL_STRING, "inner": INNER},
    name="Nested",
    version=1,
    optional=True,
)
ORDER = struct(
    {
        "i8": optional(SchemaType.INT8),
        "i16": optional(SchemaType.INT16),
        "i32": optional(SchemaType.INT32),
        "i64": optional(SchemaType.INT64),
        "f32": optional(SchemaType.FLOAT32),
        "f64": optional(SchemaType.FLOAT64),
        "b": optional(SchemaType.BOOLEAN),
        "s": OPTIONAL_STRING,
        "by": OPTIONAL_BYTES,
        "dec": decimal(2, optional=True),
        "d": replace(DATE_SCHEMA, optional=True),
        "t": replace(TIME_SCHEMA, optional=True),
        "ts": replace(TIMESTAMP_SCHEMA, optional=True),
        "arr": Schema(SchemaType.ARRAY, optional=True, value=optional(SchemaType.INT32)),
        "n": NESTED,
        "def_s": Schema(SchemaType.STRING, optional=True, default="dflt"),
        "def_i": Schema(SchemaType.INT32, default=7),
        "wei`rd na.me": OPTIONAL_STRING,
    },
    name="Order",
    version=2,
    doc="An order.",
    optional=True,
    parameters=(("p", "q"),),
)
_FULL = {
    "i8": 1,
    "i16": 2,
    "i32": 3,
    "i64": 4,
    "f32": 1.5,
    "f64": 2.5,
    "b": True,
    "s": "text",
    "by": b64(b"\x00\xff"),
    "dec": number(12345),
    "d": 19000,
    "t": 3_723_004,
    "ts": 1_600_000_000_123,
    "arr": [1, None, 3],
    "n": {"a": 1, "s": 'q"uo\\te', "inner": {"x": 9, "y.z": "deep"}},
    "def_s": "given",
    "def_i": 8,
    "wei`rd na.me": "w",
}


def _order(**changes: Any) -> Rec:
    return Rec("k", {**_FULL, **changes})


_NONE = {name: None for name in _FULL if name != "def_i"}
ORDERS = table(
    "orders",
    OPTIONAL_STRING,
    ORDER,
    [
        _order(),
        Rec("k", {**_NONE, "def_i": 0}),
        Rec(None, None),
        _order(i8=-128, i16=-32768, i32=-(2**31), i64=-(2**63)),
        _order(i8=127, i16=32767, i32=2**31 - 1, i64=2**63 - 1),
        _order(i16=300, i32=70000, i64=2**40 + 5),
        _order(f32=-0.5, f64=-1e300),
        _order(f32=3.0e38, f64=1e10, b=False),
        _order(f32=0.1, f64=123456789.125),
        _order(s="12", by=b64(b"")),
        _order(s="-7", dec=number(-50)),
        _order(s="", dec=number(0)),
        _order(s="true", ts=0, d=0, t=0),
        _order(s="TRUE", ts=86_400_000, d=-1),
        _order(s="1.5e3", ts=-1, d=1, t=86_399_999),
        _order(s=" 12 ", arr=[]),
        _order(s="žluťoučký 'kůň' 🐎 ${topic}", arr=None),
        _order(n=None),
        _order(n={"a": 2, "s": None, "inner": None}),
        _order(n={"a": 2, "s": "x", "inner": {"x": None, "y.z": None}}, def_s=None),
        replace(_order(), timestamp=None, headers=(("h", "1"), ("x", "2"), ("h", "3"))),
        replace(_order(), topic="other", partition=0),
    ],
)


def turned(table: Table) -> Table:
    """Its values are keys, and its keys values."""
    records = [replace(record, key=record.value, value=record.key) for record in table.records]
    return Table(f"{table.name} as keys", table.value, table.key, records)


ORDER_KEYS = turned(ORDERS)
#: What becomes of orders in Kafka Connect's key.
KEYED = table(
    "keyed",
    struct({"id": Schema(SchemaType.INT64), "part": OPTIONAL_STRING}, name="Key"),
    STRING,
    [
        Rec({"id": at, "part": text}, value, topic=topic, timestamp=stamp)
        for at, (text, value, topic, stamp) in enumerate(
            [
                ("a", "v", "t-1", 0),
                (None, "", "t-2", 1),
                ("b", "x", "prefix.t", 1_700_000_000_000),
                ("", "null", "t", 1_583_020_800_000),
                ("12", "12", "T-3", 1_582_934_400_000),
                ("c", "[1]", "a-b-c", 253_402_300_799_999),
                ("d", "{}", "t_1", 86_400_000),
                ("e", "é", "x", 951_782_400_001),
                ("f", "2020-01-01", "t-10", 1_100_000_000_000),
                ("g", "1.50", "t-11", 1_200_000_000_000),
                ("h", "true", "t-12", 1_300_000_000_000),
                ("i", "z", "t-13", 1_400_000_000_000),
                ("j", "z", "tt", 1_500_000_000_000),
                ("k", "z", "t-", 1_600_000_000_000),
                ("l", "z", "-t", 43_200_000),
                ("m", "z", "t-1-2", 46_799_999),
            ]
        )
    ],
)


def scalars(name: str, schema: Schema, values: Sequence[Any]) -> Table:
    """Whole values, among them a null."""
    return table(name, None, replace(schema, optional=True), [Rec(None, value) for value in (*values, None)])


_TEXTS = [
    *("1", "-1", "+5", "127", "128", "-129", "32768", "99999999999", "9223372036854775807", "9223372036854775808"),
    *("1.5", ".5", "5.", "1e3", "-2E-3", "1d", "2f", "NaN", "Infinity", "-Infinity", "nan", "inf", "1_0"),
    *("true", "True", "false", "yes", "TRUE", "abc", "", " ", " 7 ", "1\n"),
]
TEXTS = scalars("texts", STRING, _TEXTS)
LONGS = scalars(
    "longs",
    Schema(SchemaType.INT64),
    [
        0,
        1,
        -1,
        127,
        128,
        255,
        256,
        -129,
        32768,
        65536,
        2**31,
        -(2**31) - 1,
        2**40,
        1_700_000_000_123,
        86_400_000,
        86_399_999,
        -86_400_001,
    ],
)
DOUBLES = scalars(
    "doubles",
    Schema(SchemaType.FLOAT64),
    [0.0, 0.9, -0.9, 1.0, 127.9, 128.5, 300.7, -129.2, 3e9, -3e9, 1e19, -1e19, 1e300, 1e-5, 123456.789, 1e7, 0.001],
)
DECIMALS = scalars(
    "decimals",
    decimal(3),
    [number(n) for n in (0, 1, -1, 999, 1000, 127_999, 128_000, -129_500, 10**12, 10**18, 65_536_000, 5, 50, 500, 123_456)],
)
BYTES_ = scalars("bytes", Schema(SchemaType.BYTES), [b64(bytes([n] * n)) for n in range(15)])
BOOLEANS = scalars("booleans", Schema(SchemaType.BOOLEAN), [True, False] * 8)
TIMESTAMPS = scalars(
    "timestamps",
    TIMESTAMP_SCHEMA,
    [
        0,
        1,
        -1,
        86_399_999,
        86_400_000,
        1_600_000_000_123,
        951_782_400_000,
        1_583_020_799_999,
        4_102_444_800_000,
        -86_400_000,
        -86_400_001,
        43_200_000,
        46_800_000,
        1_000,
        172_800_000,
    ],
)
DATES = scalars("dates", DATE_SCHEMA, [0, 1, -1, 365, 19000, 11016, 18321, -141427, 2932896, 59, 60, 31, 10957, 16071, 20000])
TIMES = scalars(
    "times",
    TIME_SCHEMA,
    [0, 1, 999, 1000, 59_999, 60_000, 3_599_999, 3_600_000, 43_199_999, 43_200_000, 46_800_000, 86_399_999, 5, 50, 500],
)
DATE_TEXTS = scalars(
    "date texts",
    STRING,
    [
        "2020-01-05 06:07:08.009",
        "2020-1-5 6:7:8.9",
        "2020-02-30 00:00:00.000",
        "2020-13-01 25:61:61.1000",
        "1969-12-31 23:59:59.999",
        "2020-01-05 06:07:08.009 and more",
        "202001050607080",
        "2020-01-05",
        "2020-01-05T06:07:08.009",
        "",
        "x",
        "2020-001-05 06:07:08.009",
        "9020-01-05 06:07:08.009",
        "2020-00-00 00:00:00.000",
        "2024-02-29 24:00:00.000",
        "2020-01-05 -06:07:08.009",
    ],
)
DIGITS = scalars(
    "digits",
    STRING,
    [
        *("20200105", "2020010", "202001", "2020", "20201332", "99991231", "1600010199", "2000-101", "200001-1", "20000101x"),
        *("", "x", "20201", "2020-01-05", "17000101", "20240229"),
    ],
)
SPACED = scalars("spaced texts", STRING, [f"{' ' * at}2020-{' ' * (at % 3)}01-05" for at in range(15)])
NAMED_TEXTS = scalars(
    "named texts",
    STRING,
    [
        "Sun, 05 Jan 2020 11:07 PM +0100",
        "Monday, 5 january 20 12:00 am GMT",
        "Tue, 29 FEB 2024 12:30 PM UTC",
        "Wed, 1 Sept 2021 1:00 AM +0000",
        "Thu, 31 December 1999 11:59 PM -0830",
        "Fri, 1 May 70 01:00 AM GMT+02:00",
        "Xyz, 1 May 2020 01:00 AM UTC",
        "Sat, 1 Mai 2020 01:00 AM UTC",
        "Sun 5 Jan 2020 11:07 PM UTC",
        "Sun, 05 Jan 2020 13:07 PM UTC",
        "Sun, 05 Jan 2020 0:07 AM UTC",
        "Sun, 05 Jan 99 0:07 AM UTC",
        "Sun, 05 Jan 2005 0:07 AM UTC",
        "Sun,   05 Jan 2020 11:07 PM +0100",
        "Sun, 05 Jan 2020 11:07 XM +0100",
    ],
)

NESTED_DEFAULTS = table(
    "nested defaults",
    None,
    struct(
        {
            "p": struct(
                {"x": Schema(SchemaType.INT32, default=3), "y": OPTIONAL_STRING},
                optional=True,
            ),
            "q": struct({"z": struct({"deep": Schema(SchemaType.STRING)})}),
        },
        name="Nest",
    ),
    [
        Rec(None, {"p": {"x": at, "y": text}, "q": {"z": {"deep": str(at)}}})
        for at, text in enumerate([None, "", *"abcdefghijklm"])
    ]
    + [Rec(None, {"p": None, "q": {"z": {"deep": "d"}}})],
)
WITH_MAP = table(
    "with a map",
    None,
    struct({"m": Schema(SchemaType.MAP, optional=True, key=STRING, value=optional(SchemaType.INT32))}, optional=True),
    [*(Rec(None, {"m": inner}) for inner in ({"a": 1}, {}, None)), Rec(None, None)],
)

# --- without a schema ---------------------------------------------------------------------------------------------------

MAPS = table(
    "maps",
    None,
    None,
    [
        Rec({"id": 1}, value, headers=headers, timestamp=stamp, partition=partition)
        for value, headers, stamp, partition in [
            ({"a": 1, "s": "text", "b": True, "f": 1.5}, (), 1_700_000_000_123, 1),
            ({"a": None, "s": None}, (), None, None),
            ({}, (("h", "1"),), 0, 2),
            ({"a": "12", "s": "abc", "b": "true"}, (("h", "1"), ("x", "y")), 1, 3),
            ({"a": -300, "s": "-5", "b": 0, "f": 2}, (), 5, 4),
            ({"a": 2**40, "s": "", "f": -0.25}, (), 5, 4),
            ({"n": {"x": {"y": 1, "z": None}, "e": {}}, "a": 5, "a.b": 7}, (), 5, 4),
            ({"n": {"x": "leaf"}, "l": [1, "two", {"three": 3}]}, (), 5, 4),
            ({"n": None, "l": []}, (), 5, 4),
            ({"n": 5, "a": [1], "s": 1}, (), 5, 4),
            ({"n": 5, "s": {"m": 1}}, (), 5, 4),
            ({"a": 1e20, "f": 1e-7, "s": "2020-01-05"}, (), 5, 4),
            ({"a": False, "s": 'q"uo\\te', "x y": 1, "ž": "ů"}, (), 5, 4),
            ({"a": 1_600_000_000_123, "s": "1969-12-31"}, (), 5, 4),
            ("just text", (), 5, 4),
            (5, (), 5, 4),
            (1.5, (), 5, 4),
            ([1, 2], (), 5, 4),
            (True, (), 5, 4),
            (None, (), 5, 4),
        ]
    ],
)
MAP_KEYS = turned(MAPS)
#: For what does not depend on the data.
FEW = table("few", None, None, MAPS.records[2:4])
