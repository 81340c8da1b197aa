"""The generator on a complete Drover: the same config gives the same records, whatever happens on the way."""

import json
import os
import signal

import pytest

from connect_client import ConnectClient, PartitionOffset
from connect_client.errors import ConnectRefused
from tests.pages import config_of, errors
from tests.running import RunningDrover
from tests.topics import create_topic, messages, records
from tests.waiting import eventually, patiently

COUNT = 10_000


@pytest.fixture
def shop(drover: RunningDrover, unique: str) -> dict[str, str]:
    """The page's config; everything is in one partition."""
    topic = f"orders-{unique}"
    create_topic(drover.bootstrap_servers, topic, 1)
    return config_of("generator", name=f"shop-{unique}", topic=topic)


def made(drover: RunningDrover, config: dict[str, str]) -> list[tuple[int, bytes]]:
    """Key and value of each record."""
    found = records(drover.bootstrap_servers, config["topic"])
    return [(int(key), value) for key, value in found if key is not None and value is not None]


def partition(config: dict[str, str], task: int) -> dict[str, object]:
    return {"generator": config["topic"], "task": task, "tasks": int(config["tasks.max"])}


def complete(client: ConnectClient, config: dict[str, str]) -> None:
    """Each task has made its share."""
    tasks = int(config["tasks.max"])
    wanted = [(partition(config, task), {"position": int(config["records"]) // tasks}) for task in range(tasks)]

    def positions() -> list[tuple[object, object]]:
        return sorted(((one.partition, one.offset) for one in client.offsets(config["name"])), key=str)

    eventually(lambda: positions() == wanted, "All records")


def test_the_records_are_the_same_whoever_makes_them_and_through_a_kill(
    client: ConnectClient, drover: RunningDrover, shop: dict[str, str], unique: str
) -> None:
    alone = {**shop, "name": f"alone-{unique}", "topic": f"{shop['topic']}-alone", "tasks.max": "1", "rate": "-1"}
    create_topic(drover.bootstrap_servers, alone["topic"], 1)
    client.create(shop["name"], shop)
    eventually(lambda: len(made(drover, shop)) > 0)
    killed = drover.process_pid("worker")
    os.kill(killed, signal.SIGKILL)
    eventually(lambda: drover.process_pid("worker") not in (0, killed), "The worker's return")
    patiently(lambda: client.put_config(alone["name"], alone))
    complete(client, alone)
    complete(client, shop)
    expected = made(drover, alone)
    assert [key for key, _ in expected] == list(range(COUNT))
    assert all(json.loads(value)["order_id"] == key for key, value in expected)
    assert len({value for _, value in expected}) == COUNT
    found = made(drover, shop)
    assert dict(found) == dict(expected)
    for task in range(2):
        mine = list(dict.fromkeys(key for key, _ in found if key % 2 == task))
        assert mine == list(range(task, COUNT, 2)), "each task's records are in order"


def test_it_goes_on_where_its_offset_is_put(client: ConnectClient, drover: RunningDrover, shop: dict[str, str]) -> None:
    shop |= {"rate": "-1", "records": "100"}
    client.create(shop["name"], shop)
    complete(client, shop)
    before = made(drover, shop)
    client.stop(shop["name"])
    eventually(lambda: client.status(shop["name"]).connector.state == "STOPPED")
    with pytest.raises(ConnectRefused, match="An offset of a generator is how many records its task has made"):
        client.alter_offsets(shop["name"], [PartitionOffset(partition(shop, 1), {"position": "x"})])
    client.alter_offsets(shop["name"], [PartitionOffset(partition(shop, 1), {"position": 45})])
    client.resume(shop["name"])
    eventually(lambda: len(made(drover, shop)) == 105)
    complete(client, shop)
    assert made(drover, shop)[100:] == sorted(one for one in before if one[0] in range(91, 100, 2))


def test_the_rate_is_kept(client: ConnectClient, drover: RunningDrover, shop: dict[str, str]) -> None:
    """From the first record to the last it takes fifteen seconds, less what a slow first job has to make up for."""
    shop |= {"rate": "100", "records": "1500"}
    client.create(shop["name"], shop)
    complete(client, shop)
    at = eventually(lambda: moments(drover, shop["topic"]))
    assert 5 < (max(at) - min(at)) / 1000 < 60


def moments(drover: RunningDrover, topic: str) -> list[int]:
    return [message.timestamp()[1] for message in messages(drover.bootstrap_servers, topic)]


def test_a_bad_config_names_the_key(client: ConnectClient, drover: RunningDrover, shop: dict[str, str]) -> None:
    assert errors(drover, shop) == {}
    wrong = {**shop, "key.field": "id"}
    ((key, (message,)),) = errors(drover, wrong).items()
    assert key == "key.field"
    assert message.startswith("Invalid value id for configuration key.field: The schema has no such field")
    with pytest.raises(ConnectRefused, match="The schema has no such field"):
        client.create(wrong["name"], wrong)
    assert list(errors(drover, {**shop, "schema": "id BIG"})) == ["schema"]
