"""Names of topics, and which are mirrored. (tests/integration/test_mirror_formats.py asks MirrorMaker itself.)"""

import pytest

from workers.connectors.mirror.filters import Filter, MirroredTopics, Patterns
from workers.connectors.mirror.policies import DefaultReplicationPolicy, IdentityReplicationPolicy, is_cycle

DEFAULT = DefaultReplicationPolicy({})
IDENTITY = IdentityReplicationPolicy({"source.cluster.alias": "A"})


@pytest.mark.parametrize(
    ("topic", "cycle"),
    [
        ("t", False),
        ("C.t", False),
        ("B.t", True),
        ("C.B.t", True),
        ("A.C.B.t", True),
        ("A.t", False),
        ("Bt", False),
        ("B", False),
    ],
)
def test_what_came_from_the_target_is_a_cycle(topic: str, cycle: bool) -> None:
    assert is_cycle(DEFAULT, topic, "B") is cycle


@pytest.mark.parametrize(("topic", "cycle"), [("t", False), ("B.t", False), ("B.heartbeats", True), ("heartbeats", False)])
def test_the_identity_policy_sees_cycles_of_heartbeats_alone(topic: str, cycle: bool) -> None:
    assert is_cycle(IDENTITY, topic, "B") is cycle


@pytest.mark.parametrize(
    ("included", "excluded", "name", "accepted"),
    [
        ([".*"], [], "t", True),
        ([], [], "t", False),
        (["t", "u.*"], [], "t", True),
        (["t", "u.*"], [], "ux", True),
        (["t", "u.*"], [], "tx", False),
        (["t.*"], ["tx"], "tx", False),
        (["t.*"], ["x"], "tx", True),
        (["a|b"], [], "b", True),
    ],
)
def test_a_pattern_matches_a_whole_name(included: list[str], excluded: list[str], name: str, accepted: bool) -> None:
    assert Filter.of(included, excluded).accepts(name) is accepted


def test_nothing_matches_no_pattern() -> None:
    assert not Patterns.of([]).match("")


@pytest.mark.parametrize(
    ("topic", "heartbeats", "accepted"),
    [
        ("orders", True, True),
        ("other", True, False),
        ("heartbeats", True, True),
        ("C.heartbeats", True, True),
        ("heartbeats", False, False),
        ("B.heartbeats", True, False),
        ("B.orders", True, False),
        ("__consumer_offsets", True, False),
        ("mm2-orders.internal", True, False),
    ],
)
def test_which_topics_are_mirrored(topic: str, heartbeats: bool, accepted: bool) -> None:
    topics = Filter.of([".*orders.*", "__.*"], [])
    assert MirroredTopics(topics, DEFAULT, "B", heartbeats).accepts(topic) is accepted
