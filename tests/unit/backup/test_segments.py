"""Answers of leaders become segment files that are read back, and whose damage is seen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.backup.chain import StoredPartition
from pykafka_ops.backup.counting import Counter
from pykafka_ops.backup.manifest import PartitionEntry, RunEntry, decode, encode
from pykafka_ops.backup.segments import PartitionWriter, leftovers
from pykafka_ops.backup.store.directory import BackupDirectory
from pykafka_ops.backup.verify import aborted_of, still_open, verify_partition
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.index import OffsetIndex, TimeIndex
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import CorruptBatchError
from tests.support.kept_logs import marker

PLACE = ("orders", 0, 0)
FOLDER = Path("data/orders-0")


def plain(base: int, count: int = 4, size: int = 100, producer: int = -1) -> bytes:
    records = [
        Record(base + n, 1_000 + base + n, b"k%d" % n, b"v" * size, []) for n in range(count)
    ]
    if producer < 0:
        return bytes(build_batch(records, base_offset=base))
    return bytes(
        build_batch(
            records,
            base_offset=base,
            producer_id=producer,
            producer_epoch=0,
            base_sequence=0,
            transactional=True,
        )
    )


def write(root: Path, *answers: bytes, end: int, most: int = 1 << 20) -> StoredPartition:
    writer, counter = PartitionWriter(BackupDirectory(root), PLACE, 0, most), Counter(0, end)
    for answer in answers:
        writer.take(memoryview(answer), end)
        counter.take(answer)
    writer.finish()
    entry = PartitionEntry(
        "orders", 0, 0, end, end, 0, 0, tuple(writer.entries), *counter.counts(end)
    )
    return StoredPartition("orders", 0, 0, (entry,))


def test_batches_are_kept_as_they_came(tmp_path: Path) -> None:
    batches = [plain(n) for n in range(0, 40, 4)]
    stored = write(tmp_path, b"".join(batches[:5]), b"".join(batches[5:]), end=40)
    (segment,) = stored.segments
    assert (tmp_path / FOLDER / "00000000000000000000.log").read_bytes() == b"".join(batches)
    assert (segment.base, segment.next, segment.min_ms, segment.max_ms) == (0, 40, 1_000, 1_039)
    assert verify_partition(BackupDirectory(tmp_path), stored).problems == []
    assert verify_partition(BackupDirectory(tmp_path), stored).records == 40


def test_indexes_lead_to_batches(tmp_path: Path) -> None:
    batches = [plain(n, size=1_000) for n in range(0, 80, 4)]
    write(tmp_path, b"".join(batches), end=80)
    index = OffsetIndex(0, (tmp_path / FOLDER / "00000000000000000000.index").read_bytes())
    assert len(index) > 5
    ends, at = {}, 0
    for n, batch in enumerate(batches):
        ends[at] = 4 * n + 3
        at += len(batch)
    assert all(ends[position] == offset for offset, position in map(index.entry, range(len(index))))
    times = TimeIndex(0, (tmp_path / FOLDER / "00000000000000000000.timeindex").read_bytes())
    assert times.last_entry == (1_079, 79)


def test_a_full_segment_is_followed_by_another(tmp_path: Path) -> None:
    stored = write(tmp_path, b"".join(plain(n) for n in range(0, 40, 4)), end=40, most=1_000)
    assert len(stored.segments) > 3
    assert all(a.next == b.base for a, b in zip(stored.segments, stored.segments[1:], strict=False))
    assert all(s.size <= 1_000 for s in stored.segments)
    assert verify_partition(BackupDirectory(tmp_path), stored).problems == []


def test_batches_before_and_behind_the_stretch_are_left_out(tmp_path: Path) -> None:
    writer = PartitionWriter(BackupDirectory(tmp_path), PLACE, 8, 1 << 20)
    data = b"".join(plain(n) for n in range(0, 24, 4))
    assert writer.take(memoryview(data), 16)
    writer.finish()
    assert [(s.base, s.next) for s in writer.entries] == [(8, 16)]


def test_aborted_transactions_are_in_the_index_and_do_not_count(tmp_path: Path) -> None:
    answer = b"".join(
        [
            plain(0, producer=7),
            plain(4, producer=8),
            bytes(marker(8, 7, False)),
            plain(9, producer=7),
            bytes(marker(13, 8, True)),
            bytes(marker(14, 7, True)),
        ]
    )
    stored = write(tmp_path, answer, end=15)
    store, (segment,) = BackupDirectory(tmp_path), stored.segments
    (found,) = aborted_of(store, stored, segment.base)
    assert found[:4] == (7, 0, 8, 4)
    assert still_open([found], 8) == [(7, 0)]
    assert still_open([found], 9) == []
    entry = stored.runs[0]
    assert entry.records == 12, "what the answer did not call aborted was counted"
    counter = Counter(0, 15)
    counter.take(answer, [(7, 0)])
    records, size, checksum = counter.counts(15)
    assert records == 8
    known = PartitionEntry(
        "orders", 0, 0, 15, 15, 0, 0, stored.runs[0].segments, records, size, checksum
    )
    good = StoredPartition("orders", 0, 0, (known,))
    assert verify_partition(store, good).problems == []


@pytest.mark.parametrize("what", ["flipped", "cut", "longer", "gone", "swapped"])
def test_verify_names_the_damaged_file(tmp_path: Path, what: str) -> None:
    stored = write(tmp_path, plain(0), end=4)
    file = tmp_path / FOLDER / "00000000000000000000.log"
    data = file.read_bytes()
    match what:
        case "flipped":
            file.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        case "cut":
            file.write_bytes(data[:-1])
        case "longer":
            file.write_bytes(data + b"\0")
        case "gone":
            file.unlink()
        case "swapped":
            file.write_bytes(plain(0, size=99) + bytes(4))
    (problem,) = verify_partition(BackupDirectory(tmp_path), stored).problems
    assert "00000000000000000000.log" in problem


def test_verify_compares_what_was_counted(tmp_path: Path) -> None:
    stored = write(tmp_path, plain(0), end=4)
    (entry,) = stored.runs
    assert entry.records == 4 and entry.checksum is not None
    wrongs: list[tuple[dict[str, Any], str]] = [
        ({"records": 5}, "4 records, not 5"),
        ({"checksum": entry.checksum ^ 1}, "other records than were read"),
    ]
    for change, words in wrongs:
        wrong = StoredPartition("orders", 0, 0, (replace(entry, **change),))
        (problem,) = verify_partition(BackupDirectory(tmp_path), wrong).problems
        assert words in problem


def test_bytes_with_a_wrong_crc_are_not_kept(tmp_path: Path) -> None:
    writer = PartitionWriter(BackupDirectory(tmp_path), PLACE, 0, 1 << 20)
    bad = bytearray(plain(4))
    bad[-1] ^= 1
    with pytest.raises(CorruptBatchError, match="batch at offset 4 fails its CRC"):
        writer.take(memoryview(plain(0) + bytes(bad)), 8)
    writer.finish()
    assert [(s.base, s.next) for s in writer.entries] == [(0, 4)]


def test_files_of_a_run_that_was_cut_off_are_taken_away(tmp_path: Path) -> None:
    stored = write(tmp_path, plain(0), end=4)
    cut = PartitionWriter(BackupDirectory(tmp_path), PLACE, 4, 1 << 20)
    cut.take(memoryview(plain(4)), 8)
    cut.finish()
    leftovers(BackupDirectory(tmp_path), PLACE, stored.segments)
    names = sorted(path.name for path in (tmp_path / FOLDER).iterdir())
    assert names == [f"{0:020d}.{e}" for e in ("index", "log", "timeindex")]


def test_an_abandoned_segment_leaves_nothing(tmp_path: Path) -> None:
    writer = PartitionWriter(BackupDirectory(tmp_path), PLACE, 0, 1 << 20)
    writer.take(memoryview(plain(0)), 4)
    writer.abandon()
    assert list((tmp_path / FOLDER).iterdir()) == []


def test_a_log_that_begins_within_a_batch_is_kept_with_that_batch(tmp_path: Path) -> None:
    writer, counter = PartitionWriter(BackupDirectory(tmp_path), PLACE, 2, 1 << 20), Counter(2, 8)
    data = plain(0) + plain(4)
    assert writer.take(memoryview(data), 8)
    counter.take(data)
    writer.finish()
    entry = PartitionEntry("orders", 0, 2, 8, 8, 2, 0, tuple(writer.entries), *counter.counts(8))
    run = RunEntry(1, True, 0, 0, "", (), (entry,))
    assert decode(encode(run), "x") == run
    found = verify_partition(BackupDirectory(tmp_path), StoredPartition("orders", 0, 0, (entry,)))
    assert (found.records, found.problems) == (6, [])


def test_an_aborted_transaction_that_goes_over_two_parts_of_a_run_is_left_out_of_both(
    tmp_path: Path,
) -> None:
    store, answers = BackupDirectory(tmp_path), [(7, 0)]
    entries = []
    for start, end, data in (
        (0, 4, plain(0, producer=7)),
        (4, 9, plain(4, producer=7) + bytes(marker(8, 7, False))),
    ):
        writer, counter = PartitionWriter(store, PLACE, start, 1 << 20), Counter(start, end)
        writer.take(memoryview(data), end, answers)
        counter.take(data, answers)
        writer.finish()
        kept = tuple(writer.entries), *counter.counts(end)
        entries.append(PartitionEntry("orders", 0, start, end, end, 0, 0, *kept))
    stored = StoredPartition("orders", 0, 0, tuple(entries))
    assert [txn[:3] for txn in aborted_of(store, stored, 0)] == [(7, 0, 8)]
    found = verify_partition(store, stored)
    assert (found.records, found.problems) == (0, [])
