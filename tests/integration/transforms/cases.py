"""What is asked of both: a chain of transforms over a table of records. A case more is a line more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tests.integration.transforms import records as r
from tests.integration.transforms.records import Table
from workers.transforms.base import PACKAGE


@dataclass(frozen=True, slots=True)
class Case:
    """`config` is that of a connector; nested classes may be called `Cast$Value` in it."""

    tables: tuple[Table, ...]
    given: Mapping[str, str]
    source: bool = False

    @property
    def config(self) -> dict[str, str]:
        return {
            key: f"{PACKAGE}.{value}" if key.endswith(".type") and "$" in value else value for key, value in self.given.items()
        }

    @property
    def name(self) -> str:
        settings = " ".join(f"{key.removeprefix('transforms.')}={value}" for key, value in self.given.items())
        return f"{settings}{' (source)' if self.source else ''}"


def one(kind: str, *tables: Table, source: bool = False, **settings: str) -> Case:
    """One transform; `_` in a setting's name is a dot."""
    config = {"transforms": "a", "transforms.a.type": kind}
    config |= {f"transforms.a.{key.replace('_', '.')}": value for key, value in settings.items()}
    return Case(tables, config, source)


def chain(*tables: Table, config: Mapping[str, str], source: bool = False) -> Case:
    return Case(tables, config, source)


BOTH = (r.ORDERS, r.MAPS)
KEYS = (r.ORDER_KEYS, r.MAP_KEYS)


def _insert_field() -> Iterator[Case]:
    kind = "InsertField$Value"
    yield one(
        kind, *BOTH, topic_field="topic", partition_field="part!", timestamp_field="at", static_field="st?", static_value="x'"
    )
    yield one(kind, *BOTH, offset_field="off")
    yield one(kind, *BOTH, offset_field="off!", source=True)
    yield one(kind, *BOTH, static_field="s", static_value="dup")
    yield one(kind, *BOTH, timestamp_field="at", replace_null_with_default="false")
    yield one("InsertField$Key", r.KEYED, *BOTH, topic_field="topic", timestamp_field="ts")
    yield one("InsertField$Key", *KEYS, topic_field="topic", partition_field="part", static_field="st", static_value="x")
    yield one(kind, r.TEXTS, topic_field="topic")


def _replace_field() -> Iterator[Case]:
    kind = "ReplaceField$Value"
    yield one(kind, *BOTH, exclude="s,a,nope")
    yield one(kind, *BOTH, include="s,a,def_s,n", renames="s:text,a:b")
    yield one(kind, *BOTH, renames="i8:x,x:y,s:i9,def_s:D")
    yield one(kind, *BOTH, renames="i8:s")
    yield one(kind, *BOTH, exclude="n", replace_null_with_default="false")
    yield one(kind, *BOTH, include="nothing")
    yield one("ReplaceField$Key", r.KEYED, r.MAPS, renames="id:key")
    yield one("ReplaceField$Key", *KEYS, exclude="s,a", renames="n:nested,ts:at,dec:price")


def _extract_field() -> Iterator[Case]:
    kind = "ExtractField$Value"
    for name in ("i8", "s", "dec", "ts", "t", "arr", "n", "def_s", "def_i", "a", "nope"):
        yield one(kind, *BOTH, field=name)
    yield one(kind, *BOTH, field="def_s", replace_null_with_default="false")
    for path in ("n.s", "n.a", "n.inner.x", "n.inner.`y.z`", "n.x.y", "n.x", "`wei`rd na.me`", "s.x", "l.x", "n."):
        yield one(kind, *BOTH, field=path, field_syntax_version="V2")
    yield one(kind, r.ORDERS, field="n.s")
    yield one("ExtractField$Key", r.KEYED, *BOTH, field="id")
    for name in ("dec", "ts", "arr", "n", "a"):
        yield one("ExtractField$Key", *KEYS, field=name)


