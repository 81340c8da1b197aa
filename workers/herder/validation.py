"""Validation runs a connector's own code, which may hang, or mean to end the process: it does so on threads of its own."""

import time
from collections.abc import Mapping, Sequence

from config.concealment import concealment_of
from workers.herder.errors import BadRequest, HerderError
from workers.herder.lanes import Lanes
from workers.herder.ports import Plugins
from workers.herder.stages import Stages, timed_out
from workers.herder.values import ConfigInfos

_THREADS = 4
_PATIENCE = 1.0


class Validation:
    """Whoever hangs keeps his own thread, and another one takes its place."""

    def __init__(self, plugins: Plugins) -> None:
        self._plugins = plugins
        self._lanes = Lanes(_THREADS, "validation", _PATIENCE)

    def check(self, config: Mapping[str, str | None], deadline: float) -> None:
        """As `validate`. Raises BadRequest for what is wrong, too."""
        if errors := self.validate(config, deadline).errors:
            raise invalid_config(errors)

    def validate(self, config: Mapping[str, str | None], deadline: float) -> ConfigInfos:
        """Waits until `deadline` (monotonic). Raises BadRequest when the class cannot be told, HerderError when it did not come
        to an end."""
        # It may hold nulls still, which validation refuses.
        kind = self._plugins.type_of({key: value or "" for key, value in config.items()})
        stages = Stages()
        stages.begin("waiting for a new thread to become available for connector validation")

        def validate() -> ConfigInfos:
            with stages.during(f"validating {kind} connector-specific properties for the connector"):
                return self._validate(config)

        validated = self._lanes.run(object(), validate)
        try:
            infos: ConfigInfos = validated.result(max(0.0, deadline - time.monotonic()))
        except TimeoutError as error:
            raise timed_out(stages.current) from error
        return infos

    def _validate(self, config: Mapping[str, str | None]) -> ConfigInfos:
        try:
            return self._plugins.validate(config)
        except Exception:
            raise
        except BaseException as error:
            # It would end the thread that asks.
            raise HerderError(concealment_of(error).conceal(f"The validation ended with {error!r}")) from error

    def stop(self) -> None:
        self._lanes.stop(0)


def invalid_config(errors: Sequence[str]) -> BadRequest:
    return BadRequest(
        f"Connector configuration is invalid and contains the following {len(errors)} error(s):\n"
        + "\n".join(errors)
        + "\nYou can also find the above list of errors at the endpoint `/connector-plugins/{connectorType}/config/validate`"
    )
