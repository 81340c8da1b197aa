"""Django's settings in a standalone worker's process: the REST API and nothing else. No control room, no database."""

from config.settings import *  # noqa: F403

_STATIC = ["django.contrib.staticfiles", "drf_spectacular_sidecar"]
INSTALLED_APPS = [*_STATIC, "rest_framework", "local", "workers", "connect_api", "standalone"]
MIDDLEWARE = [name for name in MIDDLEWARE if not name.startswith("config.")]  # noqa: F405
ROOT_URLCONF = "connect_api.urls"
DATABASES = {}
