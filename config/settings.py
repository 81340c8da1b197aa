"""Django's settings. Everything an operator may change comes from the environment: docs/configuration.md."""

import secrets
from pathlib import Path

import dj_database_url

from config import env

BASE_DIR = Path(__file__).resolve().parent.parent

# Where this installation keeps what must survive a restart, and the port that its other ports follow from.
DATA_DIR = Path(env.text("DROVER_DATA_DIR", str(BASE_DIR / ".drover"))).absolute()
PORT = env.integer("DROVER_PORT", 8083, minimum=1, maximum=65000)
HOST = env.text("DROVER_HOST", "127.0.0.1")
WORKERS = env.integer("DROVER_WORKERS", 1, minimum=1, maximum=32)

KAFKA_BOOTSTRAP_SERVERS = env.text("KAFKA_BOOTSTRAP_SERVERS", f"127.0.0.1:{PORT + 1}")
REDIS_URL = env.text("REDIS_URL", f"redis://127.0.0.1:{PORT + 3}/0")
SPARK_MASTER = env.text("SPARK_MASTER", "local[*]")
DATABASES = {
    "default": dj_database_url.parse(env.text("DATABASE_URL", f"sqlite:///{DATA_DIR / 'drover.sqlite3'}"), conn_max_age=60)
}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # Web and control write from several processes: wait for the lock, and let readers go on beside a writer.
    DATABASES["default"]["OPTIONS"] = {"timeout": 20, "transaction_mode": "IMMEDIATE", "init_command": "PRAGMA journal_mode=WAL"}

DEBUG = env.boolean("DROVER_DEBUG", False)
# A key made up on the spot signs everybody out at the next start; `up` keeps one in the data folder.
SECRET_KEY = env.text("DROVER_SECRET_KEY", "") or secrets.token_urlsafe(50)
ALLOWED_HOSTS = [host.strip() for host in env.text("DROVER_ALLOWED_HOSTS", "*").split(",")]

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django_htmx",
    "rest_framework",
    "local",
    "workers",
    "connect_api",
    "dashboard",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.middleware.ControlRoomMiddleware",
]
# The control room's own, wrapped around its views only: the REST API carries no session and pays for none.
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
APPEND_SLASH = False

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
            ],
        },
    }
]

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# No collect step: whitenoise serves straight from the folders.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = False
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LOGIN_URL = "/ui/login"
LOGIN_REDIRECT_URL = "/ui/"
LOGOUT_REDIRECT_URL = "/ui/login"
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_NAME = f"drover-session-{PORT}"
CSRF_COOKIE_NAME = f"drover-csrf-{PORT}"

REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "UNAUTHENTICATED_USER": None,
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "filters": {"repeats": {"()": "config.logs.Repeats"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["repeats"]}},
    "root": {"handlers": ["stderr"], "level": env.text("DROVER_LOG_LEVEL", "INFO").upper()},
    "loggers": {
        "py4j": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
        # A line for each question to the herder would bury what matters; the herder tells of what it refused.
        "celery.worker.strategy": {"level": "WARNING"},
        "celery.app.trace": {"level": "WARNING"},
    },
}