def _cast() -> Iterator[Case]:
    kind = "Cast$Value"
    scalars = (r.TEXTS, r.LONGS, r.DOUBLES, r.DECIMALS, r.BOOLEANS, r.BYTES_, r.TIMESTAMPS, r.DATES, r.TIMES, r.MAPS)
    for target in ("int8", "int16", "int32", "int64", "float32", "float64", "boolean"):
        yield one(kind, *scalars, spec=target)
    yield one(kind, r.TEXTS, r.LONGS, r.DOUBLES, r.DECIMALS, r.BOOLEANS, r.BYTES_, r.MAPS, spec="string")
    yield one(
        kind, *BOTH, spec="i8:int64,i64:int8,f64:int32,b:string,s:string,by:string,dec:float64,d:int32,def_i:string,a:string"
    )
    yield one(kind, *BOTH, spec="ts:string,d:string,t:string,dec:string,f32:boolean,def_s:boolean,def_i:int8,f:float32")
    yield one(kind, *BOTH, spec="s:int32,a:boolean,nope:int8")
    yield one(kind, *BOTH, spec="n:string,arr:string", replace_null_with_default="false")
    yield one(kind, r.ORDERS, spec="int8")
    yield one("Cast$Key", r.KEYED, spec="id:string,part:int32")
    yield one("Cast$Key", *KEYS, spec="i8:int64,dec:float64,ts:string,s:string,a:string")


def _timestamp_converter() -> Iterator[Case]:
    kind = "TimestampConverter$Value"
    instants = (r.TIMESTAMPS, r.DATES, r.TIMES, r.LONGS)
    long = "yyyy-MM-dd HH:mm:ss.SSS"
    for target in ("unix", "Date", "Time", "Timestamp"):
        yield one(kind, *instants, r.DATE_TEXTS, r.MAPS, target_type=target, format=long)
    for form in (long, "yy/M/d h:m:s a S", "EEE, dd MMM yyyy KK:mm aa z", "EEEE d. MMMM y kk'h''m' Z XXX", "yyyyMMddHHmmss"):
        yield one(kind, *instants, r.DATE_TEXTS, r.MAPS, target_type="string", format=form)
    for precision in ("seconds", "microseconds", "nanoseconds"):
        yield one(kind, r.LONGS, r.DATES, target_type="unix", unix_precision=precision)
    yield one(kind, r.LONGS, r.MAPS, target_type="string", format=long, unix_precision="seconds")
    yield one(kind, r.NAMED_TEXTS, target_type="unix", format="EEE, d MMM yy h:mm a z")
    yield one(kind, r.DATE_TEXTS, r.SPACED, target_type="unix", format="yyyy-MM-dd")
    yield one(kind, r.DIGITS, target_type="unix", format="yyyyMMdd")
    yield one(kind, r.TEXTS, r.MAPS, r.BOOLEANS, target_type="unix")
    for name in ("ts", "d", "t", "s", "a", "def_s", "i8", "nope"):
        yield one(kind, *BOTH, field=name, target_type="string", format="yyyy-MM-dd", replace_null_with_default="true")
    yield one(kind, *BOTH, field="ts", target_type="Date", replace_null_with_default="false")
    yield one(kind, r.BOOLEANS, field="ts", target_type="Date")
    yield one("TimestampConverter$Key", r.KEYED, field="id", target_type="Timestamp", unix_precision="seconds")
    yield one("TimestampConverter$Key", *KEYS, field="ts", target_type="unix")


def _mask_field() -> Iterator[Case]:
    kind = "MaskField$Value"
    yield one(kind, *BOTH, fields="i8,i16,i32,i64,f32,f64,b,s,d,t,ts,arr,def_s,def_i,a,f,l")
    yield one(kind, *BOTH, fields="by,s")
    yield one(kind, *BOTH, fields="n,a")
    for replacement in ("12", "-300.7", "1e3", "x", "99999999999"):
        yield one(kind, *BOTH, fields="i8,i32,f32,f64,s,a,def_s,f", replacement=replacement)
    yield one(kind, *BOTH, fields="b", replacement="1", replace_null_with_default="false")
    yield one(kind, *BOTH, fields="ts,arr,l,n", replacement="1")
    yield one(kind, r.ORDERS, fields="dec", replacement="3.25")
    yield one(kind, r.TEXTS, fields="s")
    yield one("MaskField$Key", r.KEYED, fields="id,part")
    yield one("MaskField$Key", *KEYS, fields="i8,s,ts,arr,a,l")


