"""Lines in gzip files that grow, are cut short, damaged, or of many members. Blocks are small: everything meets their ends."""

import gzip
import io
import random
from collections.abc import Iterator
from itertools import pairwise

import pytest

from workers.connectors.file import gzipped
from workers.connectors.file.gzipped import Damaged, Found, Member, find_lines, read_text
from workers.connectors.file.lines import in_lines

ONE, TWO = gzip.compress(b"one\ntwo\n", mtime=0), gzip.compress(b"three\nfour", mtime=0)


@pytest.fixture(autouse=True, params=[1, 7, 1 << 16], ids="block {}".format)
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gzipped, "_BLOCK", request.param)


FIRST = Member()


def find(content: bytes, start: int = 0, most: int = 1000, member: Member = FIRST) -> Found:
    return find_lines(io.BytesIO(content), member, start, most)


def read(content: bytes, start: int, end: int, member: Member = FIRST) -> bytes:
    return b"".join(read_text(io.BytesIO(content), member, start, end))


def test_a_finished_file_is_read_to_its_end() -> None:
    assert find(ONE) == Found(8, Member(len(ONE), 8))
    assert read(ONE, 0, 8) == b"one\ntwo\n"


def test_a_finished_text_ends_with_a_line_whatever_its_last_byte() -> None:
    assert find(TWO) == Found(10, Member(len(TWO), 10))


def test_members_are_one_text() -> None:
    assert find(ONE + TWO) == Found(18, Member(len(ONE + TWO), 18))
    assert read(ONE + TWO, 4, 14) == b"two\nthree\n"


def test_of_what_was_read_already_nothing_is_decompressed() -> None:
    appended = Member(len(ONE), 8)
    broken = b"x" * len(ONE) + TWO
    assert find(broken, 8, member=appended) == Found(18, Member(len(broken), 18))
    assert read(broken, 8, 14, appended) == b"three\n"


def test_nothing_new() -> None:
    assert find(ONE, 8) == Found(None, Member(len(ONE), 8))
    assert find(ONE, 8, member=Member(len(ONE), 8)) == Found(None, Member(len(ONE), 8))
    assert find(b"") == Found(None, Member())


@pytest.mark.parametrize("length", range(1, len(ONE)))
def test_a_file_that_is_cut_short_has_the_lines_that_are_there_and_waits(length: int) -> None:
    found = find(ONE[:length])
    assert found.cut_short
    assert found.end in (None, 4, 8)
    assert find(ONE, found.end or 0, member=found.member).end in (8, None)


@pytest.mark.parametrize("length", range(1, len(TWO)))
def test_the_end_of_a_text_that_goes_on_is_no_end_of_a_line(length: int) -> None:
    found = find(ONE + TWO[:length])
    assert found.end in (8, 14)


@pytest.mark.parametrize(
    ("start", "most", "end"),
    [(0, 4, 4), (0, 7, 4), (0, 8, 8), (0, 1, 4), (4, 1, 8), (8, 1, 14), (14, 1, 18), (0, 17, 14), (0, 18, 14)],
)
def test_as_much_as_one_range_may_hold_but_at_least_a_line(start: int, most: int, end: int) -> None:
    assert find(ONE + TWO, start, most).end == end


def test_a_file_with_less_text_than_was_read_of_it() -> None:
    with pytest.raises(EOFError, match="its text has 8 bytes"):
        find(ONE, 9)
    with pytest.raises(EOFError, match="1 bytes before 9 are missing"):
        read(ONE, 0, 9)


@pytest.mark.parametrize(
    "content", [b"no gzip file\n", ONE + b"behind it", ONE[:-6] + b"\0\0" + ONE[-4:], ONE[:12] + b"\xff\xff\xff" + ONE[15:]]
)
def test_what_cannot_become_a_gzip_file_is_damaged(content: bytes) -> None:
    with pytest.raises(Damaged, match="damaged, or no gzip file"):
        find(content)


@pytest.mark.parametrize("seed", range(30))
def test_however_it_grows_and_is_cut_the_lines_are_the_same(seed: int) -> None:
    """A random text in random members, read in random ranges while it grows; each range begins at the member told by the last."""
    chance = random.Random(seed)
    text = b"".join(bytes(chance.choices(b"ab\xc3", k=chance.choice([0, 1, 5, 40]))) + b"\n" for _ in range(80)) + b"end"
    # Where a member ends in the middle of a line and the file with it, that is a line's end: so the members end with lines here.
    cuts = sorted({0, len(text), *(text.find(b"\n", chance.randrange(len(text) - 4)) + 1 for _ in range(chance.randrange(5)))})
    content = b"".join(gzip.compress(text[a:b], chance.choice([0, 6])) for a, b in pairwise(cuts))
    lines: list[bytes] = []
    position, member, size = 0, Member(), 0
    while size < len(content):
        size = min(len(content), size + chance.randint(1, 60))
        for found in ranges(content[:size], chance, position, member):
            assert found.end is not None
            lines += [
                line for some in in_lines(read_text(io.BytesIO(content[:size]), member, position, found.end)) for line in some
            ]
            position, member = found.end, found.member
    assert lines == text.split(b"\n")
    assert member == Member(len(content), len(text))


def ranges(content: bytes, chance: random.Random, position: int, member: Member) -> Iterator[Found]:
    while (found := find(content, position, chance.randint(1, 50), member)).end is not None:
        yield found
        position, member = found.end, found.member
