"""Variables that mean nothing are told by name."""

import pytest

from config.declared import ALL
from config.declared.unknown import warnings
from local import leftovers


@pytest.mark.parametrize(
    "name",
    [
        *(setting.variable for setting in ALL),
        "DROVER_SECRET_KEY_FILE",
        "CONNECT_CONFIG_PROVIDERS_MY_ENV_CLASS",
        "CONNECT_CONFIG_PROVIDERS_FILE_PARAM_ALLOWED_PATHS",
        leftovers.MARK,
        "HOME",
        "CONNECTION",
    ],
)
def test_what_is_known_or_nobodys_is_not_told(name: str) -> None:
    assert warnings({name: "x"}) == []


@pytest.mark.parametrize(
    ("name", "warning"),
    [
        ("CONNECT_GROUP_IDS", "CONNECT_GROUP_IDS is not known here, and without effect; did you mean CONNECT_GROUP_ID?"),
        ("DROVER_PROT", "DROVER_PROT is not known here, and without effect; did you mean DROVER_PORT?"),
        ("DROVER_COLOUR_FILE", "DROVER_COLOUR_FILE is not known here, and without effect."),
        (
            "CONNECT_BOOTSTRAP_SERVERS",
            "CONNECT_BOOTSTRAP_SERVERS is not known here, and without effect: bootstrap.servers is KAFKA_BOOTSTRAP_SERVERS.",
        ),
        (
            "CONNECT_PLUGIN_PATH",
            "CONNECT_PLUGIN_PATH has no effect: connectors are Python packages, found by their entry points.",
        ),
        (
            "CONNECT_PRODUCER_ACKS",
            "CONNECT_PRODUCER_ACKS has no effect: each connector gives its own: `producer.override.*`, `consumer.override.*`.",
        ),
    ],
)
def test_what_means_nothing_is_told(name: str, warning: str) -> None:
    assert warnings({name: "x"}) == [warning]


def test_in_order() -> None:
    assert [text.split()[0] for text in warnings({"DROVER_B": "", "DROVER_A": "", "CONNECT_Z": ""})] == [
        "CONNECT_Z",
        "DROVER_A",
        "DROVER_B",
    ]
