"""A file through transforms into a topic, and from there through transforms into a file: by the REST API alone."""

import os
import signal
from pathlib import Path

from confluent_kafka import Producer

from connect_client import ConnectClient
from tests.integration.conftest import sink, source
from tests.running import RunningDrover
from tests.topics import messages, values
from tests.waiting import eventually

LINES = 600_000
PACKAGE = "org.apache.kafka.connect.transforms"


def chain(**transforms: dict[str, str]) -> dict[str, str]:
    """In this order; each with its keys, `type` without its package."""
    found = {"transforms": ",".join(transforms)}
    for alias, keys in transforms.items():
        found |= {f"transforms.{alias}.{key}": value for key, value in keys.items()}
        found[f"transforms.{alias}.type"] = f"{PACKAGE}.{keys['type']}"
    return found


def numbered(path: Path, count: int, first: int = 0) -> None:
    with path.open("ab") as file:
        file.writelines(b"%09d " % number + "žluťoučký kůň".encode() + b"\n" for number in range(first, first + count))


def test_a_transformed_copy_survives_a_kill_and_equals_its_source(
    client: ConnectClient, drover: RunningDrover, unique: str, tmp_path: Path
) -> None:
    """On the way each line becomes a struct, gets a field, and is a line again; the topic is another one, and records of others
    in it, which lack the header, are left out."""
    lines, copy = tmp_path / "in.txt", tmp_path / "out.txt"
    name, topic, routed = f"lines-{unique}", f"lines-{unique}", f"routed-{unique}"
    numbered(lines, LINES)
    there = chain(
        wrap={"type": "HoistField$Value", "field": "line"},
        note={"type": "InsertField$Value", "static.field": "origin", "static.value": "file"},
        rename={"type": "ReplaceField$Value", "renames": "line:text"},
        sign={"type": "InsertHeader", "header": "signed", "value.literal": "yes"},
        route={"type": "RegexRouter", "regex": "lines-(.*)", "replacement": "routed-$1"},
        take={"type": "ExtractField$Value", "field": "text"},
    )
    signed = {"predicates": "signed", "predicates.signed.name": "signed"}
    signed["predicates.signed.type"] = f"{PACKAGE}.predicates.HasHeaderKey"
    back = (
        signed
        | chain(
            others={"type": "Filter", "predicate": "signed", "negate": "true"},
            wrap={"type": "HoistField$Value", "field": "line"},
            take={"type": "ExtractField$Value", "field": "line"},
        )
        | {
            "predicates": "signed",
            "predicates.signed.type": f"{PACKAGE}.predicates.HasHeaderKey",
            "predicates.signed.name": "signed",
        }
    )
    client.create(name, {**source(name, lines, topic), **there})
    client.create(f"{name}-back", {**sink(f"{name}-back", copy, routed), **back})
    eventually(lambda: copy.exists() and copy.stat().st_size > 0)
    killed = drover.process_pid("worker")
    os.kill(killed, signal.SIGKILL)
    eventually(lambda: drover.process_pid("worker") not in (0, killed), "The worker's return")
    producer = Producer({"bootstrap.servers": drover.bootstrap_servers})
    producer.produce(routed, value=b"somebody else's")
    assert producer.flush(20) == 0
    numbered(lines, 3, LINES)
    last = lines.read_bytes()[-30:]
    eventually(lambda: copy.read_bytes()[-30:] == last, "The whole copy")
    # At least once, in order of the first appearance: what a killed process allows.
    assert list(dict.fromkeys(copy.read_bytes().splitlines())) == lines.read_bytes().splitlines()
    first = next(iter(messages(drover.bootstrap_servers, routed)))
    assert (first.key(), first.headers()) == (None, [("signed", b"yes")])
    assert values(drover.bootstrap_servers, routed)[0] == lines.read_bytes().splitlines()[0]
    assert {task.state for task in client.status(name).tasks} == {"RUNNING"}
