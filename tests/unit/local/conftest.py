"""An installation that is only described: nothing of it exists."""

from pathlib import Path

import pytest

from local.installation import Installation
from local.java import Java


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return Installation(
        project=Path("/opt/drover"),
        data=tmp_path / "data",
        host="127.0.0.1",
        port=9000,
        bootstrap_servers="127.0.0.1:9001",
        redis_url="redis://127.0.0.1:9003/0",
        own_broker=True,
        own_redis=True,
        own_database=True,
    )


@pytest.fixture
def java() -> Java:
    return Java(Path("/usr/bin/java"), 17)
