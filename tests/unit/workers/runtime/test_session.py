"""How the worker's Spark is set up."""

import pytest

from workers.runtime.session import master, packages


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [("local[*]", "local[18]"), ("local[4]", "local[4]"), ("spark://a:7077", "spark://a:7077")],
)
def test_slots_for_real_time_are_added_to_the_cores(wanted: str, expected: str) -> None:
    assert master(wanted, 16, 2) == expected


def test_packages_bring_nothing_that_is_there_already() -> None:
    assert packages([]) == {}
    options = packages(["a:b:1", "c:d:2"])
    assert options["spark.jars.packages"] == "a:b:1,c:d:2"
    assert "org.apache.hadoop:*" in options["spark.jars.excludes"].split(",")
