"""From files to the state at an offset: the newest whole snapshot below it, then the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from pykafka_ops.commands.dump_log.segments import SegmentPath
from pykafka_ops.commands.quorum.image.files import (
    FOOTER,
    HEADER,
    LoggedRecord,
    MetadataFiles,
    MetadataSnapshot,
    records_of,
)
from pykafka_ops.commands.quorum.image.state import MetadataState, StateChange
from pykafka_ops.disk.salvage import DamagedBytes
from pykafka_ops.errors import PkoError

_MOST_NAMED = 10
END = 1 << 63


class DatedChange(NamedTuple):
    """A change, the record that made it, and when (ms)."""

    offset: int
    time: int
    change: StateChange


class MetadataReplay:
    """``state`` is that behind ``next`` - 1, the last record taken in, of ``time`` (ms) and
    ``epoch``; ``notes`` say what was passed over and why, one line each."""

    def __init__(self, files: MetadataFiles) -> None:
        self.files, self.state = files, MetadataState()
        self.next, self.time, self.epoch = 0, -1, -1
        self.damaged = self.log_ends_early = False
        self._unread: Counter[str] = Counter()
        self._lines: list[str] = []
        self._held: list[LoggedRecord] | None = None
        """Records of a transaction that has not ended (KIP-868)."""

    @property
    def notes(self) -> list[str]:
        """What went wrong."""
        unread = [
            f"{count} records passed over: {why}"
            for why, count in self._unread.most_common(_MOST_NAMED)
        ]
        held = len(self._held or ())
        tail = [f"{held} records of a transaction without an end left out"] if held else []
        return [*self._lines, *unread, *tail]

    def load(self, offset: int) -> None:
        """Begin with the newest snapshot that is whole and ends at ``offset`` or below, else with
        the beginning of the log. PkoError where neither is there."""
        for snapshot in sorted(self.files.snapshots, reverse=True):
            if snapshot.end <= offset and self._take(snapshot):
                return
        self._begin()
        first = next((s.base for s in self.files.segments if s.base is not None), None)
        if first != 0:
            least = min((s.end for s in self.files.snapshots), default=None)
            text = "nothing" if least is None else f"nothing below offset {least}"
            self._refuse(f"{text} can be told: the log does not begin at 0")

    def _refuse(self, text: str) -> None:
        raise PkoError("; ".join([*self._lines, text]))

    def _begin(self) -> None:
        self.state, self.next, self.time, self.epoch = MetadataState(), 0, -1, -1
        self._held = None
        self._unread.clear()

    def _take(self, snapshot: MetadataSnapshot) -> bool:
        """Whether it is whole; its state is taken in then."""
        self._begin()
        segment, last = SegmentPath(snapshot.path), ""
        try:
            for item in records_of(segment):
                if isinstance(item, DamagedBytes):
                    return self._torn(snapshot, item.reason)
                last = item.kind
                if item.kind == HEADER and item.fields:
                    self.time = item.fields["lastContainedLogTimestamp"]
                elif item.kind != FOOTER:
                    self._replay(item)
        except OSError as error:
            return self._torn(snapshot, error.strerror or "cannot be read")
        if last != FOOTER:
            return self._torn(snapshot, "it has no end")
        self.next, self.epoch = snapshot.end, snapshot.epoch
        return True

    def _torn(self, snapshot: MetadataSnapshot, why: str) -> bool:
        self.damaged = True
        self._lines.append(f"{snapshot.path}: torn snapshot, passed over: {why}")
        return False

    def run(self, end: int = END) -> Iterator[DatedChange]:
        """Take in the log below offset ``end``; what changes, where the state keeps a journal."""
        segments = self.files.segments
        following = [s.base for s in segments[1:]] + [END]
        for segment, behind in zip(segments, following, strict=True):
            if behind is not None and behind <= self.next:
                continue
            if self.next >= end or self.log_ends_early:
                return
            try:
                yield from self._segment(segment, end)
            except OSError as error:
                self._stop(segment, error.strerror or "cannot be read")

    def _stop(self, segment: SegmentPath, why: str) -> None:
        self.damaged = self.log_ends_early = True
        self._lines.append(f"{segment.path}: {why}; nothing from offset {self.next} on is shown")

    def _segment(self, segment: SegmentPath, end: int) -> Iterator[DatedChange]:
        for item in records_of(segment):
            if isinstance(item, DamagedBytes):
                return self._stop(segment, f"damage at byte {item.position}: {item.reason}")
            if item.offset < self.next:
                continue
            if item.offset >= end:
                return None
            if item.offset > self.next:
                return self._stop(segment, f"offset {item.offset} follows {self.next - 1}")
            self.next, self.time, self.epoch = item.offset + 1, item.time, item.epoch
            yield from self._step(item)
        return None

    def _step(self, item: LoggedRecord) -> Iterator[DatedChange]:
        """A record, or with the last of a transaction all of it."""
        if item.kind == "BEGIN_TRANSACTION_RECORD":
            self._held = []
        elif item.kind == "ABORT_TRANSACTION_RECORD":
            self._held = None
        elif item.kind == "END_TRANSACTION_RECORD":
            held, self._held = self._held or [], None
            for record in held:
                yield from self._replay(record)
        elif self._held is not None and item.kind.endswith("_RECORD"):
            self._held.append(item)
        else:
            yield from self._replay(item)

    def _replay(self, item: LoggedRecord) -> list[DatedChange]:
        if item.fields is None:
            self._unread[item.problem] += 1
            return []
        self.state.replay(item.kind, item.fields)
        changes = self.state.journal
        if not changes:
            return []
        found = [DatedChange(item.offset, item.time, change) for change in changes]
        changes.clear()
        return found

    def tree(self) -> dict[str, Any]:
        """The state with where it stands."""
        where = {"offset": self.next - 1, "epoch": self.epoch, "time": self.time}
        return {**self.state.tree, "provenance": where}
