"""Whose jobs share the cores with whose."""

from workers.runtime.pools import COMMON, pool_of


def test_a_task_has_one_pool_and_common_jobs_are_in_none_of_them() -> None:
    pools = {pool_of(f"connector-{number}-0") for number in range(1000)}
    assert pool_of("a-0") == pool_of("a-0")
    assert COMMON == pool_of(None) not in pools


def test_there_are_few_pools_whatever_tasks_there_were() -> None:
    assert len({pool_of(f"connector-{number}-0") for number in range(1000)}) <= 32
