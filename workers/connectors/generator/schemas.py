"""What is generated: a Spark SQL expression for each field, over the record's number. Pure.

An expression is a function of the column `n` (bigint), of the seed and of the field's own name: record n is the same whoever
makes it, and whenever.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from workers.connectors.generator.ddl import DataType, parse
from workers.data import sql

#: Of the first record, in seconds since 1970; each next one is a second later.
BEGINNING = 1_767_225_600
_BOUNDS = {"TINYINT": 100, "SMALLINT": 10_000, "INT": 1_000_000, "BIGINT": 1_000_000_000_000}
_LARGEST = {"TINYINT": 2**7, "SMALLINT": 2**15, "INT": 2**31, "BIGINT": 2**63 - 1}

Expressions = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Dice:
    seed: int

    def hash(self, path: str) -> str:
        """A bigint, any."""
        return f"xxhash64(n, {sql.text(path)}, {self.seed}L)"

    def below(self, path: str, bound: int) -> str:
        """A bigint from 0 on."""
        return f"pmod({self.hash(path)}, {bound}L)"

    def share(self, path: str) -> str:
        """A double, at least 0 and less than 1."""
        return f"(shiftrightunsigned({self.hash(path)}, 11) * 1.1102230246251565E-16D)"

    def one_of(self, path: str, values: Sequence[str]) -> str:
        listed = ", ".join(sql.text(value) for value in values)
        return f"element_at(array({listed}), CAST({self.below(path, len(values))} AS INT) + 1)"

    def decimal(self, path: str, precision: int, scale: int) -> str:
        digits = self.below(path, 10 ** min(precision, 18))
        return f"CAST(concat({digits}, 'E-{scale}') AS DECIMAL({precision},{scale}))"


def _moment() -> str:
    return f"timestamp_seconds({BEGINNING}L + n)"


# --- by types ---------------------------------------------------------------------------------------------------------


def _of_fields(fields: Sequence[tuple[str, DataType]], dice: Dice, path: str = "") -> Expressions:
    return [(name, _of_field(name, kind, dice, f"{path}{name}")) for name, kind in fields]


def _of_field(name: str, kind: DataType, dice: Dice, path: str) -> str:
    if name == "id" and kind.name in _LARGEST:
        return f"CAST(pmod(n, {_LARGEST[kind.name]}L) AS {kind.name})"
    return _of_type(name, kind, dice, path)


def _of_type(name: str, kind: DataType, dice: Dice, path: str) -> str:
    match kind.name:
        case "BOOLEAN":
            return f"({dice.below(path, 2)} = 0)"
        case "TINYINT" | "SMALLINT" | "INT" | "BIGINT":
            return f"CAST({dice.below(path, _BOUNDS[kind.name])} AS {kind.name})"
        case "FLOAT" | "DOUBLE":
            return f"CAST(round({dice.share(path)} * 1000, 2) AS {kind.name})"
        case "DECIMAL":
            return dice.decimal(path, kind.precision, kind.scale)
        case "BINARY":
            return f"unhex(lpad(hex({dice.hash(path)}), 16, '0'))"
        case "DATE":
            return f"date_add(DATE'2026-01-01', CAST({dice.below(path, 365)} AS INT))"
        case "TIMESTAMP":
            return _moment()
        case "ARRAY":
            items = ", ".join(_of_type(name, kind.inner[0], dice, f"{path}[{number}]") for number in range(3))
            return f"slice(array({items}), 1, CAST({dice.below(path, 3)} AS INT) + 1)"
        case "MAP":
            key, value = kind.inner
            return f"map({_of_type(name, key, dice, f'{path}.key')}, {_of_type(name, value, dice, f'{path}.value')})"
        case "STRUCT":
            return sql.named_struct(_of_fields(kind.fields, dice, f"{path}."))
        case _:
            return f"concat({sql.text(f'{name}-')}, {dice.below(path, 1000)})"


# --- ready-made -------------------------------------------------------------------------------------------------------


def _orders(dice: Dice) -> Expressions:
    return [
        ("order_id", "n"),
        ("customer_id", dice.below("customer_id", 10_000)),
        ("product", dice.one_of("product", ("anvil", "balloon", "candle", "drum", "easel", "fiddle", "globe", "hammock"))),
        ("quantity", f"CAST({dice.below('quantity', 5)} AS INT) + 1"),
        ("price", f"CAST({dice.decimal('price', 5, 2)} AS DECIMAL(10,2))"),
        ("country", dice.one_of("country", ("CZ", "DE", "FR", "IN", "JP", "MX", "US", "ZA"))),
        ("ordered_at", _moment()),
    ]


def _clicks(dice: Dice) -> Expressions:
    return [
        ("click_id", "n"),
        ("session", f"lower(hex({dice.below('session', 5000)}))"),
        ("user_id", dice.below("user_id", 10_000)),
        ("page", dice.one_of("page", ("/", "/search", "/product", "/basket", "/checkout", "/help"))),
        ("referrer", f"IF({dice.below('referred', 3)} = 0, NULL, {dice.one_of('referrer', ('search', 'mail', 'partner'))})"),
        ("milliseconds", f"CAST({dice.below('milliseconds', 30_000)} AS INT)"),
        ("clicked_at", _moment()),
    ]


def _users(dice: Dice) -> Expressions:
    first = dice.one_of("first", ("Ada", "Bela", "Chen", "Dara", "Emil", "Fatou", "Goran", "Hana"))
    last = dice.one_of("last", ("Ito", "Jansen", "Kaya", "Lopez", "Meyer", "Novak", "Okafor", "Petit"))
    return [
        ("user_id", "n"),
        ("name", f"concat({first}, ' ', {last})"),
        ("email", "concat('user', n, '@example.org')"),
        ("active", f"({dice.below('active', 10)} > 0)"),
        ("address", sql.named_struct([("city", _city(dice)), ("zip", f"lpad({dice.below('zip', 100_000)}, 5, '0')")])),
        ("registered_at", _moment()),
    ]


def _city(dice: Dice) -> str:
    return dice.one_of("city", ("Brno", "Dakar", "Lima", "Lyon", "Osaka", "Pune"))


READY_MADE: Mapping[str, Callable[[Dice], Expressions]] = {"orders": _orders, "clicks": _clicks, "users": _users}


def expressions(schema: str, seed: int) -> Expressions:
    """Of a ready-made schema by its name, else of one as Spark writes it. Raises ValueError that says what is wrong with it."""
    dice = Dice(seed)
    ready = READY_MADE.get(schema)
    return ready(dice) if ready is not None else _of_fields(parse(schema), dice)
