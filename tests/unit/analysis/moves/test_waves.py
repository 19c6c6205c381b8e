"""Which moves go on at once."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.moves.waves import PartitionMove, least_seconds, next_jobs, waves


def _job(n: int, before: tuple[int, ...], after: tuple[int, ...], size: int = 100) -> PartitionMove:
    return PartitionMove(("t", n), before, after, size)


def test_a_job_is_what_new_replicas_copy() -> None:
    job = _job(0, (1, 2), (3, 2, 4), 10)
    assert (job.targets, job.copied, job.brokers) == ((3, 4), 20, frozenset({1, 3, 4}))
    order = _job(0, (1, 2), (2, 1))
    assert (order.targets, order.copied, order.brokers) == ((), 0, frozenset())


def test_the_largest_start_first_as_long_as_brokers_have_room() -> None:
    jobs = [_job(n, (0,), (1,), n) for n in range(5)] + [_job(9, (2,), (3,), 1)]
    started = next_jobs(jobs, (), 2)
    assert [j.key[1] for j in started] == [4, 3, 9]
    assert [j.key[1] for j in next_jobs(jobs[:3], [jobs[4]], 2)] == [2]
    assert next_jobs(jobs[:3], jobs[3:5], 2) == []


def test_what_copies_nothing_waits_for_nobody() -> None:
    orders = [_job(n, (0, 1), (1, 0)) for n in range(50)]
    drops = [_job(100 + n, (0, 1), (1,)) for n in range(50)]
    assert len(next_jobs([*orders, *drops], [_job(200, (0,), (1,))], 1)) == 100


def test_the_busiest_broker_says_how_long_it_takes() -> None:
    jobs = [_job(0, (0,), (1,), 100), _job(1, (0,), (2,), 300), _job(2, (1, 0), (0, 1), 999)]
    assert least_seconds(jobs, 10, {("t", 0): 0, ("t", 1): 0}) == 40
    assert least_seconds(jobs, 10, {("t", 0): 0, ("t", 1): 5}) == 30
    assert least_seconds([], 10, {}) == 0


@st.composite
def _jobs(draw: st.DrawFn) -> list[PartitionMove]:
    ids = st.lists(st.integers(0, 5), min_size=1, max_size=3, unique=True)
    return [
        _job(n, tuple(draw(ids)), tuple(draw(ids)), draw(st.integers(0, 50)))
        for n in range(draw(st.integers(0, 20)))
    ]


@given(_jobs(), st.integers(1, 4))
def test_waves_hold_every_job_once_and_no_broker_has_more_than_it_may(
    jobs: list[PartitionMove], per_broker: int
) -> None:
    found = waves(jobs, per_broker)
    assert sorted(job.key for wave in found for job in wave) == [job.key for job in jobs]
    for wave in found:
        assert wave
        assert all(n <= per_broker for n in Counter(i for j in wave for i in j.brokers).values())
