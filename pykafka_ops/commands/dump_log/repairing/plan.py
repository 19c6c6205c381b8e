"""What ``pko dump-log repair`` would do to a partition's directory, worked out from its check.

A log is cut where a broker's recovery would cut it, later segments go with it; what can be made
from the log is made anew; snapshots that are wrong are removed, as the broker makes new ones.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import cache
from struct import Struct
from typing import NamedTuple

from pykafka_ops.analysis.logs.rules import Aborted, epoch_entries
from pykafka_ops.commands.dump_log.checking.partition import How, PartitionCheck
from pykafka_ops.commands.dump_log.checking.report import FileReport
from pykafka_ops.commands.dump_log.log_file import LogFile
from pykafka_ops.commands.dump_log.paths import CheckJob
from pykafka_ops.commands.dump_log.printing.legacy import message_header
from pykafka_ops.disk import names
from pykafka_ops.disk.checkpoint import format_epochs, parse_epochs
from pykafka_ops.disk.index import OffsetIndex, TimeIndex
from pykafka_ops.disk.txn_index import AbortedTxn, pack_aborted, read_txn_index
from pykafka_ops.errors import CorruptError, StorageError

_SIDES = (names.INDEX_SUFFIX, names.TIME_INDEX_SUFFIX, names.TXN_INDEX_SUFFIX)
#: ``index.interval.bytes``: as many bytes of log between two entries.
_INTERVAL = 4096
_HEADER = Struct(">qiibIhiqq")


class RepairStep(NamedTuple):
    """One change. ``action``: "cut" (at byte ``position``), "remove" or "write" (``content``
    gives the bytes once the log is cut). ``taken``: bytes of log that go."""

    action: str
    name: str
    why: str
    position: int = 0
    content: Callable[[], bytes] | None = None
    taken: int = 0


class RepairPlan:
    """The steps for one directory, in order; ``left`` are problems that stay, (file, text);
    ``lost`` are the first offset that is cut and the one behind the last that could be read."""

    def __init__(self, job: CheckJob, tell: Callable[[int], None] | None = None) -> None:
        self.folder = job.folder
        self.steps: list[RepairStep] = []
        self.left: list[tuple[str, str]] = []
        self.lost: tuple[int, int] | None = None
        check = self._check = PartitionCheck(job, How(), tell)
        for report in check.run():
            if report.unreadable:
                raise StorageError(f"{report.file}: {report.problems[-1]}; nothing was changed")
        self.logs = list(check.bases)
        self._cut_base, self._cut_at, self.end = -1, -1, check.end
        if check.bases:
            self._cut()
            for base in self.logs:
                self._indexes(base)
            self._orphans()
            self._snapshots()
            self._epochs()
        self._left()

    @property
    def loses_state(self) -> bool:
        """Whether the broker must not believe that it stopped cleanly."""
        lost = (names.SNAPSHOT_SUFFIX, names.LOG_SUFFIX)
        return any(step.name.endswith(lost) for step in self.steps)

    def _report(self, name: str) -> FileReport | None:
        return self._check.reports.get(name)

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    @property
    def taken(self) -> int:
        """Bytes of log that go."""
        return sum(step.taken for step in self.steps)

    def _remove(self, name: str, why: str, taken: int = 0) -> None:
        if os.path.exists(self._path(name)):
            self.steps.append(RepairStep("remove", name, why, taken=taken))

    def _cut(self) -> None:
        """The log ends at the first damage; what comes behind it goes."""
        found = self._check.first_damage()
        if found is None:
            return
        base, damage = found
        self._cut_base, self._cut_at = base, damage.position
        self.lost = damage.offset, max(damage.offset, self.end)
        self.end = max(base, damage.offset)
        later = [other for other in self.logs if other > base]
        for other in reversed(later):
            name = names.segment_file(other)
            report = self._check.reports[name]
            batches = f"{report.entries} batches" if report.entries else "nothing readable"
            self._remove(name, f"comes after the damage; {batches}", taken=report.size)
            for suffix in _SIDES:
                self._remove(names.segment_file(other, suffix), "its log is removed")
        self.logs = [other for other in self.logs if other <= base]
        report = self._check.reports[names.segment_file(base)]
        behind = report.readable()
        why = report.problems[0].partition(": ")[2]
        if behind:
            why += f"; {behind} readable batches behind it are cut, too"
        taken = report.size - damage.position
        name = names.segment_file(base)
        self.steps.append(RepairStep("cut", name, why, damage.position, taken=taken))

    def _indexes(self, base: int) -> None:
        """The three indexes of a segment that stays."""
        log = self._path(names.segment_file(base))
        cut = base == self._cut_base
        size = self._cut_at if cut else self._check.reports[names.segment_file(base)].size
        both = cache(lambda: _indexes(log, base, size))
        for suffix, make in zip(_SIDES, (lambda: both()[0], lambda: both()[1]), strict=False):
            name = names.segment_file(base, suffix)
            why = self._why(name, cut=cut)
            if why:
                self.steps.append(RepairStep("write", name, why, content=make))
        name = names.segment_file(base, names.TXN_INDEX_SUFFIX)
        known = any(t.first_known and t.last_offset < self.end for t in self._aborted(base))
        why = self._why(name, cut=cut and (known or os.path.exists(self._path(name))))
        if why:
            self.steps.append(RepairStep("write", name, why, content=self._txn_maker(name, base)))

    def _why(self, name: str, *, cut: bool) -> str:
        report = self._report(name)
        if cut:
            return "its log is cut"
        return report.problems[0] if report is not None and report.problems else ""

    def _txn_maker(self, name: str, base: int) -> Callable[[], bytes]:
        aborted = self._aborted(base)
        try:
            with open(self._path(name), "rb") as file:
                stored = read_txn_index(file.read())
        except OSError:
            stored = []
        end = self.end
        return lambda: _transactions(aborted, stored, end)

    def _aborted(self, base: int) -> list[Aborted]:
        return self._check.aborted.get(base, [])

    def _orphans(self) -> None:
        """Index files without a log: Kafka deletes them when it starts."""
        for name in self._check.reports:
            parsed = names.parse_segment_file(name)
            if parsed is None or parsed.state or parsed.suffix not in _SIDES:
                continue
            if parsed.offset not in self._check.bases:
                self._remove(name, "there is no log beside it")

    def _snapshots(self) -> None:
        for name, report in self._check.reports.items():
            parsed = names.parse_segment_file(name)
            if report.kind != "snapshot" or parsed is None or parsed.state:
                continue
            if report.problems:
                self._remove(name, report.problems[0])
            elif parsed.offset > self.end:
                self._remove(name, f"taken at offset {parsed.offset}, beyond the log's new end")

    def _epochs(self) -> None:
        """The leader epochs: those of the file if it is sound, else those of the batches."""
        name = names.LEADER_EPOCH_CHECKPOINT
        report = self._report(name)
        if report is None:
            return
        epochs = self._check.partition.epochs
        if report.problems:
            entries = epoch_entries(epochs.seen, self.end)
            why = report.problems[0]
        elif self._cut_base >= 0:
            # Where records were deleted, the file's first epoch may begin behind the new end.
            entries = epoch_entries(self._stored(report), self.end)
            entries = entries or epoch_entries(epochs.seen, self.end)
            why = "entries at and beyond the log's new end"
            if entries == self._stored(report):
                return
        else:
            return
        data = format_epochs(entries).encode()
        self.steps.append(RepairStep("write", name, why, content=lambda: data))

    def _stored(self, report: FileReport) -> list[tuple[int, int]]:
        try:
            with open(report.file, encoding="utf-8", errors="replace") as file:
                return [*parse_epochs(file.read(), report.file)]
        except (OSError, CorruptError):
            return []

    def _left(self) -> None:
        """Problems that none of the steps takes away."""
        changed = {step.name for step in self.steps}
        for name, report in self._check.reports.items():
            damage = report.damage
            for text in report.problems:
                if name not in changed or (
                    report.kind == "log" and damage is not None and _before(text, damage.position)
                ):
                    self.left.append((report.file, text))


def _before(text: str, position: int) -> bool:
    """Whether a problem of a log lies before the place where it is cut."""
    words = text.split(":", 1)[0].split()
    return words[:2] == ["at", "position"] and int(words[2]) < position


def _indexes(path: str, base: int, end: int) -> tuple[bytes, bytes]:
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
        if position - indexed_at > _INTERVAL:
            offsets.append(last, position)
            times.append(latest, latest_at)
            indexed_at = position
    if latest > times.last_entry[0]:
        times.append(latest, latest_at)
    return offsets.to_bytes(), times.to_bytes()


def _transactions(aborted: Iterable[Aborted], stored: Iterable[AbortedTxn], end: int) -> bytes:
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
        if found and 0 <= found.first_offset <= found.last_offset and not found.version >> 8:
            rows.append(found)
    return b"".join(map(pack_aborted, rows))
