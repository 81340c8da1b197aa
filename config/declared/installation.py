"""Where an installation is, and the parts of somebody's own that it uses."""

from typing import Any

from config.declared.setting import HIGH, MEDIUM, Boolean, Integer, Setting, Text, Words

PORT = Integer(
    "DROVER_PORT", 8083, "HTTP. A local broker takes the next two ports, a local Redis the one after", minimum=1, maximum=65000
)
HOST = Text("DROVER_HOST", "127.0.0.1", "address to listen on; anything but loopback demands `up --insecure`")
DATA_DIR = Text(
    "DROVER_DATA_DIR", None, "what survives a restart: Kafka's log, the database, logs, keys", shown="`.drover`, in the project"
)
SECRET_KEY = Text("DROVER_SECRET_KEY", "", "signs sessions", shown="made by `up`, kept in the data folder")
ALLOWED_HOSTS = Words("DROVER_ALLOWED_HOSTS", ("*",), "host names that requests may use")
LOG_LEVEL = Text(
    "DROVER_LOG_LEVEL",
    "INFO",
    "that processes start with ([logging.md](logging.md))",
    allowed="CRITICAL, ERROR, WARNING, INFO, DEBUG",
)
DEBUG = Boolean("DROVER_DEBUG", False, "Django's debug mode")
SESSION_DAYS = Integer("DROVER_SESSION_DAYS", 7, "after so many days one has to sign in to the control room again", minimum=1)
ACTIVITY_DAYS = Integer("DROVER_ACTIVITY_DAYS", 400, "how long the control room keeps who did what", minimum=1)
ADMIN_PASSWORD = Text(
    "DROVER_ADMIN_PASSWORD",
    "",
    "of the user `admin` that the first start makes; without it the first one who opens the address that `up` prints chooses",
)
WORKERS = Integer("DROVER_WORKERS", 1, "how many workers `up` starts, one group; `up --workers`", minimum=1, maximum=32)
PEOPLE = (SESSION_DAYS, ACTIVITY_DAYS, ADMIN_PASSWORD)
HISTORY_DAYS = Integer("DROVER_HISTORY_DAYS", 30, "how long the control room keeps what states connectors were in", minimum=1)
HISTORY_PER_CONNECTOR = Integer(
    "DROVER_HISTORY_PER_CONNECTOR", 2000, "and how many changes of state of one connector at most", minimum=10
)
SMTP_URL = Text(
    "DROVER_SMTP_URL",
    "",
    "the mail server for alerts: `smtp://`, `smtp+starttls://` or `smtps://`, then `[user:password@]host[:port]`",
    shown="none",
)
MAIL_FROM = Text("DROVER_MAIL_FROM", "drover@localhost", "whom alerts by e-mail come from")
MAIL: tuple[Setting[Any], ...] = (SMTP_URL, MAIL_FROM)
INSTALLATION: tuple[Setting[Any], ...] = (
    PORT,
    HOST,
    DATA_DIR,
    SECRET_KEY,
    ALLOWED_HOSTS,
    LOG_LEVEL,
    DEBUG,
    WORKERS,
    HISTORY_DAYS,
    HISTORY_PER_CONNECTOR,
    *PEOPLE,
    *MAIL,
)

BOOTSTRAP_SERVERS = Text(
    "KAFKA_BOOTSTRAP_SERVERS",
    None,
    "the cluster that holds the internal topics and the data",
    key="bootstrap.servers",
    importance=HIGH,
    shown="a local broker",
)
REDIS_URL = Text("REDIS_URL", None, "request queue, answers, live events", importance=MEDIUM, shown="a local Redis")
DATABASE_URL = Text(
    "DATABASE_URL", None, "the control room's database, e.g. `postgres://user@host/name`", shown="SQLite in the data folder"
)
SPARK_MASTER = Text("SPARK_MASTER", "local[*]", "where Spark's jobs run")
PARTS: tuple[Setting[Any], ...] = (BOOTSTRAP_SERVERS, REDIS_URL, DATABASE_URL, SPARK_MASTER)

CLUSTERS_FILE = Text(
    "DROVER_CLUSTERS_FILE", "", "a file of clusters, YAML or JSON ([control-room.md](control-room.md#clusters))", shown="none"
)
OWN_CLUSTER = Boolean("DROVER_OWN_CLUSTER", True, "whether this installation's own cluster is one of those that are shown")
AUTO_RESTART = Boolean(
    "DROVER_AUTO_RESTART", True, "whether this installation restarts by itself what fails ([automation.md](automation.md))"
)
ROOM: tuple[Setting[Any], ...] = (CLUSTERS_FILE, OWN_CLUSTER, AUTO_RESTART)
