"""What recovery keeps, cuts, makes anew and tidies up."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from pykafka_ops.broker.storage.recovery import Recovered, Recovery
from tests.support.memory.logs import NOW, World, batch_of, values

SIZE = len(batch_of(b"x" * 20))
FIRST = "/data/t-0/00000000000000000000"


def filled(batches: int = 10, **config: object) -> World:
    w = World(**{"segment_bytes": 4 * SIZE, "index_interval_bytes": SIZE, **config})
    for n in range(batches):
        w.append(b"x" * 20, timestamp=NOW + n, epoch=n // 3)
    return w


def recover(w: World, point: int = 0, start: int = 0) -> Recovered:
    w.files.crash()
    done = Recovery(
        w.files,
        "/data/t-0",
        w.config,
        recovery_point=point,
        start_offset=start,
        settings=w.settings,
    ).run()
    w.reopen(end_offset=done.end_offset, recovery_point=done.recovery_point, start_offset=start)
    return done


def content(w: World, kind: str, base: int = 0) -> bytes:
    return bytes(w.files.inodes[f"/data/t-0/{base:020d}{kind}"].data)


def test_indexes_that_were_not_written_out_are_made_again() -> None:
    w = filled(20, segment_bytes=1 << 20)
    reference = filled(20, segment_bytes=1 << 20)
    reference.log.close()
    assert content(w, ".index") == b""
    recover(w)
    assert content(w, ".index") == content(reference, ".index")
    assert content(w, ".timeindex") == content(reference, ".timeindex")


def test_below_the_recovery_point_nothing_is_read_again() -> None:
    w = filled(20, segment_bytes=1 << 20)
    w.log.flush()
    w.append(b"after")
    w.files.inodes[FIRST + ".log"].data[5 * SIZE + 70] ^= 1  # damage where the disk was trusted
    assert recover(w, point=20).end_offset == 21
    assert len(w.log.read(0, 1 << 20, up_to=21).parts[0]) == w.log.size
    assert recover(w, point=0).end_offset == 5


def test_a_bad_index_is_no_place_to_start_from() -> None:
    w = filled(20, segment_bytes=1 << 20)
    w.log.close()
    good = content(w, ".index")
    for entry in range(len(good) // 8):
        for field, value in ((0, -1), (4, 3), (4, 1 << 30), (0, 1 << 30)):
            bad = bytearray(good)
            struct.pack_into(">i", bad, entry * 8 + field, value)
            w.files.inodes[FIRST + ".index"].data = bad
            assert recover(w, point=20).end_offset == 20
            assert [o for o, _ in values(w.log)] == list(range(20))


def test_preallocated_indexes_of_a_killed_apache_broker_are_trimmed() -> None:
    w = filled(3)
    w.log.flush()
    for kind in (".index", ".timeindex"):
        stored = content(w, kind)
        w.files.inodes[FIRST + kind].data = bytearray(stored + bytes(1200 - len(stored)))
    before = content(w, ".log")
    recover(w, point=3)
    assert (len(content(w, ".index")) % 8, len(content(w, ".timeindex")) % 12) == (0, 0)
    assert len(content(w, ".index")) < 100
    assert content(w, ".log") == before
    empty = World()
    for kind in (".index", ".timeindex"):
        empty.files.inodes[FIRST + kind].data = bytearray(1200)
    assert recover(empty)[:3] == (0, 0, 0)
    assert (content(empty, ".index"), content(empty, ".timeindex")) == (b"", b"")


def test_segments_after_a_damaged_one_go() -> None:
    w = filled()
    w.files.inodes[FIRST + ".log"].data[2 * SIZE + 80] ^= 1
    done = recover(w)
    assert (done.end_offset, done.truncated) == (2, 8 * SIZE)
    assert [s.base_offset for s in w.log.segments] == [0]
    assert w.log.epochs.entries() == [(0, 0)]
    assert w.append(b"next", epoch=5).first_offset == 2


@pytest.mark.parametrize("point", [0, None])
def test_a_segment_that_a_power_cut_emptied_ends_a_log_that_is_ours(point: int | None) -> None:
    w = filled()
    w.files.inodes["/data/t-0/00000000000000000004.log"].data.clear()
    done = Recovery(w.files, "/data/t-0", w.config, recovery_point=point).run()
    assert done.end_offset == (4 if point == 0 else 10), "of another's it may have been compacted"


def test_missing_indexes_are_made_when_the_log_is_opened() -> None:
    w = filled()
    w.log.close()
    before = {p: bytes(i.data) for p, i in w.files.inodes.items()}
    w.files.remove("/data/t-0/00000000000000000004.index")
    w.files.remove("/data/t-0/00000000000000000000.timeindex")
    w.files.write("/data/t-0/00000000000000000099.index", b"orphan..")
    w.reopen(clean=True)
    assert len(values(w.log)) == 10
    w.log.close()
    assert {p: bytes(i.data) for p, i in w.files.inodes.items()} == before


def test_a_log_whose_files_were_lost_starts_anew_at_its_start() -> None:
    w = filled(3)
    assert recover(w, start=50).end_offset == 50
    assert (w.log.log_start_offset, w.log.log_end_offset) == (50, 50)
    for path in [p for p in w.files.inodes if p.startswith("/data/t-0/0")]:
        w.files.remove(path)
    assert recover(w, start=7).end_offset == 7
    assert w.append(b"a").first_offset == 7


def test_offsets_that_go_back_are_damage() -> None:
    w = filled(5, segment_bytes=1 << 20)
    w.files.inodes[FIRST + ".log"].data[3 * SIZE : 3 * SIZE + 8] = (1).to_bytes(8, "big")
    assert recover(w).end_offset == 3


def test_damaged_epochs_are_read_from_the_batches() -> None:
    w = filled()
    w.log.close()
    whole = [(0, 0), (1, 3), (2, 6), (3, 9)]
    cut, falling = b"0\n4\n0 0\n1 3\n2 6\n3 9", b"0\n3\n0 0\n2 6\n3 1\n"
    for damage in (b"", b"0\n3\n0 0\n", b"\xff\xfe", cut, falling):
        w.files.write("/data/t-0/leader-epoch-checkpoint", damage)
        w.reopen(clean=True)
        assert w.log.epochs.entries() == whole
        w.files.write("/data/t-0/leader-epoch-checkpoint", damage)
        recover(w, point=10)
        assert w.log.epochs.entries() == whole


def test_producers_survive_a_crash_with_and_without_snapshots() -> None:
    w = World(segment_bytes=4 * SIZE)
    for n in range(10):
        w.append(b"x", producer_id=1, producer_epoch=0, base_sequence=n)
    w.append(b"t", producer_id=2, producer_epoch=0, base_sequence=0, transactional=True)
    entries = sorted(w.log.producers.entries())
    recover(w, point=8)
    assert sorted(w.log.producers.entries()) == entries
    for path in [p for p in w.files.inodes if p.endswith(".snapshot")]:
        w.files.write(path, b"damaged")
    recover(w, point=8)
    assert sorted(w.log.producers.entries()) == entries
    w.log.raise_high_watermark(11)
    assert w.log.last_stable_offset == 10


def test_zeros_after_a_power_cut_are_no_aborted_transactions() -> None:
    w = World(index_interval_bytes=0)

    def aborted(sequence: int) -> None:
        w.append(b"x", producer_id=0, base_sequence=sequence, producer_epoch=0, transactional=True)
        w.end_txn(0, commit=False)

    aborted(0)
    w.log.flush()
    w.files.inodes[FIRST + ".txnindex"].data += bytes(68)  # its length was on disk, and no more
    recover(w, point=2)
    assert w.log.aborted_transactions(0, 2) == [(0, 0)]
    aborted(1)
    assert w.log.aborted_transactions(0, 4) == [(0, 0), (0, 2)]
    assert len(content(w, ".txnindex")) == 68


def test_aborted_transactions_that_are_durable_survive_power_cuts_one_after_the_other() -> None:
    w = World(index_interval_bytes=0)
    for sequence in range(3):
        data = {"producer_id": 7, "producer_epoch": 0, "base_sequence": sequence}
        w.append(b"x", transactional=True, **data)
        w.end_txn(7, commit=False)
        if sequence == 1:
            w.log.flush()
    w.files.inodes[FIRST + ".txnindex"].data += b"torn"
    recover(w, point=4)
    for kind in (".log", ".index", ".timeindex"):  # by chance: nobody has synced them
        w.files.inodes[FIRST + kind].durable = content(w, kind)
    w.files.lose_unsynced()
    recover(w, point=4)
    assert w.log.aborted_transactions(0, 6) == [(7, 0), (7, 2), (7, 4)]


# -- leftovers -------------------------------------------------------------------------------------


def rename(w: World, base: int, suffix: str) -> None:
    for kind in (".log", ".index", ".timeindex"):
        path = f"/data/t-0/{base:020d}{kind}"
        w.files.rename(path, path + suffix)


def copy(w: World, base: int, suffix: str) -> None:
    for kind in (".log", ".index", ".timeindex"):
        path = f"/data/t-0/{base:020d}{kind}"
        w.files.write(path + suffix, w.files.read(path))


@pytest.mark.parametrize("clean", [True, False])
def test_deleted_and_cleaned_files_are_removed(clean: bool) -> None:
    w = filled()
    w.log.close()
    copy(w, 0, ".cleaned")
    copy(w, 4, ".deleted")
    if clean:
        w.reopen(clean=True)
    else:
        recover(w)
    assert len(values(w.log)) == 10
    assert not any(p.endswith((".cleaned", ".deleted")) for p in w.files.inodes)


@pytest.mark.parametrize("renamed_before", [0, 1])
def test_an_interrupted_swap_is_finished(renamed_before: int) -> None:
    """A compaction made one segment of two; the old ones may be there still."""
    w = filled()
    w.log.close()
    both = content(w, ".log") + content(w, ".log", 4)
    copy(w, 0, ".swap")
    w.files.write(FIRST + ".log.swap", both)
    if renamed_before:
        rename(w, 4, ".deleted")
    recover(w)
    assert [s.base_offset for s in w.log.segments] == [0, 8]
    assert len(values(w.log)) == 10


def test_an_unfinished_split_is_undone() -> None:
    """Some new segments are renamed already, others not: the old segment is the truth."""
    w = filled()
    w.log.close()
    copy(w, 0, ".cleaned")
    copy(w, 4, ".swap")
    recover(w)
    assert len(values(w.log)) == 10
    assert not any(p.endswith((".cleaned", ".swap")) for p in w.files.inodes)


# -- any damage ------------------------------------------------------------------------------------


@hypothesis_settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_damage_at_the_tail_leaves_a_valid_prefix(data: st.DataObject) -> None:
    w = filled(12)
    expected = values(w.log)
    path = data.draw(
        st.sampled_from(sorted(p for p in w.files.inodes if not p.endswith(".metadata")))
    )
    inode = w.files.inodes[path]
    kind = data.draw(st.sampled_from(["cut", "zero", "flip", "junk", "gone"]))
    at = data.draw(st.integers(0, max(len(inode.data) - 1, 0)))
    if kind == "cut":
        del inode.data[at:]
    elif kind == "zero":
        inode.data[at:] = bytes(len(inode.data) - at)
    elif kind == "flip" and inode.data:
        inode.data[at] ^= data.draw(st.integers(1, 255))
    elif kind == "junk":
        inode.data += data.draw(st.binary(min_size=1, max_size=80))
    elif kind == "gone" and not path.endswith(".log"):
        w.files.remove(path)
    recover(w)
    found = values(w.log)
    assert found == expected[: len(found)] or path.endswith(".log")
    if not path.endswith(".log"):
        assert found == expected
    offset = w.log.log_end_offset
    assert w.append(b"more", epoch=9).first_offset == offset
    again = recover(w)
    assert (again.end_offset, again.truncated) == (offset + 1, 0)
