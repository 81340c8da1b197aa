"""HoistField: the key or value becomes a field of a new one."""

from __future__ import annotations

from workers.connectors.configdef import ConfigDef, Key, Type
from workers.data import sql
from workers.data.records import Data, Effect, Record
from workers.data.schema import Schema, struct
from workers.transforms import variants
from workers.transforms.base import PACKAGE, PartTransform, Settings


class HoistField(PartTransform):
    class_name = f"{PACKAGE}.HoistField"
    config_def = ConfigDef((Key("field", Type.STRING, documentation="The name of the only field there will be."),))

    def configure(self, settings: Settings) -> None:
        self._field = str(settings["field"])

    def of_map(self, value: str, record: Record) -> Effect:
        return self.part.effect(Data(variants.to_variant(variants.entries({self._field: value})), None))

    def of_struct(self, data: Data, schema: Schema, record: Record) -> Effect:
        return self.part.effect(Data(sql.named_struct([(self._field, data.sql)]), struct({self._field: schema})))
