"""Compacted logs in memory, cleaned in this process, and what a cleaned log must hold."""

from __future__ import annotations

from typing import Any

from pykafka_ops.broker.storage.cleaner.clean import Compaction
from pykafka_ops.broker.storage.cleaner.job import CleanedSegment, CompactionJob, CompactionReport
from pykafka_ops.broker.storage.files import Files
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record, iter_records
from tests.support.memory.logs import NOW, World

COMPACT = frozenset({"compact"})


class CleanWorld(World):
    """A log of policy ``compact`` with small segments."""

    def __init__(self, **config: Any) -> None:
        config.setdefault("cleanup_policy", COMPACT)
        config.setdefault("segment_bytes", 500)
        super().__init__(**config)

    def put(self, *pairs: tuple[str, str | None], **batch: Any) -> int:
        """One batch of (key, value); the offset of its first record."""
        records = [
            Record(n, NOW + n, k.encode(), None if v is None else v.encode())
            for n, (k, v) in enumerate(pairs)
        ]
        data = memoryview(build_batch(records, **batch))
        return self.log.append_as_leader(data, leader_epoch=0, now=self.now).first_offset

    def replicated(self) -> None:
        """Everything is below the high watermark."""
        self.log.raise_high_watermark(self.log.log_end_offset)

    def job(self, **limits: Any) -> CompactionJob:
        self.replicated()
        found = self.log.compaction.cleanable(self.now)
        job = self.log.compaction.job(found, self.now, **limits)
        return CompactionJob.from_json(job.to_json())

    def clean(self, **limits: Any) -> CompactionReport:
        """One pass, as the broker and the cleaner's process do it together."""
        return clean(self.files, self.log, self.job(**limits))


def clean(files: Files, log: Log, job: CompactionJob) -> CompactionReport:
    """Run ``job`` and put each cleaned segment in place."""

    def emit(cleaned: CleanedSegment) -> None:
        swap = log.compaction.put_in_place(cleaned)
        assert swap is not None
        for gone in swap.old:
            gone.close()
        swap.run()
        swap.done()
        swap.settle()
        swap.removal().run()

    report = Compaction(files, job, emit).run()
    log.compaction.cleaned_to = report.end_offset
    return report


def batches(log: Log) -> list[tuple[BatchHeader, bytes]]:
    """Header and bytes of every batch on disk, in order."""
    return [
        (header, segment.log.read(header.size, at))
        for segment in log.segments
        for at, header in segment.batches()
    ]


def records(log: Log) -> list[tuple[int, bytes | None, bytes | None]]:
    """(offset, key, value) of every data record on disk, in order."""
    return [
        (r.offset, r.key, r.value)
        for header, data in batches(log)
        if not header.is_control
        for r in iter_records(data, 0, header)
    ]
