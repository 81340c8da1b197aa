"""All settings that there are, in one table. Reading them, Kafka Connect's files of settings, warnings and the tables of
docs/configuration.md follow from it."""

from typing import Any

from config.declared.installation import INSTALLATION, PARTS, ROOM
from config.declared.rest import REST
from config.declared.setting import Setting
from config.declared.worker import WORKER

ALL: tuple[Setting[Any], ...] = (*INSTALLATION, *PARTS, *ROOM, *REST, *WORKER)
#: By Kafka Connect's key.
BY_KEY = {setting.key: setting for setting in ALL if setting.key}
