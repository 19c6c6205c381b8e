"""The cleaner of compacted logs (``LogCleaner``, ``LogCleanerManager``)."""

from __future__ import annotations

from pykafka_ops.broker.runtime.parts import Parts
from pykafka_ops.metrics.family import Book, Labels

_CLEANER = "kafka.log:LogCleaner"
_MANAGER = "kafka.log:LogCleanerManager"


def collect(parts: Parts, book: Book) -> None:
    """The last compactions, and logs that cannot be compacted."""
    figures = parts.cleaner.figures
    reports = list(figures.reports.values())
    book.bean(
        f"{_CLEANER}:max-clean-time-secs", "The longest of the last compaction of each thread"
    ).add(round(max((r.seconds for r in reports), default=0.0), 3))
    read = sum(r.bytes_read for r in reports)
    book.bean(
        f"{_CLEANER}:cleaner-recopy-percent",
        "Percent of the bytes read that were kept, of the same",
    ).add(round(100 * sum(r.bytes_written for r in reports) / read, 1) if read else 0)
    book.bean(
        f"{_MANAGER}:max-dirty-percent", "Percent of dirty bytes in the log that was compacted last"
    ).add(round(100 * figures.dirtiest, 1))
    if figures.looked_at is not None:
        book.bean(
            f"{_MANAGER}:time-since-last-run-ms", "Time since the last search for dirty logs, in ms"
        ).add(max(0, parts.services.clock() - figures.looked_at))
    uncleanable = book.bean(
        f"{_MANAGER}:uncleanable-partitions-count", "Logs that cannot be compacted"
    )
    size = book.bean(f"{_MANAGER}:uncleanable-bytes", "Bytes of logs that cannot be compacted")
    for data_dir in parts.logs.dirs:
        of = Labels(logDirectory=data_dir.path)
        failed = [log for log in parts.cleaner.uncleanable if log.place.home is data_dir.home]
        uncleanable.add(len(failed), of)
        size.add(sum(log.size for log in failed if log.is_open), of)
