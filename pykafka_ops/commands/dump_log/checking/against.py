"""What a segment's batches are held against while the pass over them comes by."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pykafka_ops.analysis.logs.rules import Aborted, EpochRules, ProducerRules
from pykafka_ops.commands.dump_log.checking.report import FileReport
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.compression import codec_of, decompress
from pykafka_ops.disk.control import ControlType, control_type_id, read_marker
from pykafka_ops.disk.index import (
    OffsetIndex,
    TimeIndex,
    check_offset_index,
    check_time_index,
    used_bytes,
)
from pykafka_ops.disk.record import Record
from pykafka_ops.disk.snapshot import ProducerEntry
from pykafka_ops.disk.txn_index import AbortedTxn, check_txn_index, read_txn_index
from pykafka_ops.disk.walk import walk
from pykafka_ops.errors import CorruptError, PkoError

Place = tuple[int, int, int, int]

FAR = 1 << 63


class CheckedPartition:
    """What goes on from segment to segment: producers, epochs, snapshots still to be passed.

    ``snapshots``: (offset, report, entries), rising. ``trusted`` while every batch so far was
    sound; without it nothing can be said about producers.
    """

    def __init__(
        self,
        start: int,
        epochs: EpochRules | None = None,
        epochs_report: FileReport | None = None,
        snapshots: Sequence[tuple[int, FileReport, list[ProducerEntry]]] = (),
    ) -> None:
        self.producers = ProducerRules()
        self.epochs, self.epochs_report = epochs or EpochRules(None), epochs_report
        self.start, self.snapshots = start, list(snapshots)
        self.trusted = True
        self.aborted: list[Aborted] = []
        self.mismatch: Place | None = None

    def pass_snapshots(self, offset: int, seen: int = FAR) -> None:
        """Compare the snapshots taken at or before ``offset`` with the producers as of now.

        The log has no offsets from ``seen`` on up to ``offset``: they may have been compacted away
        after a snapshot was taken among them.
        """
        while self.snapshots and self.snapshots[0][0] <= offset:
            at, report, entries = self.snapshots.pop(0)
            if at > seen:
                self.producers.gaps += 1
                seen = FAR
            for entry in entries if self.trusted else ():
                stored = (
                    entry.producer_epoch,
                    entry.last_sequence,
                    entry.last_offset,
                    entry.current_txn_first_offset,
                )
                reason = self.producers.snapshot_entry(at, self.start, entry.producer_id, stored)
                if reason:
                    report.problem(reason)


class Against:
    """The files beside one log; a missing one is None and finds nothing wrong."""

    def __init__(
        self,
        partition: CheckedPartition,
        base: int,
        index: FileReport | None = None,
        times: FileReport | None = None,
        transactions: FileReport | None = None,
    ) -> None:
        self.partition, self.producers = partition, partition.producers
        self.index_report, self.times_report = index, times
        self.txn_report = transactions
        self.epoch = partition.epochs.current
        self.missing = ""
        self.latest = -1
        self.entries: list[tuple[int, int, int]] = []
        self.times: list[tuple[int, int, int]] = []
        self.txns: list[AbortedTxn] = []
        self.markers: set[tuple[int, int]] = set()
        partition.aborted = []
        if index is not None:
            _guarded(index, lambda: self._load_index(index, base))
        if times is not None:
            _guarded(times, lambda: self._load_times(times, base))
        if transactions is not None:
            _guarded(transactions, lambda: self._load_transactions(transactions, base))
        self.next_position = self.entries[-1][0] if self.entries else FAR
        self.next_time_offset = self.times[-1][0] if self.times else FAR
        self.edge = self._edge(base)

    def _edge(self, offset: int) -> int:
        snapshots = self.partition.snapshots
        edge = self.partition.epochs.edge(offset)
        return min(edge, snapshots[0][0]) if snapshots else edge

    # -- loading: what can be said without the log -----------------------------------------------

    def _load_index(self, report: FileReport, base: int) -> None:
        data = content(report)
        _guarded(report, lambda: check_offset_index(data, base, report.file))
        index = OffsetIndex(base, data[: used_bytes(data, 8)])
        report.entries = len(index)
        previous = (base - 1, -1)
        for n in range(len(index)):
            offset, position = index.entry(n)
            if offset <= previous[0]:
                report.problem(f"entry {n}: offset {offset} after {previous[0]}")
            if position <= previous[1] and n:
                report.problem(f"entry {n}: position {position} after {previous[1]}")
            previous = (offset, position)
            self.entries.append((position, n, offset))
        self.entries.sort(reverse=True)

    def _load_times(self, report: FileReport, base: int) -> None:
        data = content(report)
        used = data[: used_bytes(data, 12)]
        _guarded(report, lambda: check_time_index(used, base, report.file))
        if len(data) % 12:
            _guarded(report, lambda: check_time_index(data, base, report.file))
        times = TimeIndex(base, used)
        report.entries = len(times)
        previous = (-1, -1)
        for n in range(len(times)):
            timestamp, offset = times.entry(n)
            if n and timestamp <= previous[0]:
                report.problem(f"entry {n}: timestamp {timestamp} after {previous[0]}")
            if n and offset < previous[1]:
                report.problem(f"entry {n}: offset {offset} after {previous[1]}")
            previous = (timestamp, offset)
            self.times.append((offset, n, timestamp))
        self.times.sort(reverse=True)

    def _load_transactions(self, report: FileReport, base: int) -> None:
        data = content(report)
        _guarded(report, lambda: check_txn_index(data, base, report.file))
        self.txns = read_txn_index(data)
        report.entries = len(self.txns)
        if len(data) % 34:
            report.problem(f"{len(data) % 34} bytes after the last whole entry")

    # -- while the pass goes on ------------------------------------------------------------------

    def batch(self, position: int, span: tuple[int, int], timestamp: int) -> None:
        """A batch that an index entry may point at."""
        self.latest = max(self.latest, timestamp)
        if self.next_position <= position:
            self._indexed(position, span)
        if self.next_time_offset <= span[1]:
            self._timed(span, timestamp)

    def _indexed(self, position: int, span: tuple[int, int]) -> None:
        report = self.index_report
        assert report is not None
        while self.entries and self.entries[-1][0] <= position:
            at, n, offset = self.entries.pop()
            if at != position:
                report.problem(f"entry {n}: no batch begins at position {at}")
            elif not span[0] <= offset <= span[1]:
                report.problem(
                    f"entry {n}: offset {offset}, but the batch at position {position} has "
                    f"{span[0]} to {span[1]}"
                )
        self.next_position = self.entries[-1][0] if self.entries else FAR

    def _timed(self, span: tuple[int, int], latest: int) -> None:
        report = self.times_report
        assert report is not None
        while self.times and self.times[-1][0] <= span[1]:
            offset, n, timestamp = self.times.pop()
            if offset < span[0]:
                report.problem(f"entry {n}: offset {offset} is not in the log")
            elif timestamp != latest:
                report.problem(
                    f"entry {n}: timestamp {timestamp}, but the batch with offset {offset} has "
                    f"{latest}"
                )
            elif timestamp < self.latest:
                report.problem(
                    f"entry {n}: timestamp {timestamp}, but before offset {offset} the log has "
                    f"{self.latest}"
                )
        self.next_time_offset = self.times[-1][0] if self.times else FAR

    def cross(self, place: Place, base: int, epoch: int) -> tuple[str, Place]:
        """Where epochs change or a snapshot was taken: what is wrong with the log, and where.

        ``place``: of the batch: segment, position, offset, batches before it.
        """
        partition = self.partition
        partition.pass_snapshots(base, seen=place[2])
        self.epoch = epoch
        wrong, stale = partition.epochs.see(epoch, base)
        self.edge = self._edge(base)
        if stale and partition.mismatch is None:
            partition.mismatch = place
            if partition.epochs_report is not None:
                partition.epochs_report.problem(stale)
        return wrong, partition.mismatch or place

    def marker(self, header: BatchHeader, body: bytes) -> str:
        """A control batch; what is wrong with it."""
        try:
            record = marker_record(header, body)
            if record is None:
                return ""  # emptied by the cleaner
            if header.producer_id < 0 or control_type_id(record.key) > 1:
                return ""  # KRaft's
            marker = read_marker(record)
        except CorruptError as e:
            return str(e)
        reason, aborted = self.producers.marker(
            header.base_offset,
            header.producer_id,
            header.producer_epoch,
            record.timestamp,
            aborted=marker.type is ControlType.ABORT,
        )
        if aborted is not None:
            self.partition.aborted.append(aborted)
            self.markers.add((aborted.producer_id, aborted.last_offset))
        return reason

    # -- behind the last batch -------------------------------------------------------------------

    def finish(self, end: int, *, damaged: bool) -> None:
        """The segment ends before offset ``end``: what points beyond, which transactions lack."""
        for at, n, _ in reversed(self.entries):
            if self.index_report is not None:
                self.index_report.problem(f"entry {n}: no batch begins at position {at}")
        for offset, n, _ in reversed(self.times):
            if self.times_report is not None:
                self.times_report.problem(f"entry {n}: offset {offset} is not in the log")
        if not damaged and self.partition.trusted:
            self._finish_transactions(end)

    def _finish_transactions(self, end: int) -> None:
        report, known = self.txn_report, {}
        for n, txn in enumerate(self.txns):
            assert report is not None
            key = (txn.producer_id, txn.last_offset)
            known[key] = txn
            if key not in self.markers:
                report.problem(
                    f"entry {n}: the log has no abort of producer {key[0]} at offset {key[1]}"
                )
            if not txn.first_offset <= txn.last_offset or txn.last_offset >= end:
                report.problem(f"entry {n}: offsets {txn.first_offset} to {txn.last_offset}")
        for aborted in self.partition.aborted:
            if not aborted.gapless:
                continue
            found = known.get((aborted.producer_id, aborted.last_offset))
            if found is not None and found.first_offset == aborted.first_offset:
                continue
            self.lack(aborted)

    def lack(self, aborted: Aborted) -> None:
        """Readers of committed data would see records of an aborted transaction."""
        text = (
            f"the transaction of producer {aborted.producer_id} from offset {aborted.first_offset} "
            f"to {aborted.last_offset} was aborted, but is not in it"
        )
        if self.txn_report is not None:
            self.txn_report.problem(text)
        else:
            self.missing = text


def marker_record(header: BatchHeader, body: bytes) -> Record | None:
    """The control record of a batch whose bytes from the attributes on are ``body``."""
    codec = codec_of(header.attributes)
    plain = decompress(codec, memoryview(body)[40:], 1 << 20) if codec else body[40:]
    for offset, time, _, key_at, key_size, value_at, value_size, _ in walk(plain, header):
        key = plain[key_at : key_at + key_size] if key_size >= 0 else None
        value = plain[value_at : value_at + value_size] if value_size >= 0 else None
        return Record(offset, time, key, value)
    return None


def content(report: FileReport) -> bytes:
    """The bytes of a small file."""
    from pykafka_ops.commands.dump_log.log_file import load

    data = load(report.file)[:]
    report.size = len(data)
    return data


def _guarded(report: FileReport, check: Callable[[], None]) -> None:
    """Run a check; what it raises is a problem."""
    try:
        check()
    except PkoError as e:
        report.problem(str(e))
