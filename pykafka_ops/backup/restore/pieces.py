"""The log of a stored partition, read from some offset on, piece by piece."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pykafka_ops.backup.chain import StoredPartition
from pykafka_ops.backup.store.model import BackupStore
from pykafka_ops.backup.verify import aborted_of, segment_data, still_open
from pykafka_ops.client.fetch import end_of
from pykafka_ops.disk.batch import read_header


class LogPiece(NamedTuple):
    """Whole batches, and the aborted transactions among them as a read_committed answer names
    them."""

    data: memoryview
    aborted: list[tuple[int, int]]


def log_pieces(store: BackupStore, stored: StoredPartition, position: int) -> Iterator[LogPiece]:
    """From the one on that holds ``position``; batches before it may come first.

    Raises StorageError, CorruptError where a file is not as the manifest says.
    """
    aborted = aborted_of(store, stored, position)
    for segment in stored.segments:
        if segment.next <= position:
            continue
        for data in segment_data(store, stored, segment):
            view = memoryview(data)
            if end_of(view, 0) <= position:
                continue
            yield LogPiece(view, still_open(aborted, _first_offset(view)))


def _first_offset(data: memoryview) -> int:
    return read_header(data).base_offset if data[16] >= 2 else int.from_bytes(data[:8], "big")
