"""dump-log of indexes and snapshots: ``dumpIndex``, ``dumpTimeIndex``, ``dumpTxnIndex``."""

from __future__ import annotations

import os
from collections.abc import Callable

from pykafka_ops.commands.dump_log.java import (
    JavaError,
    absolute,
    first_number,
    kafka_exception,
)
from pykafka_ops.commands.dump_log.log_file import MAX_INT, LogFile, Sink, load
from pykafka_ops.commands.dump_log.printing.records import last_offset_of, latest_timestamp
from pykafka_ops.disk.index import OffsetIndex, TimeIndex, check_offset_index, check_time_index
from pykafka_ops.disk.snapshot import ProducerEntry, read_snapshot
from pykafka_ops.disk.txn_index import read_txn_index
from pykafka_ops.errors import CorruptIndexError

Pairs = dict[str, list[tuple[int, int]]]

#: Kafka searches the last 8 KiB of an index first.
_WARM_ENTRIES = 8192 // 8


# fmt: off
_PROBLEMS = {
    "mismatch": ("Mismatches in :{}", "  Index offset: {}, log offset: {}"),
    "timestamp": ("Found timestamp mismatch in :{}", "  Index timestamp: {}, log timestamp: {}"),
    "order": ("Found out of order timestamp in :{}",
              "  Index timestamp: {}, Previously indexed timestamp: {}"),
    "missing": ("The following indexed offsets are not found in the log.",
                "Indexed offset: {}, found log offset: {}"),
    "gap": ("Non-consecutive offsets in {}", "  {} is followed by {}"),
}
# fmt: on
"""By kind, in the order in which they are printed: the head of a file's, and a line of it."""


class Problems:
    """Problems to print after all files, by kind and absolute path of the file."""

    def __init__(self) -> None:
        self.found: dict[str, Pairs] = {kind: {} for kind in _PROBLEMS}

    def add(self, kind: str, path: str, *pairs: tuple[int, int]) -> None:
        """What does not fit in the file at ``path``."""
        if pairs:
            self.found[kind].setdefault(absolute(path), []).extend(pairs)

    def clear(self) -> None:
        """Forget them."""
        for files in self.found.values():
            files.clear()

    def lines(self) -> list[str]:
        """The blocks of stderr; mismatches and gaps newest first, as Kafka collects them."""
        out: list[str] = []
        for kind, (head, line) in _PROBLEMS.items():
            for path, pairs in self.found[kind].items():
                newest_first = kind in ("mismatch", "gap")
                out.append(head.format(path))
                out += [line.format(*p) for p in (reversed(pairs) if newest_first else pairs)]
        return out


class IndexDump:
    """Dumps the indexes of one run. ``max_message_size`` is asked for when it is needed."""

    def __init__(
        self,
        out: Sink,
        problems: Problems,
        *,
        sanity: bool,
        quiet: bool,
        max_message_size: Callable[[], int],
    ) -> None:
        self.out, self.problems = out, problems
        self.sanity, self.quiet, self.max_message_size = sanity, quiet, max_message_size

    def offsets(self, path: str) -> None:
        """An ``.index`` file: its entries, each held against the batch it points at."""
        size_limit = self.max_message_size()
        base = first_number(os.path.basename(path))
        log = _sibling_log(path)
        data = _index_bytes(path)
        index = OffsetIndex(base, data)
        if not len(index):
            self.out.text(f"{path} is empty.")
            return
        if self.sanity:
            self._sane(path, lambda name: check_offset_index(data, base, name))
            return
        mismatches: list[tuple[int, int]] = []
        try:
            for n in range(len(index)):
                offset, position = index.entry(n)
                # A live broker's index ends in zeros.
                if offset == base and n > 0:
                    return
                found = _first_last_offset(log, position, size_limit)
                if found != offset:
                    mismatches.append((offset, found))
                if not self.quiet:
                    self.out.text(f"offset: {offset} position: {position}")
        finally:
            self.problems.add("mismatch", path, *mismatches)

    def times(self, path: str) -> None:
        """A ``.timeindex`` file: its entries, each held against the batch it names."""
        base = first_number(os.path.basename(path))
        log = _sibling_log(path)
        index = OffsetIndex(base, _index_bytes(f"{_stem(path)}.index"))
        data = _index_bytes(path)
        times = TimeIndex(base, data)
        if self.sanity:
            self._sane(path, lambda name: check_time_index(data, base, name))
            return
        previous = -1
        for n in range(len(times)):
            timestamp, offset = times.entry(n)
            if offset == base and n > 0:
                return
            self._check_time(path, log, _lookup(index, offset), (timestamp, offset, previous))
            if not self.quiet:
                self.out.text(f"timestamp: {timestamp} offset: {offset}")
            previous = timestamp

    def _check_time(self, path: str, log: LogFile, start: int, entry: tuple[int, int, int]) -> None:
        timestamp, offset, previous = entry
        last = -1
        for position, _, magic in log.batches(start, log.slice_end(start, MAX_INT)):
            last = last_offset_of(log, position, magic)
            if last >= offset:
                break
        else:
            last = -1
        if last != offset:
            self.problems.add("missing", path, (offset, last))
            return
        latest = latest_timestamp(log, position, magic)
        if latest != timestamp:
            self.problems.add("timestamp", path, (timestamp, latest))
        if previous >= timestamp:
            self.problems.add("order", path, (timestamp, previous))

    def _sane(self, path: str, check: Callable[[str], None]) -> None:
        try:
            check(absolute(path))
        except CorruptIndexError as e:
            name = "org.apache.kafka.storage.internals.log.CorruptIndexException"
            raise JavaError(name, str(e)) from None
        self.out.text(f"{path} passed sanity check.")

    def transactions(self, path: str) -> None:
        """A ``.txnindex`` file."""
        first_number(os.path.basename(path))
        if not os.path.exists(path):
            return
        entries = read_txn_index(load(path)[:])
        for txn in entries:
            if txn.version >> 8 > 0:
                raise kafka_exception(
                    f"Unexpected aborted transaction version {txn.version >> 8} in transaction "
                    f"index {absolute(path)}, current version is 0"
                )
        for txn in entries:
            self.out.text(
                f"version: {txn.version >> 8} producerId: {txn.producer_id} "
                f"firstOffset: {txn.first_offset} lastOffset: {txn.last_offset} "
                f"lastStableOffset: {txn.last_stable_offset}"
            )

    def producers(self, path: str) -> str | None:
        """A ``.snapshot`` file; the reason for stderr where it is damaged."""
        try:
            for entry in read_snapshot(load(path)[:]):
                self.out.text(producer_line(entry))
        except CorruptIndexError as e:
            return str(e)
        return None


