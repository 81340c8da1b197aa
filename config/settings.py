"""Django's settings. Everything an operator may change comes from the environment: docs/configuration.md."""

import secrets
from pathlib import Path

import dj_database_url

from config.declared import installation as declared
from config.listeners import inner_url, listeners_of_environment
from config.mail import mail_server

BASE_DIR = Path(__file__).resolve().parent.parent

# Where this installation keeps what must survive a restart, and the port that its other ports follow from.
DATA_DIR = Path(declared.DATA_DIR(str(BASE_DIR / ".drover"))).absolute()
LISTENERS, ADMIN_LISTENERS = listeners_of_environment()
HOST, PORT = LISTENERS[0].host, LISTENERS[0].port
WORKERS = declared.WORKERS()
HISTORY_DAYS, HISTORY_PER_CONNECTOR = declared.HISTORY_DAYS(), declared.HISTORY_PER_CONNECTOR()
# Where processes of this installation reach the REST API.
INNER_URL = inner_url(LISTENERS, DATA_DIR / "run")

KAFKA_BOOTSTRAP_SERVERS = declared.BOOTSTRAP_SERVERS(f"127.0.0.1:{PORT + 1}")
REDIS_URL = declared.REDIS_URL(f"redis://127.0.0.1:{PORT + 3}/0")
SPARK_MASTER = declared.SPARK_MASTER()
DATABASES = {"default": dj_database_url.parse(declared.DATABASE_URL(f"sqlite:///{DATA_DIR / 'drover.sqlite3'}"), conn_max_age=60)}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # Web and control write from several processes: wait for the lock, and let readers go on beside a writer.
    DATABASES["default"]["OPTIONS"] = {"timeout": 20, "transaction_mode": "IMMEDIATE", "init_command": "PRAGMA journal_mode=WAL"}

# Of the control room: clusters besides those that are added there, and whether this installation's own is one of them.
CLUSTERS_FILE = declared.CLUSTERS_FILE()
OWN_CLUSTER = declared.OWN_CLUSTER()
AUTO_RESTART = declared.AUTO_RESTART()

DEBUG = declared.DEBUG()
# A key made up on the spot signs everybody out at the next start; `up` keeps one in the data folder.
SECRET_KEY = declared.SECRET_KEY() or secrets.token_urlsafe(50)
ALLOWED_HOSTS = list(declared.ALLOWED_HOSTS())

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django_htmx",
    "rest_framework",
    "drf_spectacular_sidecar",
    "local",
    "workers",
    "connect_api",
    "dashboard",
    "standalone",
    "web",
]
MIDDLEWARE = [
    "connect_api.response_headers.ResponseHeadersMiddleware",
    "connect_api.cross_origin.CrossOriginMiddleware",
    "connect_api.compression.CompressionMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "connect_api.paths.RawPathMiddleware",
    "connect_api.admin.AdminMiddleware",
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

# Longer bodies are answered 413. A config has to fit into a Kafka record; offsets have an entry for each partition.
DATA_UPLOAD_MAX_MEMORY_SIZE = 16 * 1024**2
# The form of a connector's offsets has a field or two for each of its partitions.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000

USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = False
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LOGIN_URL = "/ui/login"
LOGIN_REDIRECT_URL = "/ui/"
LOGOUT_REDIRECT_URL = "/ui/login"
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = declared.SESSION_DAYS() * 24 * 3600
# Where nothing is answered without TLS, no cookie is sent without it.
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = all(listener.is_tls for listener in LISTENERS)
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
ACTIVITY_DAYS = declared.ACTIVITY_DAYS()
SESSION_COOKIE_NAME = f"drover-session-{PORT}"
CSRF_COOKIE_NAME = f"drover-csrf-{PORT}"

_MAIL = mail_server(declared.SMTP_URL(), declared.SMTP_URL.variable)
EMAIL_HOST, EMAIL_PORT, EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _MAIL.host, _MAIL.port, _MAIL.user, _MAIL.password
EMAIL_USE_TLS, EMAIL_USE_SSL = _MAIL.starttls, _MAIL.tls
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = declared.MAIL_FROM()

REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_SCHEMA_CLASS": "dashboard.api.openapi.RoomSchema",
    "UNAUTHENTICATED_USER": None,
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"class": "config.logs.Concealing", "format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "filters": {"repeats": {"()": "config.logs.Repeats"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["repeats"]}},
    "root": {"handlers": ["stderr"], "level": declared.LOG_LEVEL().upper()},
    "loggers": {
        "py4j": {"level": "WARNING"},
        # What a streaming query's batch raises is its task's to tell.
        "py4j.clientserver": {"level": "CRITICAL"},
        "httpx": {"level": "WARNING"},
        # A line for each question to the herder would bury what matters; the herder tells of what it refused.
        "celery.worker.strategy": {"level": "WARNING"},
        "celery.app.trace": {"level": "WARNING"},
    },
}
