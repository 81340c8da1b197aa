"""The config providers of a worker, from its environment: `config.providers.file.param.allowed.paths` is
`CONNECT_CONFIG_PROVIDERS_FILE_PARAM_ALLOWED_PATHS`."""

import os

from config import env
from config.declared.worker import CONFIG_PROVIDERS
from workers.config import CannotStart
from workers.connectors.config_providers import ConfigProvider, ConfigTransformer, ProviderRefused, provider

_PREFIX = CONFIG_PROVIDERS.variable


def config_transformer() -> ConfigTransformer:
    """Raises CannotStart, naming the variable. Only a worker needs what the providers read: no other process makes them."""
    return ConfigTransformer({name: _provider(name) for name in CONFIG_PROVIDERS()})


def _provider(name: str) -> ConfigProvider:
    prefix = f"{_PREFIX}_{env.name_of(name)}_"
    param = f"{prefix}PARAM_"
    params = {
        key.removeprefix(param).lower().replace("_", "."): value for key, value in os.environ.items() if key.startswith(param)
    }
    try:
        return provider(env.text(f"{prefix}CLASS", ""), params)
    except ProviderRefused as error:
        raise CannotStart(f"{prefix}{env.name_of(error.setting)} {error}") from error
