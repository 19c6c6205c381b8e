"""Index files made anew from their log, as Kafka's recovery does (``LogSegment.recover``)."""

from __future__ import annotations

from collections.abc import Iterable
from struct import Struct

from pykafka_ops.commands.dump_log.log_file import LogFile
from pykafka_ops.commands.dump_log.printing.legacy import message_header
from pykafka_ops.disk.index import OffsetIndex, TimeIndex
from pykafka_ops.disk.txn_index import AbortedTxn, pack_aborted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.analysis.logs.rules import Aborted

#: ``index.interval.bytes``: as many bytes of log between two entries.
INTERVAL = 4096
_HEADER = Struct(">qiibIhiqq")


def indexes(path: str, base: int, end: int) -> tuple[bytes, bytes]:
    """The contents of ``.index`` and ``.timeindex`` for the sound bytes [0, ``end``) of a log."""
    offsets, times = OffsetIndex(base), TimeIndex(base)
    latest, latest_at, indexed_at = -1, base, 0
    log = LogFile(path)
    for position, _, magic in log.batches(0, end):
        if magic < 2:
            header = message_header(log, position)
            last, timestamp = header.offset, header.timestamp
        else:
            fields = _HEADER.unpack_from(log.data, position)
            last, timestamp = fields[0] + fields[6], fields[8]
        if timestamp > latest:
            latest, latest_at = timestamp, last
        if position - indexed_at > INTERVAL:
            offsets.append(last, position)
            times.append(latest, latest_at)
            indexed_at = position
    if latest > times.last_entry[0]:
        times.append(latest, latest_at)
    return offsets.to_bytes(), times.to_bytes()


def transactions(aborted: Iterable[Aborted], stored: Iterable[AbortedTxn], end: int) -> bytes:
    """The contents of ``.txnindex``: the aborts in the log up to ``end``.

    A transaction none of whose batches is in the log keeps the entry that was stored, if that can
    be; without one there is nothing that a reader could see.
    """
    known = {(txn.producer_id, txn.last_offset): txn for txn in stored}
    rows = []
    for txn in aborted:
        if txn.last_offset >= end:
            continue
        if txn.first_known:
            rows.append(
                AbortedTxn(
                    txn.producer_id, txn.first_offset, txn.last_offset, txn.last_stable_offset
                )
            )
            continue
        found = known.get((txn.producer_id, txn.last_offset))
        if found is not None and _possible(found):
            rows.append(found)
    return b"".join(map(pack_aborted, rows))


def _possible(txn: AbortedTxn) -> bool:
    return 0 <= txn.first_offset <= txn.last_offset and not txn.version >> 8
