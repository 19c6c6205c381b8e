"""Logs, their directories, how long flushes take (``Log``, ``LogManager``, ``LogFlushStats``)."""

from __future__ import annotations

from pykafka_ops.broker.runtime.metrics.labels import PartitionLabels
from pykafka_ops.broker.runtime.parts import Parts
from pykafka_ops.broker.state.steps import STEP, Steps
from pykafka_ops.metrics.family import Book, Labels, MetricKind
from pykafka_ops.metrics.spread import Spread

SIZES_MS = 60_000
"""How old the sizes of unused logs may be: each costs reading a directory."""
OF_EACH = {
    "LogStartOffset": "First offset of a log",
    "LogEndOffset": "Offset after the last record of a log",
    "NumLogSegments": "Segments of a log",
}


class LogCollector:
    """Collects the metrics of the logs of one broker."""

    def __init__(self, parts: Parts) -> None:
        self._logs = parts.logs
        self._timer = parts.services.timer
        self._unused: dict[tuple[str, int], int] = {}
        self._looked_at = -float(SIZES_MS)
        self._flushes = Spread()
        for data_dir in self._logs.dirs:
            data_dir.home.on_synced = self._flushed

    def _flushed(self, ms: float) -> None:
        self._flushes.turn(self._timer())
        self._flushes.add(ms)

    def collect(self, labels: PartitionLabels, book: Book) -> Steps[None]:
        """Each log, then the directories."""
        yield from self._look()
        sizes = book.bean("kafka.log:Log:Size", "Bytes of a log")
        each = {n: book.bean(f"kafka.log:Log:{n}", what) for n, what in OF_EACH.items()}
        keys = self._logs.partitions()
        labels.forget_others(set(keys))
        for number, key in enumerate(keys):
            if not number % STEP:
                yield None
            of = labels.of(key)
            data_dir = self._logs.directory_of(key)
            log = None if data_dir is None else data_dir.partitions.get(key)
            if log is None or not log.is_open:
                sizes.add(self._unused.get(key), of)
                continue
            sizes.add(log.size, of)
            each["LogStartOffset"].add(log.log_start_offset, of)
            each["LogEndOffset"].add(log.log_end_offset, of)
            each["NumLogSegments"].add(log.segment_count, of)
        self._collect_directories(book)
        self._flushes.turn(self._timer())
        book.bean(
            "kafka.log:LogFlushStats:LogFlushRateAndTimeMs",
            "Time to flush a log to disk, in ms",
            MetricKind.SUMMARY,
        ).add(self._flushes.times())

    def _look(self) -> Steps[None]:
        """Read the directories of unused logs, now and then."""
        now = self._timer()
        if now - self._looked_at < SIZES_MS:
            return
        self._looked_at = now
        found = yield from self._logs.describe()
        self._unused = {(log.topic, log.partition): log.size for d in found for log in d.logs}

    def _collect_directories(self, book: Book) -> None:
        text = "1 if a log directory has failed"
        offline = book.bean("kafka.log:LogManager:LogDirectoryOffline", text)
        for data_dir in self._logs.dirs:
            of = Labels(logDirectory=data_dir.path)
            offline.add(int(not data_dir.online), of)
        book.bean(
            "kafka.log:LogManager:OfflineLogDirectoryCount", "Log directories that have failed"
        ).add(len(self._logs.offline))
