"""Entries of ``.txnindex`` files: aborted transactions of one segment (``TransactionIndex``).

34 bytes each, big endian: version int16 (0), producerId, firstOffset, lastOffset and
lastStableOffset int64; appended in the order in which the transactions ended.
"""

from __future__ import annotations

from collections.abc import Iterable
from struct import Struct
from typing import NamedTuple

from pykafka_ops.disk.checksum import Buffer
from pykafka_ops.errors import CorruptIndexError

VERSION = 0
ENTRY_SIZE = 34
_ENTRY = Struct(">hqqqq")


class AbortedTxn(NamedTuple):
    """One aborted transaction; ``last_offset`` is its marker, offsets inclusive."""

    producer_id: int
    first_offset: int
    last_offset: int
    last_stable_offset: int
    version: int = VERSION


def read_txn_index(data: Buffer) -> list[AbortedTxn]:
    """All whole entries; as in Kafka a torn last one is dropped."""
    whole = len(data) // ENTRY_SIZE * ENTRY_SIZE
    rows = _ENTRY.iter_unpack(data[:whole])
    return [AbortedTxn(pid, first, last, lso, ver) for ver, pid, first, last, lso in rows]


def sound_entries(entries: Iterable[AbortedTxn], offsets: range) -> list[AbortedTxn]:
    """The first entries as they are written: a power cut may leave zeros, or anything, behind.

    Each has its marker among ``offsets``, after its records and after the last entry's marker.
    """
    found: list[AbortedTxn] = []
    least = offsets.start
    for txn in entries:
        known = txn.version == VERSION and txn.producer_id >= 0 <= txn.first_offset
        if not known or not max(least, txn.first_offset + 1) <= txn.last_offset < offsets.stop:
            break
        found.append(txn)
        least = txn.last_offset + 1
    return found


def pack_aborted(txn: AbortedTxn) -> bytes:
    """The 34 bytes of one entry."""
    return _ENTRY.pack(txn.version, *txn[:4])


def check_txn_index(data: Buffer, base_offset: int, name: str) -> None:
    """Kafka's sanity check: versions known, no entry ends before the segment's base offset.

    As in Kafka only the high byte of the version counts (``AbortedTxn.version`` reads one byte).
    """
    for txn in read_txn_index(data):
        if txn.version >> 8 > VERSION:
            raise CorruptIndexError(
                f"Unexpected aborted transaction version {txn.version >> 8} in transaction index "
                f"{name}, current version is {VERSION}"
            )
        if txn.last_offset < base_offset:
            raise CorruptIndexError(
                f"Last offset of aborted transaction {txn} in index {name} is less than start "
                f"offset {base_offset}"
            )


def collect_aborted(
    entries: Iterable[AbortedTxn], fetch_offset: int, upper_bound: int
) -> tuple[list[AbortedTxn], bool]:
    """(aborted transactions that touch [fetch_offset, upper_bound), whether that is all of them).

    When the second is False the search goes on in the next segment's index.
    """
    found = []
    for txn in entries:
        if txn.last_offset >= fetch_offset and txn.first_offset < upper_bound:
            found.append(txn)
        if txn.last_stable_offset >= upper_bound:
            return found, True
    return found, False
