"""The loggers of Spark's driver: log4j2's, in the JVM that this process has started."""

import re
from typing import Any

from workers.loggers.levels import OFF, ROOT, level_named, within

_LOGGER = re.compile(r"(?:\[|, )([^\s,:\[\]]*):([A-Z]+)(?: in [^\s,\]]+)?(?=,|\])")


def parsed(text: str) -> dict[str, str]:
    """What log4j's loggers, as a list, say of themselves: `[a.b:INFO in 1f, :WARN in 1f]`."""
    return {name or ROOT: level for name, level in _LOGGER.findall(text)}


class JavaLoggers:
    """What is off from the start, in `log4j2.properties`, stays off: there stands why."""

    def __init__(self, jvm: Any) -> None:
        self._jvm = jvm
        self._context = jvm.org.apache.logging.log4j.LogManager.getContext(False)
        for name in self._own():
            self.create(name)
        self._kept = {name for name, level in self.levels().items() if level == OFF}

    def levels(self) -> dict[str, str]:
        # In one question: there are hundreds, and each question takes its time.
        return {
            name: known for name, level in parsed(self._context.getLoggers().toString()).items() if (known := level_named(level))
        }

    def create(self, name: str) -> None:
        self._context.getLogger(_java(name))

    def set(self, namespace: str, level: str) -> None:
        """Those beneath that have none of their own follow."""
        wanted = self._jvm.java.util.HashMap()
        log_level = self._jvm.org.apache.logging.log4j.Level.valueOf(level)
        own = {name for name in self._own() if within(name, namespace)}
        for name in {namespace, *own} - self._kept:
            wanted.put(_java(name), log_level)
        self._jvm.org.apache.logging.log4j.core.config.Configurator.setLevel(wanted)

    def _own(self) -> list[str]:
        """Those that have a level of their own."""
        return [str(name) or ROOT for name in self._context.getConfiguration().getLoggers().keySet()]


def _java(name: str) -> str:
    return "" if name == ROOT else name
