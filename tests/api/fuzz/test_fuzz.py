"""Requests made from the OpenAPI document, and answers held against it: no 5xx, no status, content type, header or body that it
does not tell of, nothing accepted that it calls wrong.

In CI some thousand requests, the same ones each time; DROVER_FUZZ_SECONDS=600 goes on that long, with new ones each time.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.api.fuzz.conftest import SECONDS

CONFIG = Path(__file__).with_name("schemathesis.toml")
HOOKS = Path(__file__).with_name("hooks.py")
SAME_EACH_TIME = ["--seed", "1", "--max-examples", "60"]
SO_LONG = ["--max-time", str(SECONDS), "--continue-on-failure"]


@pytest.mark.timeout(SECONDS + 300)
def test_nothing_is_answered_that_the_document_does_not_tell(url: str, tmp_path: Path) -> None:
    schemathesis = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(CONFIG), "run", "--no-color"]
    ended = subprocess.run(
        [*schemathesis, f"{url}/api/openapi.json", *(SO_LONG if SECONDS else SAME_EACH_TIME)],
        cwd=tmp_path,
        env={**os.environ, "SCHEMATHESIS_HOOKS": str(HOOKS)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
