"""Records kept as Parquet: what readers see, what a restore gets back, how damage is seen."""

from __future__ import annotations

import random
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from pykafka_ops.audit.transactions import TransactionScan, transaction_ends
from pykafka_ops.backup.chain import StoredPartition, chain_of, folder_of
from pykafka_ops.backup.counting import Counter
from pykafka_ops.backup.manifest import PartitionEntry, RunEntry, SegmentEntry, decode, encode
from pykafka_ops.backup.parquet.schema import schema
from pykafka_ops.backup.parquet.write import ParquetPartitionWriter
from pykafka_ops.backup.restore.pieces import log_pieces
from pykafka_ops.backup.store.directory import BackupDirectory
from pykafka_ops.backup.store.objects import objects_at
from pykafka_ops.backup.take import format_of
from pykafka_ops.backup.verify import verify_partition
from pykafka_ops.disk.batch import TimestampType, scan
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.compression import DECOMPRESSED_LIMIT, Codec
from pykafka_ops.disk.legacy import build_messages
from pykafka_ops.disk.record import Record, iter_records
from pykafka_ops.errors import StorageError, UsageError
from tests.support.kept_logs import in_batches, transaction
from tests.support.logs_by_chance import end_of, random_batches

PLACE = ("orders", 0, 0)


def kept(
    store: Any, batches: list[bytes], *, most: int = 1 << 20, held: int = 1 << 20, start: int = 0
) -> StoredPartition:
    """What a run keeps of a log that its leader answers in a few pieces."""
    end, seen = end_of(batches), TransactionScan(start, 1 << 62)
    seen.take(b"".join(batches))
    ended, stable = transaction_ends([seen.found], end)
    writer = ParquetPartitionWriter(store, PLACE, start, most, held)
    counter = Counter(start, stable)
    for n in range(0, len(batches), 5):
        data = b"".join(batches[n : n + 5])
        aborted = [(t.producer, t.first) for t in ended if t.marker >= writer.position]
        writer.take(memoryview(data), stable, aborted)
        counter.take(data, aborted)
    writer.finish()
    counts = counter.counts(stable)
    assert counts[0] is not None
    entry = PartitionEntry("orders", 0, start, stable, end, 0, 0, tuple(writer.entries), *counts)
    return StoredPartition("orders", 0, 0, (entry,))


def rows(root: Path) -> list[dict[str, Any]]:
    """As anybody reads them."""
    found: list[dict[str, Any]] = []
    for file in sorted((root / "data/orders-0").glob("*.parquet")):
        found += pq.ParquetFile(file).read().to_pylist()
    return found


@pytest.mark.parametrize("seed", range(8))
def test_checksums_of_what_is_kept_are_those_of_the_log(tmp_path: Path, seed: int) -> None:
    chance, store = random.Random(seed), BackupDirectory(tmp_path)
    batches = random_batches(chance, chance.choice((0, 50)), 60)
    first = int.from_bytes(batches[0][:8], "big")
    stored = kept(store, batches, most=2_000, held=3_000, start=first)
    found = verify_partition(store, stored)
    assert (found.problems, found.records) == ([], stored.records)
    assert len(rows(tmp_path)) == stored.records
    assert len(stored.segments) > 1


def test_a_restore_gets_every_record_with_its_offset_time_and_codec(tmp_path: Path) -> None:
    odd = b"\xff\xfe".decode("utf-8", "surrogateescape")
    records = [
        Record(10, -1, None, None, [("a", b"1"), ("a", None), (odd, b"")]),
        Record(11, 5, b"", b"v" * 200_000, []),
        Record(40, 2, b"k", b"", [("b", b"2")]),
    ]
    batches = [
        bytes(build_batch(records, base_offset=10, codec=Codec.LZ4, leader_epoch=7)),
        bytes(
            build_batch(
                [Record(41, 1, b"late", b"x")], base_offset=41, producer_id=3, producer_epoch=1,
                base_sequence=9, timestamp_type=TimestampType.LOG_APPEND_TIME, log_append_time=77,
            )
        ),
    ]  # fmt: skip
    store = BackupDirectory(tmp_path)
    stored = kept(store, batches, start=10)
    found, codecs = [], []
    for piece in log_pieces(store, stored, 0):
        for at, header in scan(piece.data):
            codecs.append(Codec(header.attributes & 7))
            found += [
                one._replace(headers=list(one.headers))
                for one in iter_records(piece.data, at, header, DECOMPRESSED_LIMIT)
            ]
    assert found == [*records, Record(41, 77, b"late", b"x", [])]
    assert set(codecs[:-1]) == {Codec.LZ4} and codecs[-1] == Codec.NONE
    last = pq.ParquetFile(next(tmp_path.rglob("*.parquet"))).read().slice(3).to_pylist()[0]
    assert last["timestamp"].timestamp() == 0.077
    assert {**last, "timestamp": None} == {
        "offset": 41, "timestamp": None, "timestamp_type": "LogAppendTime", "key": b"late",
        "value": b"x", "headers": None, "leader_epoch": None,
        "producer_id": 3, "producer_epoch": 1, "sequence": 9, "compression": "none",
    }  # fmt: skip


