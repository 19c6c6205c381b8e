"""Aborted data goes at once; a marker stays until nothing is left that it decides."""

from __future__ import annotations

from pykafka_ops.disk.batch import DELETE_HORIZON_FLAG
from tests.support.memory.compaction import CleanWorld, batches, records

FILL = "v" * 100


def world() -> CleanWorld:
    return CleanWorld(delete_retention_ms=1000)


def push(w: CleanWorld, count: int = 12) -> None:
    """Dirt behind which everything earlier can be cleaned."""
    for n in range(count):
        w.put((f"x{n % 2}", FILL))


def transaction(w: CleanWorld, key: str, *, commit: bool, pid: int = 8, sequence: int = 0) -> None:
    w.put((key, "t"), producer_id=pid, producer_epoch=0, base_sequence=sequence, transactional=True)
    w.end_txn(pid, commit=commit)


def markers(w: CleanWorld) -> list[tuple[int, int, int]]:
    """(offset, records, horizon flag) of the markers left."""
    return [
        (h.base_offset, h.record_count, h.attributes & DELETE_HORIZON_FLAG)
        for h, _ in batches(w.log)
        if h.is_control
    ]


def test_aborted_records_go_and_do_not_hide_older_values() -> None:
    w = world()
    w.put(("a", "good"))
    transaction(w, "a", commit=False)
    push(w)
    w.clean()
    assert next(r[1:] for r in records(w.log)) == (b"a", b"good")
    assert b"t" not in [value for _, _, value in records(w.log)]


def test_an_abort_marker_goes_two_passes_after_its_data() -> None:
    w = world()
    transaction(w, "a", commit=False)
    transaction(w, "b", commit=True, sequence=1)
    push(w)
    w.clean()
    assert w.log.segments[0].aborted()[0][:3] == (8, 0, 1)
    assert markers(w) == [(1, 1, 0), (3, 1, 0)]
    push(w)
    w.clean()
    assert markers(w) == [(1, 1, DELETE_HORIZON_FLAG), (3, 1, 0)]
    assert w.log.segments[0].aborted() == []
    w.now += 1000
    push(w)
    w.clean()
    assert markers(w) == [(3, 1, 0)]
    assert next(r[1] for r in records(w.log)) == b"b"


def test_a_commit_marker_stays_as_long_as_its_data() -> None:
    w = world()
    transaction(w, "a", commit=True)
    push(w)
    w.clean()
    assert markers(w) == [(1, 1, 0)]
    w.put(("a", "newer"))
    push(w)
    w.clean()
    assert markers(w) == [(1, 1, 0)], "the data was there until this pass"
    w.now += 1000
    push(w)
    w.clean()
    # the last sequence stays in an empty batch, which still belongs to the transaction
    assert markers(w) == [(1, 1, 0)]
    empty = [h for h, _ in batches(w.log) if not h.record_count]
    assert [(h.base_offset, h.last_sequence) for h in empty] == [(0, 0)]


def test_an_open_transaction_holds_the_cleaner_back() -> None:
    w = world()
    push(w)
    w.put(("a", "t"), producer_id=8, producer_epoch=0, base_sequence=0, transactional=True)
    push(w)
    w.replicated()
    open_at = 12
    found = w.log.compaction.cleanable(w.now)
    assert found.first_uncleanable <= open_at
    w.end_txn(8, commit=True)
    w.replicated()
    assert w.log.compaction.cleanable(w.now).first_uncleanable > open_at


def test_a_transaction_over_several_segments_is_known_in_all_of_them() -> None:
    w = world()
    for n in range(10):
        key = (f"a{n}", FILL)
        w.put(key, producer_id=8, producer_epoch=0, base_sequence=n, transactional=True)
    w.end_txn(8, commit=False)
    push(w)
    assert len(w.log.segments) > 5
    w.clean()
    assert {key for _, key, _ in records(w.log)} <= {b"x0", b"x1"}
