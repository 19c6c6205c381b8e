"""Reads a backup again, and says what is not as its manifests say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Final, NamedTuple

from pykafka_ops.backup.chain import Chain, StoredPartition, folder_of
from pykafka_ops.backup.counting import Counter
from pykafka_ops.backup.manifest import PartitionEntry, SegmentEntry
from pykafka_ops.backup.parquet.read import parquet_batches
from pykafka_ops.backup.parquet.schema import SUFFIX
from pykafka_ops.backup.store.model import BackupStore
from pykafka_ops.backup.store.whole import read_whole
from pykafka_ops.disk.batch import whole_batches
from pykafka_ops.disk.checksum import crc32c_more
from pykafka_ops.disk.names import TXN_INDEX_SUFFIX, segment_file
from pykafka_ops.disk.txn_index import ENTRY_SIZE, AbortedTxn, read_txn_index
from pykafka_ops.errors import CorruptError, StorageError

CHUNK: Final = 4 << 20
_MOST_BATCH: Final = 1 << 30
_MOST_ABORTED: Final = ENTRY_SIZE * 10_000_000


class Verified(NamedTuple):
    """One partition: what was read, and what is wrong with it, in a sentence each."""

    topic: str
    partition: int
    records: int
    size: int
    problems: list[str]


def verify(store: BackupStore, chain: Chain) -> Iterator[Verified]:
    """Partition by partition."""
    for stored in chain.partitions.values():
        yield verify_partition(store, stored)


def verify_partition(store: BackupStore, stored: StoredPartition) -> Verified:
    """Every byte of one partition, against sizes, CRCs and checksums."""
    records = size = 0
    problems = [f"offsets {gap.start} to {gap.end - 1} were never read" for gap in stored.gaps]
    aborted: list[AbortedTxn] | None = None
    try:
        aborted = aborted_of(store, stored, 0)
    except StorageError as error:
        problems.append(str(error))
    for run in stored.runs:
        counter = Counter(run.start, run.end)
        before = len(problems)
        for segment in run.segments:
            try:
                for data in segment_data(store, stored, segment):
                    size += len(data)
                    counter.take(memoryview(data), still_open(aborted or (), counter.position))
            except (StorageError, CorruptError) as error:
                problems.append(str(error))
        if aborted is not None and len(problems) == before:
            records += _counted(run, counter, problems)
    return Verified(stored.topic, stored.partition, records, size, problems)


def _counted(run: PartitionEntry, counter: Counter, problems: list[str]) -> int:
    """The records of one run, compared with what it counted."""
    found = counter.counts(run.end)
    wanted = run.records, run.bytes, run.checksum
    if run.records is not None and found != wanted:
        where = f"offsets {run.start} to {run.end - 1}"
        if found[0] is None:
            problems.append(f"{where}: {counter.trouble}")
        elif found[0] != wanted[0]:
            problems.append(f"{where}: {found[0]:,} records, not {wanted[0]:,}")
        else:
            problems.append(f"{where}: other records than were read from the source")
    return found[0] or 0


def segment_data(
    store: BackupStore, stored: StoredPartition, segment: SegmentEntry
) -> Iterator[bytearray]:
    """The whole batches of a segment, in pieces; its size and CRC are compared at the end.

    Raises StorageError, CorruptError; UsageError for Parquet without PyArrow.
    """
    name = f"{folder_of(*stored[:3])}/{segment_file(segment.base, segment.ending)}"
    if segment.ending == SUFFIX:
        yield from parquet_batches(store, name, segment)
        return
    crc = size = 0
    rest = bytearray()
    with closing(store.open(name)) as file:
        while piece := file.read(min(CHUNK, max(1, segment.size - size))):
            size += len(piece)
            if size > segment.size:
                break
            crc = crc32c_more(crc, piece)
            rest += piece
            if whole := whole_batches(rest):
                part, rest = rest[:whole], rest[whole:]
                yield part
            if len(rest) > _MOST_BATCH:
                break
    if size != segment.size:
        more = "more than " if size > segment.size else ""
        size = min(size, segment.size)
        raise StorageError(f"{name} has {more}{size:,} bytes, not {segment.size:,}")
    if crc != segment.crc32c:
        raise StorageError(f"{name} was changed: its bytes have another CRC")
    if rest:
        raise StorageError(f"{name} ends within a batch")


def aborted_of(store: BackupStore, stored: StoredPartition, position: int) -> list[AbortedTxn]:
    """The aborted transactions that end at ``position`` or later, each file read once.

    Raises StorageError.
    """
    found: list[AbortedTxn] = []
    for segment in stored.segments:
        if segment.next > position and TXN_INDEX_SUFFIX in segment.others:
            name = f"{folder_of(*stored[:3])}/{segment_file(segment.base, TXN_INDEX_SUFFIX)}"
            found += read_txn_index(read_whole(store, name, _MOST_ABORTED))
    return found


def still_open(aborted: Iterable[AbortedTxn], position: int) -> list[tuple[int, int]]:
    """Those that end at ``position`` or later, as an answer to a fetch from there would have it."""
    return [(t.producer_id, t.first_offset) for t in aborted if t.last_offset >= position]
