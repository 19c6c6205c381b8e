"""The store of commits keeps what the verdicts need, like a list of commits would."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.commits.burrow import WINDOW, Commit
from pykafka_ops.monitor.cluster.commits import CommitStore

LAGS = st.one_of(st.none(), st.integers(0, 100), st.integers(1 << 32, 1 << 40))
COMMITS = st.builds(Commit, st.integers(0, 1 << 42), st.integers(-1, 1 << 50), LAGS)


@given(st.lists(st.tuples(st.integers(0, 3), COMMITS), max_size=80))
def test_it_keeps_the_last_commits_since_the_offset_was_deleted(
    made: list[tuple[int, Commit]],
) -> None:
    store = CommitStore()
    expected: dict[int, list[Commit]] = {}
    last: dict[int, int] = {}
    for partition, commit in made:
        store.add("g", "t", partition, commit)
        kept = expected.setdefault(partition, [])
        if commit.offset < 0:
            kept.clear()
        else:
            kept.append(commit)
        last[partition] = commit.offset
    found = store.topics("g").get("t")
    for partition, commits in expected.items():
        assert found is not None
        assert found.ring(partition) == commits[-WINDOW:]
        assert found.committed[partition] == last[partition]
        assert found.last_time(partition) == (commits[-1].timestamp if commits else None)
    if found is not None:
        assert set(found.partitions()) == {p for p, offset in last.items() if offset >= 0}


def test_times_and_offsets_far_apart_are_kept_and_absurd_times_are_cut() -> None:
    store = CommitStore()
    far = [Commit(0, 0), Commit(1 << 41, (1 << 63) - 1), Commit(5, 7), Commit((1 << 41) + 1, 8)]
    for commit in far:
        store.add("g", "t", 1, commit)
    assert store.topics("g")["t"].ring(1) == far
    for time in (-(1 << 63), (1 << 63) - 1):
        store.add("g", "u", 0, Commit(time, 3))
    assert [c.timestamp for c in store.topics("g")["u"].ring(0)] == [-1, 1 << 62]


def test_all_offsets_of_a_group_replace_what_is_no_longer_there() -> None:
    store = CommitStore()
    store.add("g", "t", 0, Commit(1, 10))
    store.add("g", "t", 1, Commit(1, 20))
    store.put("g", [(("t", 1), 25), (("u", 0), 5)])
    assert list(store.topics("g")["t"].committed) == [-1, 25]
    assert list(store.topics("g")["u"].committed) == [5]


def test_numbers_that_no_partition_has_take_no_memory() -> None:
    store = CommitStore()
    for number in (-1, 1 << 30, (1 << 31) - 1):
        store.add("g", "t", number, Commit(1, 1))
        store.put("g", [(("t", number), 1)])
    assert "g" not in store


def test_a_group_goes_with_its_last_topic() -> None:
    store = CommitStore()
    store.add("g", "t", 0, Commit(1, 10))
    store.add("g", "u", 0, Commit(1, 10))
    assert store.forget("g", "t")
    assert "g" in store
    assert store.forget("g", "u")
    assert "g" not in store
    assert not store.forget("g")