def _flatten() -> Iterator[Case]:
    yield one("Flatten$Value", *BOTH)
    yield one("Flatten$Value", *BOTH, delimiter="_")
    yield one("Flatten$Value", r.TEXTS, r.NESTED_DEFAULTS, delimiter="")
    yield one("Flatten$Value", r.WITH_MAP)
    yield one("Flatten$Key", r.KEYED, *KEYS)


def _others() -> Iterator[Case]:
    yield one("HoistField$Value", *BOTH, r.TEXTS, r.LONGS, field="h.x")
    yield one("HoistField$Key", *BOTH, r.KEYED, *KEYS, field="k")
    yield one("SetSchemaMetadata$Value", *BOTH, r.TEXTS, schema_name="New", schema_version="9")
    yield one("SetSchemaMetadata$Value", *BOTH, r.LONGS, schema_version="0")
    yield one("SetSchemaMetadata$Value", r.ORDERS, schema_name="", replace_null_with_default="false")
    yield one("SetSchemaMetadata$Key", r.KEYED, *KEYS, schema_name="K")
    yield one("ValueToKey", *BOTH, fields="s,a")
    yield one("ValueToKey", *BOTH, fields="def_s,n,i8,ts")
    yield one("ValueToKey", *BOTH, fields="def_s", replace_null_with_default="false")
    yield one("ValueToKey", r.TEXTS, fields="s")


def _headers() -> Iterator[Case]:
    for operation in ("copy", "move"):
        kind = "HeaderFrom$Value"
        yield one(kind, *BOTH, fields="s,a", headers="hs,ha", operation=operation)
        yield one(kind, *BOTH, fields="i8,i64,f32,f64,b,s,by,dec,s", headers="a,b,c,d,e,f,g,h,i", operation=operation)
        yield one(kind, *BOTH, fields="d,t,ts,arr,n,def_s", headers="a,b,c,d,e,f", operation=operation)
        yield one("HeaderFrom$Key", r.KEYED, r.MAPS, fields="id,part", headers="h,h", operation=operation)
        yield one("HeaderFrom$Key", *KEYS, fields="s,dec,ts,arr,n", headers="a,b,c,d,e", operation=operation)
    yield one("HeaderFrom$Value", r.ORDERS, fields="def_s", headers="h", operation="move", replace_null_with_default="false")
    yield one("HeaderFrom$Value", r.TEXTS, fields="s", headers="h", operation="copy")
    yield one("DropHeaders", *BOTH, headers="h")
    yield one("DropHeaders", *BOTH, headers="x,nope,h")
    for literal in HEADERS:
        yield one("InsertHeader", r.FEW, header="h", value_literal=literal)
    yield one("InsertHeader", *BOTH, header="h", value_literal="v")


HEADERS = (
    *(
        "text",
        "it's",
        "1",
        "01",
        "-5",
        "300",
        "70000",
        "5000000000",
        "9223372036854775808",
        "1.50",
        "1.0",
        "1e3",
        "1.1e-7",
        "0.1",
    ),
    *("12345.678", "1e40", "1.5e400", "true", " false ", "truee", "null", "2020-01-05", "2020-13-05", "12:34:56.789Z"),
    *("2020-01-05T12:34:56.789Z", "1970-01-01T12:34:56.789Z", "[1, 2.5]", "[1,300]", '["a","b"]', "[]", "[1,]", "[1", '[1,"a"]'),
    *('{"a":1,"b":2}', "{}", '{"a":[1,null]}', "{a:1}", "[null]", '["2020-01-05"]', "a:b", "12:34", "+", "-", ".5", "ž", "1 2"),
    *("[true,false]", '["q\\"uo"]', "{1:2.5,3:4}", "1970-01-01", "x\\ny"),
)


