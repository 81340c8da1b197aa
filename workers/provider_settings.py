"""The config providers of a worker, from its environment: `config.providers.file.param.allowed.paths` is
`CONNECT_CONFIG_PROVIDERS_FILE_PARAM_ALLOWED_PATHS`."""

import os
import re

from config import env
from workers.config import CannotStart
from workers.connectors.config_providers import ConfigProvider, ConfigTransformer, ProviderRefused, provider

_PREFIX = "CONNECT_CONFIG_PROVIDERS"


def config_transformer() -> ConfigTransformer:
    """Raises CannotStart, naming the variable. Only a worker needs what the providers read: no other process makes them."""
    return ConfigTransformer({name: _provider(name) for name in env.words(_PREFIX)})


def _upper(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "_", name).upper()


def _provider(name: str) -> ConfigProvider:
    prefix = f"{_PREFIX}_{_upper(name)}_"
    param = f"{prefix}PARAM_"
    params = {
        key.removeprefix(param).lower().replace("_", "."): value for key, value in os.environ.items() if key.startswith(param)
    }
    try:
        return provider(env.text(f"{prefix}CLASS", ""), params)
    except ProviderRefused as error:
        raise CannotStart(f"{prefix}{_upper(error.setting)} {error}") from error
