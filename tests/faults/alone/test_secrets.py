"""Secrets that cannot be had when a connector starts: F24."""

import json
import uuid
from pathlib import Path

import httpx

from tests.faults.alone.conftest import Alone, Copying
from tests.integration.conftest import source
from tests.topics import produce, records
from tests.waiting import eventually

MISSING = "${env:DROVER_TEST_NOT_THERE}"


def traces(alone: Alone, name: str) -> list[str]:
    """Of the connector and its task, both of which have failed."""
    alone.await_states(name, "FAILED", "FAILED")
    status = alone.client.status(name)
    return [status.connector.trace or "", *(task.trace or "" for task in status.tasks)]


def test_secrets_that_are_not_there_at_a_start_fail_what_needs_them_until_they_are_back(
    alone: Alone, copying: Copying, tmp_path: Path
) -> None:
    unique = uuid.uuid4().hex[:6]
    secret = f"s3cret-{unique}"
    folder, file, away = alone.secrets / unique, alone.secrets / f"{unique}.properties", tmp_path / "away"
    folder.mkdir()
    away.mkdir()
    (folder / "token").write_text(secret)
    file.write_text(f"token={secret}\n")
    (tmp_path / secret).mkdir()
    variables = {"file": f"${{file:{file}:token}}", "dir": f"${{dir:{folder}:token}}"}
    configs = {
        f"by-{kind}-{unique}": source(f"by-{kind}-{unique}", tmp_path / variable / f"{kind}.txt", f"of-{kind}-{unique}")
        for kind, variable in variables.items()
    }
    for name, config in configs.items():
        alone.client.create(name, config)
        alone.await_states(name, "RUNNING", "RUNNING")

    alone.stop("worker")
    folder.rename(away / "folder")
    file.rename(away / "file")
    alone.start("worker")
    eventually(alone.healthy)
    reasons = {
        "file": f"Could not read {file}: there is no such file",
        "dir": "Provider 'dir' has no such value, or may not read it.",
    }
    for (kind, variable), name in zip(variables.items(), configs, strict=True):
        for trace in traces(alone, name):
            assert f"The variable {variable} of 'file' could not be resolved. {reasons[kind]}" in trace
    copying.goes_on()
    # It is tried again when that is asked for, and says the same.
    alone.client.restart(next(iter(configs)), only_failed=True)
    assert all(variables["file"] in trace for trace in traces(alone, next(iter(configs))))

    (away / "folder").rename(folder)
    (away / "file").rename(file)
    for name, config in configs.items():
        assert alone.client.config(name) == config, "as it was written"
        assert httpx.get(f"{alone.drover.url}/connectors/{name}/tasks", timeout=10).json()[0]["config"]["file"] == config["file"]
        alone.client.restart(name, only_failed=True)
        alone.await_states(name, "RUNNING", "RUNNING")
    for kind in variables:
        (tmp_path / secret / f"{kind}.txt").write_text(f"{kind}\n")
        eventually(lambda kind=kind: alone.records(f"of-{kind}-{unique}") == [kind.encode()], what=kind)  # type: ignore[misc]

    shown = httpx.get(f"{alone.drover.url}/connectors?expand=info&expand=status", timeout=10).text
    stored = [value or b"" for topic in ("connect-configs", "connect-status") for _, value in records(alone.bootstrap, topic)]
    for text in (
        shown,
        alone.drover.log("worker"),
        alone.drover.log("web"),
        *(value.decode(errors="replace") for value in stored),
    ):
        assert secret not in text


def test_a_variable_of_the_environment_that_is_not_set_fails_the_connector(
    alone: Alone, copying: Copying, tmp_path: Path
) -> None:
    name = f"by-env-{uuid.uuid4().hex[:6]}"
    config = source(name, tmp_path / MISSING, "never-made")
    unresolved = f"The variable {MISSING} of 'file' could not be resolved. Provider 'env' has no such value, or may not read it."
    refused = httpx.put(f"{alone.drover.url}/connectors/{name}/config", json=config, timeout=30)
    assert (refused.status_code, unresolved in refused.json()["message"]) == (400, True), refused.text
    # Written when the variable was set, on another machine perhaps.
    produce(alone.bootstrap, "connect-configs", (f"connector-{name}", json.dumps({"properties": config})))
    alone.await_states(name, "FAILED")
    assert unresolved in (alone.client.status(name).connector.trace or "")
    assert alone.client.config(name) == config
    copying.goes_on()
