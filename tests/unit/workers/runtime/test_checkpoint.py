"""The checkpoint folder of a query: made of a position, and read back."""

from pathlib import Path

from workers.connectors.base import StreamPosition
from workers.runtime.checkpoint import Checkpoint


def begin(folder: Path, batch: int, offset: str, **log: str) -> None:
    """As Spark does."""
    (folder / "offsets" / str(batch)).write_text(f'v1\n{{"batchWatermarkMs":0}}\n{offset}')
    (folder / "offsets" / f".{batch}.crc").write_text("x")
    for name, text in log.items():
        (folder / "sources" / "0" / name.removeprefix("_")).write_text(text)


def test_a_position_is_batch_zero_begun_and_over(tmp_path: Path) -> None:
    Checkpoint(tmp_path).seed(StreamPosition('{"a":1}', {"0": "v1\nfile"}))
    assert (tmp_path / "offsets/0").read_text().splitlines()[2] == '{"a":1}'
    assert (tmp_path / "commits/0").read_text() == 'v1\n{"nextBatchWatermarkMs":0}'
    assert (tmp_path / "sources/0/0").read_text() == "v1\nfile"
    assert Checkpoint(tmp_path).finished() == 0


def test_without_one_the_query_begins_at_the_start(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path)
    checkpoint.seed(None)
    assert (checkpoint.finished(), list((tmp_path / "offsets").iterdir())) == (None, [])


def test_what_a_batch_reached_with_what_is_new_in_the_log(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path)
    checkpoint.seed(StreamPosition("1", {"0": "old"}))
    begin(tmp_path, 1, "2", _1="b")
    assert checkpoint.reached(1) == StreamPosition("2", {"1": "b"})
    begin(tmp_path, 2, "3")
    assert checkpoint.reached(2) == StreamPosition("3")


def test_each_start_is_a_new_query(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path)
    checkpoint.seed(StreamPosition("1"))
    begin(tmp_path, 7, "8", _7="x")
    former = (tmp_path / "metadata").read_text()
    checkpoint.seed(None)
    assert (tmp_path / "metadata").read_text() != former
    assert checkpoint.finished() is None
    begin(tmp_path, 0, "1", _7="y")
    assert checkpoint.reached(0) == StreamPosition("1", {"7": "y"})


def test_it_is_thrown_away(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "a")
    checkpoint.seed(StreamPosition("1"))
    checkpoint.discard()
    assert (list(tmp_path.iterdir()), checkpoint.finished()) == ([], None)