def _routers() -> Iterator[Case]:
    for regex, replacement in (
        ("t-(.*)", "new-$1"),
        ("(.*)", "$1$1"),
        (".*", "x"),
        ("t|t-1|orders", "y"),
        ("(?<first>[a-z]+)-(\\d)", "${first}_$2\\$"),
        ("\\p{L}+", "l"),
        ("\\Qa-b\\E-(c)", "$1"),
        ("nothing", "z"),
        ("(t).*", "$2"),
        (".*", "${no}"),
        ("[a-z]*+", ""),
    ):
        yield one("RegexRouter", r.KEYED, regex=regex, replacement=replacement)
    yield one("RegexRouter", *BOTH, regex="o(.*)", replacement="$1")
    yield one("TimestampRouter", r.KEYED, r.ORDERS)
    for form in ("yyyy", "yyyy-MM-dd'T'HH", "yyMMdd", "EEE"):
        yield one("TimestampRouter", r.KEYED, topic_format="${timestamp}.${topic}.${topic}", timestamp_format=form)
    yield one("Filter", *BOTH, r.KEYED)


def _predicates() -> Iterator[Case]:
    for negate in ("true", "false"):
        for predicate in (
            {"type": "HasHeaderKey", "name": "h"},
            {"type": "RecordIsTombstone"},
            {"type": "TopicNameMatches", "pattern": "o.*r|t-\\d|T.*"},
        ):
            for transform in (
                {"type": "Filter"},
                {"type": "ReplaceField$Value", "exclude": "s,a"},
                {"type": "HoistField$Value", "field": "w"},
            ):
                config = {"transforms": "a", "predicates": "p", "transforms.a.predicate": "p", "transforms.a.negate": negate}
                config |= {f"predicates.p.{key}": value for key, value in predicate.items()}
                config |= {f"transforms.a.{key}": value for key, value in transform.items()}
                yield chain(r.ORDERS, r.MAPS, *((r.KEYED,) if transform["type"] != "ReplaceField$Value" else ()), config=config)


def _chains() -> Iterator[Case]:
    def of(*transforms: Mapping[str, str], **predicates: Mapping[str, str]) -> dict[str, str]:
        config = {"transforms": ",".join(f"t{at}" for at in range(len(transforms))), "predicates": ",".join(predicates)}
        for at, transform in enumerate(transforms):
            config |= {f"transforms.t{at}.{key}": value for key, value in transform.items()}
        for name, predicate in predicates.items():
            config |= {f"predicates.{name}.{key}": value for key, value in predicate.items()}
        return config

    insert = {"type": "InsertField$Value", "topic.field": "topic", "timestamp.field": "at"}
    mask = {"type": "MaskField$Value", "fields": "s,a"}
    move = {"type": "HeaderFrom$Value", "fields": "s", "headers": "h", "operation": "move"}
    route = {"type": "RegexRouter", "regex": "(.*)", "replacement": "x.$1"}
    yield chain(*BOTH, config=of(insert, mask, {"type": "Flatten$Value"}, move, route))
    yield chain(
        *BOTH,
        config=of(
            {"type": "Cast$Value", "spec": "s:int32"},
            {"type": "ValueToKey", "fields": "s"},
            {"type": "ExtractField$Key", "field": "s"},
            {"type": "Cast$Key", "spec": "string"},
            insert,
        ),
    )
    yield chain(
        *BOTH,
        config=of(
            {"type": "ExtractField$Value", "field": "n", "predicate": "headed"},
            {"type": "HoistField$Value", "field": "one", "predicate": "headed", "negate": "true"},
            {"type": "SetSchemaMetadata$Value", "schema.name": "Both", "predicate": "empty", "negate": "true"},
            {"type": "InsertHeader", "header": "i", "value.literal": "1.50"},
            {"type": "Filter", "predicate": "empty"},
            headed={"type": "HasHeaderKey", "name": "h"},
            empty={"type": "RecordIsTombstone"},
        ),
    )
    yield chain(
        r.ORDERS,
        r.MAPS,
        config=of(
            {"type": "TimestampConverter$Value", "field": "a", "target.type": "Timestamp"},
            {"type": "TimestampConverter$Value", "field": "a", "target.type": "string", "format": "yyyy-MM-dd HH"},
            {"type": "DropHeaders", "headers": "x"},
            {"type": "TimestampRouter", "topic.format": "${topic}.${timestamp}", "timestamp.format": "yyyy"},
        ),
    )


CASES = (
    *_insert_field(),
    *_replace_field(),
    *_extract_field(),
    *_cast(),
    *_timestamp_converter(),
    *_mask_field(),
    *_flatten(),
    *_others(),
    *_headers(),
    *_routers(),
    *_predicates(),
    *_chains(),
)
