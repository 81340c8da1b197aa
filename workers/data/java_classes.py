"""Which Java class a value would be of in Kafka Connect: its messages say so."""

from workers.data import sql
from workers.data.records import Data
from workers.data.schema import DATE, DECIMAL, TIME, TIMESTAMP, Schema, SchemaType

_LOGICAL = {DECIMAL: "java.math.BigDecimal", DATE: "java.util.Date", TIME: "java.util.Date", TIMESTAMP: "java.util.Date"}
_BY_TYPE = {
    SchemaType.INT8: "java.lang.Byte",
    SchemaType.INT16: "java.lang.Short",
    SchemaType.INT32: "java.lang.Integer",
    SchemaType.INT64: "java.lang.Long",
    SchemaType.FLOAT32: "java.lang.Float",
    SchemaType.FLOAT64: "java.lang.Double",
    SchemaType.BOOLEAN: "java.lang.Boolean",
    SchemaType.STRING: "java.lang.String",
    SchemaType.BYTES: "[B",
    SchemaType.ARRAY: "java.util.ArrayList",
    SchemaType.MAP: "java.util.HashMap",
    SchemaType.STRUCT: "org.apache.kafka.connect.data.Struct",
}
#: By how a variant's type begins (`schema_of_variant`).
_BY_VARIANT = {
    "OBJECT": "java.util.HashMap",
    "ARRAY": "java.util.ArrayList",
    "BIGINT": "java.lang.Long",
    "DOUBLE": "java.lang.Double",
    "DECIMAL": "java.lang.Double",
    "BOOLEAN": "java.lang.Boolean",
    "BINARY": "[B",
}


def class_of(schema: Schema) -> str:
    return _LOGICAL.get(schema.name or "", _BY_TYPE[schema.type])


def java_class(data: Data) -> str:
    """SQL of the class's name; of a value that is not null."""
    if data.schema is not None:
        return sql.text(class_of(data.schema))
    kind = f"schema_of_variant({data.sql})"
    branches = [(f"startswith({kind}, '{start}')", sql.text(name)) for start, name in _BY_VARIANT.items()]
    return sql.case(branches, sql.text("java.lang.String"))
