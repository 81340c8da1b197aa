"""What is said of a connector's transforms and predicates (KIP-66, KIP-585) by a validation, and at creation."""

from tests.conformance.answers.case import Case

PACKAGE = "org.apache.kafka.connect.transforms"
TEXTS = frozenset({"documentation"})
PLAIN = {"connector.class": "FileStreamSource", "name": "{c}", "file": "f", "topic": "t"}


def asked(name: str, **config: str) -> Case:
    """In keys `_` stands for a dot, and `$` in a class stands for the package before it as well."""
    given = {key.replace("_", "."): value for key, value in config.items()}
    full = {key: f"{PACKAGE}.{value}" if key.endswith(".type") and "$" in value else value for key, value in given.items()}
    path = "/connector-plugins/FileStreamSource/config/validate"
    return Case(f"validated: {name}", "PUT", path, {**PLAIN, **full}, ignore=TEXTS)


def one(kind: str, **settings: str) -> Case:
    """A transform alone."""
    own = {f"transforms.a.{key.replace('_', '.')}": value for key, value in settings.items()}
    told = " ".join(f"{key}={value}" for key, value in own.items())
    return asked(f"{kind} {told}", transforms="a", transforms_a_type=kind, **own)


CASES = [
    *(
        one(kind)
        for kind in (
            *("Cast$Value", "DropHeaders", "ExtractField$Key", "Filter", "Flatten$Value", "HeaderFrom$Key", "HoistField$Value"),
            *("InsertField$Value", "InsertHeader", "MaskField$Value", "RegexRouter", "ReplaceField$Value"),
            *("SetSchemaMetadata$Key", "TimestampConverter$Value", "TimestampRouter", "ValueToKey"),
            *("Cast", "Nope", "", " ", f"{PACKAGE}.Cast", f"{PACKAGE}.Flatten", f"{PACKAGE}.Transformation", "HasHeaderKey"),
            *("StringConverter", f"{PACKAGE}.predicates.HasHeaderKey", f"{PACKAGE}.RegexRouter"),
        )
    ),
    *(
        one("Cast$Value", spec=spec)
        for spec in ("int8", "a:int8", "int8,a:int8", "a:b:c", "a:struct", "a:x", "struct", "", "a:int8,b:x")
    ),
    *(one("ReplaceField$Value", renames=renames) for renames in ("a:b", "a", "a:b:c", "a:b,c", ":b", "a:", "")),
    one("TimestampConverter$Value", target_type="unixx", unix_precision="x", replace_null_with_default="maybe"),
    one("TimestampConverter$Value", target_type="string", format="nonsense"),
    one("MaskField$Value", fields="", replacement=""),
    one("MaskField$Value", fields="a,a", replacement="x"),
    one("MaskField$Value", fields="a,,b"),
    one("DropHeaders", headers=""),
    one("DropHeaders", headers="a,b,a"),
    one("ValueToKey", fields="a,a"),
    one("ValueToKey", fields=""),
    one("HeaderFrom$Value", fields="a,a", headers="b,b", operation="move"),
    one("ReplaceField$Value", include="a,a", exclude="b,b"),
    one("ReplaceField$Value", include="a,,b", renames="a:b,a:b"),
    one("Cast$Value", spec="a:int8,a:int8"),
    one("ExtractField$Value", field="", field_syntax_version="v3"),
    one("ExtractField$Value", field="a", field_syntax_version="v2"),
    one("SetSchemaMetadata$Value", schema_version="v3"),
    one("InsertHeader", header="", value_literal=""),
    one("HeaderFrom$Key", fields="a", headers="b,c", operation="steal"),
    one("InsertField$Value", static_field="x"),
    one("ValueToKey", fields="a", unknown="u"),
    one("RegexRouter", regex="(.*)", replacement="x-$1", predicate="p"),
    one("RegexRouter", regex="(.*)", replacement="x-$1", negate="true"),
    one("RegexRouter", regex="(.*)", replacement="x-$1", negate="maybe", predicate="p"),
    one("Filter", predicate=""),
    one("Filter", plugin_version="[0,)"),
    one("Filter", plugin_version="["),
    asked(
        "two with a predicate",
        transforms="a,b",
        transforms_a_type="Filter",
        transforms_a_predicate="p",
        transforms_b_type="Cast$Key",
        transforms_b_spec="int8",
        predicates="p",
        predicates_p_type="TopicNameMatches",
        predicates_p_pattern="a.*",
    ),
    asked(
        "predicates",
        predicates="p,q,r",
        predicates_p_type="TopicNameMatches",
        predicates_p_pattern="",
        predicates_q_type="Filter",
        predicates_r_type="HasHeaderKey",
    ),
    asked("a pattern that is missing", predicates="p", predicates_p_type="TopicNameMatches"),
    asked("one twice", transforms="a,a", transforms_a_type="Filter"),
    asked("keys of nobody's", transforms_a_type="Filter", predicates_p_type="Nope"),
]
