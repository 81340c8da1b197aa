"""A member's name as it stands in records and in the group."""

import pytest

from workers.herder.membership import Member, member_of


@pytest.mark.parametrize("member", [Member("w", "1"), Member("host:8083", "ab12"), Member("a@b", "1"), Member("ü b", "x-y")])
def test_a_member_is_read_as_it_was_written(member: Member) -> None:
    assert member_of(str(member)) == member


@pytest.mark.parametrize("text", ["", "w", "w@", "@1", "@", "rdkafka"])
def test_what_names_no_member_is_none(text: str) -> None:
    assert member_of(text) is None