def test_old_messages_are_kept_as_records(tmp_path: Path) -> None:
    sent = [Record(n, 1_000 + n, b"k", b"v%d" % n) for n in range(5)]
    data = bytes(build_messages(sent, magic=1))
    store = BackupDirectory(tmp_path)
    writer, counter = ParquetPartitionWriter(store, PLACE, 0, 1 << 20, 1 << 20), Counter(0, 5)
    writer.take(memoryview(data), 5)
    counter.take(data)
    writer.finish()
    entry = PartitionEntry("orders", 0, 0, 5, 5, 0, 0, tuple(writer.entries), *counter.counts(5))
    assert verify_partition(store, StoredPartition("orders", 0, 0, (entry,))).problems == []
    assert [row["value"] for row in rows(tmp_path)] == [r.value for r in sent]


def test_a_run_of_aborted_records_alone_leaves_no_gap(tmp_path: Path) -> None:
    store = BackupDirectory(tmp_path)
    one = kept(store, in_batches([(1, b"k", b"v")] * 5))
    two = kept(store, transaction([(2, b"k", b"v")] * 3, 5, 1, ends=False), start=5)
    three = kept(store, in_batches([(3, b"k", b"v")] * 2, base=9), start=9)
    assert two.segments == []
    whole = StoredPartition("orders", 0, 0, (*one.runs, *two.runs, *three.runs))
    assert whole.gaps == []
    assert verify_partition(store, whole).problems == []
    assert [row["offset"] for row in rows(tmp_path)] == [0, 1, 2, 3, 4, 9, 10]


def test_what_was_changed_or_is_something_else_is_seen(tmp_path: Path) -> None:
    store = BackupDirectory(tmp_path)
    stored = kept(store, in_batches([(n, b"k", b"v") for n in range(50)]))
    (file,) = tmp_path.rglob("*.parquet")
    good = file.read_bytes()
    for bad, said in (
        (good[:-3] + b"xyz", "another CRC"),
        (good[:-1], f"has {len(good) - 1:,} bytes"),
        (good + b"x", "has more than"),
    ):
        file.write_bytes(bad)
        (problem,) = verify_partition(store, stored).problems
        assert said in problem
    pq.write_table(schema().empty_table().select(["offset"]), file)
    from pykafka_ops.disk.checksum import crc32c

    other = file.read_bytes()
    (run,) = stored.runs
    (segment,) = run.segments
    lie = replace(segment, size=len(other), crc32c=crc32c(other))
    wrong = stored._replace(runs=(replace(run, segments=(lie,)),))
    (problem,) = verify_partition(store, wrong).problems
    assert "no Parquet file of a backup: its columns are others" in problem


def test_an_object_store_is_read_by_a_copy(tmp_path: Path) -> None:
    store = objects_at(f"file://{tmp_path}")
    stored = kept(store, in_batches([(n, b"k", b"v") for n in range(50)]))
    assert verify_partition(store, stored).problems == []
    assert store.names(folder_of(*PLACE)) == ["00000000000000000000.parquet"]


def run_of(kind: str, ending: str = ".log") -> RunEntry:
    segment = SegmentEntry(0, 5, 9, 1, 1, 1, ending=ending)
    entry = PartitionEntry("orders", 0, 0, 5, 5, 0, 0, (segment,))
    return RunEntry(1, True, 1, 2, "c", partitions=(entry,), format=kind)


def test_manifests_say_the_format_and_older_ones_mean_segments() -> None:
    parquet = run_of("parquet", ".parquet")
    assert decode(encode(parquet), "here") == parquet
    assert b'"version":2' in encode(parquet)
    old = encode(run_of("segments")).replace(b',"format":"segments"', b"")
    old = old.replace(b',"ending":".log"', b"")
    assert b"format" not in old and b"ending" not in old
    assert decode(old, "here") == run_of("segments")
    for bad in (
        encode(parquet).replace(b'"version":2', b'"version":1'),
        encode(parquet).replace(b'"format":"parquet"', b'"format":"avro"'),
        encode(parquet).replace(b".parquet", b"/../../x"),
    ):
        with pytest.raises(StorageError, match="no manifest of a backup"):
            decode(bad, "here")


def test_a_backup_has_one_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = BackupDirectory(tmp_path)
    assert format_of(store, chain_of([]), None) == "segments"
    assert format_of(store, chain_of([run_of("parquet")]), None) == "parquet"
    with pytest.raises(UsageError, match="keeps records as segments: leave out --format"):
        format_of(store, chain_of([run_of("segments")]), "parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"take PyArrow: pip install 'pykafka-ops\[spark\]'"):
        format_of(store, chain_of([]), "parquet")
