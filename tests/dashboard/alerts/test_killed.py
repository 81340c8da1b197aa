"""A control process that is killed while a receiver has its message and has not answered yet: a real one, by SIGKILL."""

import os
import subprocess
import sys
from pathlib import Path

from tests.dashboard.alerts.receivers import Receiver

PROJECT = Path(__file__).resolve().parents[3]
_BEGIN = """
from datetime import UTC, datetime
from dashboard.follow.recorder import Recorder
from dashboard.models import AlertRule, Cluster
from dashboard.sealed import seal
now = datetime.now(UTC)
cluster = Cluster.objects.create(name="eu", urls=["http://paper"])
status = {"name": "orders", "connector": {"state": "FAILED", "worker_id": "w", "trace": "java.io.IOException: full"}, "tasks": []}
recorder = Recorder(cluster)
recorder.listing({"orders": {"info": None, "status": status}}, now)
recorder.reached("4.3.0", now)
AlertRule.objects.create(name="failed", states=["FAILED"], lasting_seconds=0, address=seal("URL"))
"""
_SEND = """
from dashboard.alerts.watch import Alerts
watch = Alerts()
watch.step()
watch.send(1)
"""
_LAPSED = "from dashboard.models import AlertRule; AlertRule.objects.update(claimed_until='2026-01-01T00:00Z')\n"
_TELL = (
    "from dashboard.models import AlertDelivery; one = AlertDelivery.objects.get(); assert one.done_at and one.attempts == 1\n"
)


def test_its_message_arrives_all_the_same(tmp_path: Path, hook: Receiver) -> None:
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DROVER_DATA_DIR": str(tmp_path),
        "DROVER_SECRET_KEY": "the same in each process",
        "REDIS_URL": "redis://127.0.0.1:1/0",
    }

    def started(program: str) -> "subprocess.Popen[bytes]":
        program = f"import django; django.setup()\n{program}"
        return subprocess.Popen([sys.executable, "-c", program], cwd=PROJECT, env=environment)

    subprocess.run([sys.executable, "manage.py", "migrate", "--verbosity", "0"], cwd=PROJECT, env=environment, check=True)
    hook.go.clear()
    first = started(_BEGIN.replace("URL", hook.url) + _SEND)
    assert hook.came.acquire(timeout=60)
    first.kill()
    first.wait(10)
    hook.go.set()

    # Another one comes at once, and leaves it alone; then the claim of the first lapses.
    assert started(_SEND).wait(60) == 0
    assert len(hook.got) == 1
    assert started(_LAPSED + _SEND + _TELL).wait(60) == 0
    assert len(hook.got) == 2
    assert hook.got[0] == hook.got[1]