def producer_line(entry: ProducerEntry) -> str:
    """One producer of a snapshot."""
    first = entry.current_txn_first_offset
    txn = f"OptionalLong[{first}]" if first >= 0 else "OptionalLong.empty"
    line = (
        f"producerId: {entry.producer_id} producerEpoch: {entry.producer_epoch} "
        f"coordinatorEpoch: {entry.coordinator_epoch} currentTxnFirstOffset: {txn} "
        f"lastTimestamp: {entry.timestamp} "
    )
    if entry.last_offset < 0:
        return line
    sequence = first_sequence(entry.last_sequence, entry.offset_delta)
    return (
        f"{line}firstSequence: {sequence} lastSequence: {entry.last_sequence} "
        f"lastOffset: {entry.last_offset} offsetDelta: {entry.offset_delta} "
        f"timestamp: {entry.timestamp}"
    )


def first_sequence(last: int, delta: int) -> int:
    """``DefaultRecordBatch.decrementSequence``."""
    return 2**31 - 1 - (delta - last) + 1 if last < delta else last - delta


def _stem(path: str) -> str:
    """The absolute path of a segment without suffix."""
    folder, name = os.path.split(absolute(path))
    return os.path.join(folder, name.partition(".")[0])


def _sibling_log(path: str) -> LogFile:
    name = f"{_stem(path)}.log"
    return LogFile(name)


def _index_bytes(path: str) -> bytes:
    """An index file; where it is missing Kafka would make an empty one, then refuse its size."""
    if not os.path.exists(path):
        raise JavaError(
            "java.lang.IllegalArgumentException",
            "Invalid max index size: -1",
            f"no such file: {path}",
        )
    return load(path)[:]


def _first_last_offset(log: LogFile, position: int, size: int) -> int:
    """Last offset of the batch at ``position``; Kafka's tool dies where there is none."""
    for start, _, magic in log.batches(position, log.slice_end(position, size)):
        return last_offset_of(log, start, magic)
    raise JavaError(
        "java.util.NoSuchElementException",
        plain=f"{log.name}: no whole batch at position {position}, which the index points at",
    )


def _lookup(index: OffsetIndex, offset: int) -> int:
    """Position for ``offset``, by Kafka's own search: it matters where the index is damaged."""
    count = len(index)
    if not count:
        return 0
    hot = max(0, count - 1 - _WARM_ENTRIES)
    if index.entry(hot)[0] < offset:
        low, high = hot, count - 1
    elif index.entry(0)[0] > offset:
        return 0
    else:
        low, high = 0, hot
    while low < high:
        middle = (low + high + 1) // 2
        found = index.entry(middle)[0]
        if found == offset:
            return index.entry(middle)[1]
        if found > offset:
            high = middle - 1
        else:
            low = middle
    return index.entry(low)[1]
