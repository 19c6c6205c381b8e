"""``pko dump-log verify`` of one directory: its files, segment by segment, in one pass."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

from pykafka_ops.analysis.logs.rules import Aborted, EpochRules, epochs_rise
from pykafka_ops.commands.dump_log.checking.against import Against, CheckedPartition
from pykafka_ops.commands.dump_log.checking.report import FileDamage, FileReport
from pykafka_ops.commands.dump_log.checking.scan import SegmentScan
from pykafka_ops.commands.dump_log.items import items, small_text
from pykafka_ops.commands.dump_log.java import JavaError, first_number
from pykafka_ops.commands.dump_log.paths import CheckJob, kind_of
from pykafka_ops.disk import names
from pykafka_ops.disk.checkpoint import parse_epochs
from pykafka_ops.disk.snapshot import ProducerEntry, read_snapshot
from pykafka_ops.errors import CorruptError, StorageError

SIDE_KINDS = ("index", "timeindex", "txnindex")
_SUFFIX = {
    "index": names.INDEX_SUFFIX,
    "timeindex": names.TIME_INDEX_SUFFIX,
    "txnindex": names.TXN_INDEX_SUFFIX,
}


class How(NamedTuple):
    """Options of a check, see ``SegmentScan``."""

    deep: bool = False
    keep_going: bool = False


class PartitionCheck:
    """The check of one directory; ``run`` gives a report per file, in the order of the names."""

    def __init__(self, job: CheckJob, how: How, tell: Callable[[int], None] | None = None) -> None:
        self.job, self.how, self.tell = job, how, tell
        self.reports: dict[str, FileReport] = {}
        self.partition = CheckedPartition(0)
        self.end = 0
        self.bases: list[int] = []
        self.aborted: dict[int, list[Aborted]] = {}
        self._absent: set[str] = set()

    def run(self) -> list[FileReport]:
        """Check everything."""
        job = self.job
        for name in job.files:
            self.reports[name] = FileReport(self._path(name), kind_of(name))
        segments: dict[int, dict[str, FileReport]] = {}
        for name in job.files:
            parsed = names.parse_segment_file(name)
            report = self.reports[name]
            if report.kind in ("log", *SIDE_KINDS) and parsed is not None and not parsed.state:
                if len(name.partition(".")[0]) != 20:
                    report.problem("a segment's file is named after its first offset in 20 digits")
                segments.setdefault(parsed.offset, {})[report.kind] = report
            else:
                self._alone(report)
        self.bases = [base for base in sorted(segments) if "log" in segments[base]]
        if job.whole:
            self._prepare()
        for base in sorted(segments):
            self._segment(base, segments[base])
        self._finish()
        self._forget()
        return list(self.reports.values())

    def _forget(self) -> None:
        """A broker may delete or make files meanwhile: what is no longer so is no problem."""
        for name, report in list(self.reports.items()):
            if report.problems and os.path.lexists(report.file) == (name in self._absent):
                del self.reports[name]

    def _path(self, name: str) -> str:
        return os.path.join(self.job.folder, name)

    def _alone(self, report: FileReport) -> None:
        """A file that stands for itself."""
        kind = report.kind
        try:
            if not kind:
                report.problem("not a file that dump-log knows")
            elif kind == "log" or kind in SIDE_KINDS:
                self._lone_segment(report)
            else:
                report.size = os.path.getsize(report.file)
                found = items(report.file, deep=False, content=None, max_bytes=0)
                report.entries = sum(1 for _ in found)
        except OSError as e:
            report.unread(e.strerror or str(e))
        except (JavaError, CorruptError) as e:
            report.problem(str(e))

    def _lone_segment(self, report: FileReport) -> None:
        """A log of another state (.deleted, .cleaned, .swap, a KRaft snapshot) or of no name."""
        name = os.path.basename(report.file)
        base = 0 if name.endswith(names.CHECKPOINT_SUFFIX) else first_number(name)
        alone = CheckedPartition(base)
        if report.kind == "log":
            self._scan(report, Against(alone, base), base, None)
        else:
            report.size = os.path.getsize(report.file)
            found = items(report.file, deep=False, content=None, max_bytes=0)
            report.entries = sum(1 for _ in found)

    # -- what the whole directory says -----------------------------------------------------------

    def _prepare(self) -> None:
        epochs_report = self.reports.get(names.LEADER_EPOCH_CHECKPOINT)
        stored = self._stored_epochs(epochs_report) if epochs_report is not None else None
        snapshots = self._snapshots()
        start = self.bases[0] if self.bases else 0
        self.partition = CheckedPartition(start, EpochRules(stored), epochs_report, snapshots)

    def _stored_epochs(self, report: FileReport) -> list[tuple[int, int]] | None:
        """The entries of the checkpoint file if they can be used."""
        try:
            stored: list[tuple[int, int]] = [*parse_epochs(small_text(report.file), report.file)]
        except (CorruptError, JavaError):
            return None  # reported already
        reason = epochs_rise(stored)
        if reason:
            report.problem(reason)
            return None
        return stored

    def _snapshots(self) -> list[tuple[int, FileReport, list[ProducerEntry]]]:
        found = []
        for name, report in self.reports.items():
            parsed = names.parse_segment_file(name)
            if report.kind == "snapshot" and parsed is not None and not parsed.state:
                try:
                    with open(report.file, "rb") as file:
                        found.append((parsed.offset, report, read_snapshot(file.read())))
                except (CorruptError, OSError):
                    continue  # reported already
        return sorted(found, key=lambda row: row[0])

    # -- segment by segment ----------------------------------------------------------------------

    def _segment(self, base: int, found: dict[str, FileReport]) -> None:
        partition = self.partition
        sides: list[FileReport | None] = [found.get(kind) for kind in SIDE_KINDS]
        report = found.get("log")
        if report is None:
            self._orphans(base, found)
            return
        if self.job.whole:
            if base != self.end and base != self.bases[0]:
                partition.producers.gaps += 1
            for n, kind in enumerate(SIDE_KINDS[:2]):
                sides[n] = sides[n] or self._missing(base, kind)
        at = self.bases.index(base)
        ceiling = self.bases[at + 1] if self.job.whole and at + 1 < len(self.bases) else None
        present = [
            side if side and os.path.basename(side.file) not in self._absent else None
            for side in sides
        ]
        against = Against(partition, base, *present)
        scan = self._scan(report, against, base, ceiling)
        if scan is None:
            partition.trusted = False
            return
        self.end = scan.last + 1
        self.aborted[base] = partition.aborted
        if against.missing and self.job.whole:
            name = names.segment_file(base, names.TXN_INDEX_SUFFIX)
            self._absent.add(name)
            self.reports[name] = missing = FileReport(self._path(name), "txnindex")
            missing.problem(f"missing: {against.missing}")
        if report.damage is not None:
            partition.trusted = False

    def _missing(self, base: int, kind: str) -> FileReport:
        name = names.segment_file(base, _SUFFIX[kind])
        report = self.reports[name] = FileReport(self._path(name), kind)
        report.problem("missing: the broker makes it anew when it starts")
        self._absent.add(name)
        return report

    def _orphans(self, base: int, found: dict[str, FileReport]) -> None:
        """Index files whose log was not named with them, or is not there."""
        log = self._path(names.segment_file(base))
        alone = CheckedPartition(base)
        against = Against(alone, base, *(found.get(kind) for kind in SIDE_KINDS))
        if os.path.exists(log):
            SegmentScan(FileReport(log, "log"), against, base).run()
            return
        for report in found.values():
            report.problem(f"there is no log beside it: {log}")

    def _scan(
        self, report: FileReport, against: Against, base: int, ceiling: int | None
    ) -> SegmentScan | None:
        """The pass over a log; None where it cannot be read to its end."""
        deep, keep_going = self.how
        options = {"deep": deep, "keep_going": keep_going}
        try:
            scan = SegmentScan(report, against, base, ceiling=ceiling, tell=self.tell, **options)
            scan.run()
        except StorageError as e:
            report.unread(str(e))
            return None
        return scan

    def _finish(self) -> None:
        """Behind the last segment."""
        partition = self.partition
        if not self.bases or not self.job.whole:
            return
        partition.pass_snapshots(self.end)
        if not partition.trusted:
            return
        for offset, report, _ in partition.snapshots:
            report.problem(f"taken at offset {offset}, but the log ends at {self.end}")
        epochs, of_epochs = partition.epochs, partition.epochs_report
        for epoch, start in epochs.stored or ():
            if start > self.end and of_epochs is not None:
                of_epochs.problem(
                    f"epoch {epoch} from offset {start}, but the log ends at {self.end}"
                )

    def first_damage(self) -> tuple[int, FileDamage] | None:
        """(base offset of the segment, damage) of the first log that is damaged."""
        for base in self.bases:
            damage = self.reports[names.segment_file(base)].damage
            if damage is not None:
                return base, damage
        return None
