"""One partition on its way from source to target: where it is read, what waits, what is done.

Offsets of the source: ``position`` is read next, ``acked`` is written at the target up to there,
``committed`` counts after a restart. Pure: ``now`` are monotonic seconds, ``now_ms`` is the time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final

from pykafka_ops.client.leaders import Partition
from pykafka_ops.errors import CorruptBatchError, PkoError
from pykafka_ops.mirror.copy.outlet import Acked, TargetOutlet
from pykafka_ops.mirror.copy.pieces import NOTHING, RecordTooLargeError, TargetBatch
from pykafka_ops.mirror.copy.rewrite import Rewriter
from pykafka_ops.mirror.copy.tasks import CommitNote, CopyProgress, CopyTask

TRY_AGAIN: Final = 10.0
"""Seconds after which a partition that stopped is tried again the first time."""
LONGEST_STOP: Final = 300.0
QUIET: Final = 0.05


class CopyLane:
    """One partition. ``trouble``: why it does not go on now; it is tried again at ``again_at``.
    ``note``: what somebody should know though it goes on. ``active``: positions are known."""

    def __init__(
        self, source: Partition, task: CopyTask, outlet: TargetOutlet, *, skip: bool
    ) -> None:
        self.source, self.task, self.outlet = source, task, outlet
        self.skip = skip
        self.active = False
        self.position = self.handed = self.acked = self.committed = -1
        self.commit_note = CommitNote(task.topic_id)
        self.source_end = self.target_end = self.last_ms = -1
        self.epoch = self._handed_epoch = -1
        """Leader epochs: of the last record that is written, that was given to the outlet."""
        self.records = self.bytes = self.skipped = self.lost = 0
        self.trouble: str | None = None
        self.note: str | None = None
        self.again_at = self.quiet_until = 0.0
        self._lost_to = 0
        self._waiting_bytes = 0
        self._tries = self._skipping = 0
        self._batches: deque[TargetBatch] = deque()
        self._round: list[Acked] = []
        self.rewind()

    # --- reading ---------------------------------------------------------------------------------

    def begin(self, position: int, note: CommitNote) -> None:
        """Positions are known: the next offset to copy, and what the commit said."""
        self.handed = self.acked = self.committed = position
        self.epoch = self._handed_epoch = note.epoch
        self.commit_note = note
        self.active = True
        self.rewind()

    def deactivate(self) -> None:
        """Positions are no longer known: nothing is read or written until they are."""
        self.active = False
        self.forget_round()

    def rewind(self) -> None:
        """Read again from what the outlet was given on; what waits here is forgotten."""
        self._batches.clear()
        self._waiting_bytes = 0
        self.position = self.handed
        self._ahead: PkoError | None = None
        self._rewriter = Rewriter(self.position, self.task.limits, skip_too_large=self.skip)
        self._rewriter.epoch = self._handed_epoch

    @property
    def read_epoch(self) -> int:
        """The leader epoch of the record before ``position``, written or not; -1: not known. A
        leader that is asked with an older one says that its log was cut off (KIP-595)."""
        return self._rewriter.epoch

    def forget_round(self) -> None:
        """Nothing of this round counts: read again from what is committed on."""
        self._round.clear()
        self._skipping = 0
        self.handed = self.acked = self.committed
        self.epoch = self._handed_epoch = self.commit_note.epoch
        self.rewind()

    def take(self, data: memoryview, aborted: Sequence[tuple[int, int]] | None) -> None:
        """What the source's leader gave from ``position`` on. Trouble with it stops the partition
        once what comes before is written (``stops``)."""
        before = self._rewriter.position
        trouble: PkoError | None = None
        try:
            for batch in self._rewriter.pieces(data, aborted):
                self._batches.append(batch)
                self._waiting_bytes += len(batch.data)
        except (CorruptBatchError, RecordTooLargeError) as error:
            trouble = error
        self.position = self._rewriter.position
        if trouble is None and self.position == before and len(data) > 0:
            trouble = _nothing_new(data, self.position)
        self._ahead = trouble

    def stops(self, now: float) -> None:
        """Stop if there is trouble ahead and nothing before it is left to write."""
        if self._ahead is not None and not self._batches and not self.outlet.load:
            self.stop(str(self._ahead), now)

    def stop(self, why: str, now: float, *, after: float = TRY_AGAIN) -> None:
        """Do not go on for ``after`` seconds, longer each time; what waits is forgotten."""
        self.trouble, self.again_at = why, now + min(after * 2**self._tries, LONGEST_STOP)
        self._tries = min(self._tries + 1, 10)
        self.rewind()

    @property
    def caught_up(self) -> bool:
        """Whether nothing waits here, and the source had no more when it was asked last."""
        if not self.active or self.trouble is not None:
            return True
        return not self._batches and self.position >= self.source_end

    @property
    def drained(self) -> bool:
        """Whether all that was read is written."""
        return not self._batches and not self.outlet.load

    def move(self, offset: int, note: str | None, now: float) -> None:
        """Go on from ``offset``, for the source's log does not have the position. Waits until what
        was read is written."""
        if not self.drained:
            self.quiet_until = now + QUIET
            return
        if offset > self.position:
            self.lost += offset - max(self.position, min(self._lost_to, offset))
            self._lost_to = max(self._lost_to, offset)
        self.note = note
        self.handed = self.acked = offset
        self.epoch = self._handed_epoch = -1
        self.rewind()

    def give_up(self, why: str, now: float, *, after: float = TRY_AGAIN) -> None:
        """The target refuses: stop, and begin again behind what is acknowledged."""
        self.outlet.give_up()
        self.handed, self._handed_epoch = self.acked, self.epoch
        self.stop(why, now, after=after)

    def may_read(self, now: float) -> bool:
        """Whether it is to be read now."""
        stopped = self.trouble is not None and now < self.again_at
        return self.active and self._ahead is None and not stopped and now >= self.quiet_until

    @property
    def buffered(self) -> int:
        """Bytes that were read and are not acknowledged."""
        return self._waiting_bytes + self.outlet.bytes

    # --- writing ---------------------------------------------------------------------------------

    def waiting(self) -> bool:
        """Whether records wait to be given to the outlet. Stretches without are done with here."""
        if not self.active:
            return False
        while self._batches and not self._batches[0].count:
            gap = self._batches.popleft()
            self._hand(gap)
            self._pass(gap)
        return bool(self._batches)

    def next(self) -> TargetBatch | None:
        """The next batch for the outlet; None: there is none now."""
        if not self.waiting():
            return None
        batch = self._batches.popleft()
        self._hand(batch)
        self._waiting_bytes -= len(batch.data)
        return batch

    def _hand(self, batch: TargetBatch) -> None:
        self.handed = max(self.handed, batch.next_offset)
        self._handed_epoch = batch.leader_epoch

    def _pass(self, gap: TargetBatch) -> None:
        last = self.outlet.last
        self._skipping += gap.skipped
        if last is None:
            self._reached(gap.next_offset, gap.leader_epoch)
        else:
            last.next_offset, last.leader_epoch = gap.next_offset, gap.leader_epoch

    def settle(self) -> int:
        """Take over what the outlet says is written; how many batches."""
        acked = self.outlet.acked
        count = len(acked)
        while acked:
            done = acked.popleft()
            self._reached(done.batch.next_offset, done.batch.leader_epoch)
            self._round.append(Acked(_without_data(done.batch), done.offset))
        return count

    def _reached(self, offset: int, epoch: int) -> None:
        self.acked = max(self.acked, offset)
        self.epoch = epoch

    # --- committing ------------------------------------------------------------------------------

    @property
    def runs(self) -> list[tuple[int, int, int]]:
        """What this round wrote: source offset, target offset, count."""
        return [
            (run.source_offset, done.offset + run.target_relative, run.length)
            for done in self._round
            if done.offset >= 0
            for run in done.batch.runs
        ]

    @property
    def advanced(self) -> bool:
        """Whether there is something to commit."""
        return self.active and self.acked != self.committed

    @property
    def wrote(self) -> bool:
        """Whether this round wrote records."""
        return bool(self._round)

    def commit(self) -> tuple[int, int]:
        """This round counts: its records and bytes."""
        self.committed = self.acked
        self.commit_note = self.commit_note._replace(epoch=self.epoch)
        records = sum(done.batch.count for done in self._round)
        size = sum(done.batch.source_bytes for done in self._round)
        for done in self._round:
            self.last_ms = done.batch.last_ms
            if done.offset >= 0:
                self.target_end = done.offset + done.batch.count
        self.skipped += self._skipping
        self._skipping = 0
        self.records += records
        self.bytes += size
        if self._round:
            self.trouble, self._tries = None, 0
        self._round.clear()
        return records, size

    def progress(self, now_ms: int) -> CopyProgress:
        """How far it is."""
        lag = max(0, self.source_end - self.committed) if self.source_end >= 0 else -1
        span = max(1, self.records)
        return CopyProgress(
            position=self.committed,
            source_end=self.source_end,
            target_end=self.target_end,
            records=self.records,
            bytes=self.bytes,
            last_record_ms=self.last_ms,
            lag_bytes=-1 if lag < 0 or (lag and not self.records) else lag * self.bytes // span,
            lag_ms=_age(lag, self.last_ms, now_ms),
            skipped=self.skipped,
            lost=self.lost,
            trouble=self.trouble,
            note=self.note,
        )


def _age(lag: int, last_ms: int, now_ms: int) -> int:
    if lag == 0:
        return 0
    return -1 if lag < 0 or last_ms < 0 else max(0, now_ms - last_ms)


def _without_data(batch: TargetBatch) -> TargetBatch:
    """Let go of the answer that the batch lies in."""
    batch.data = NOTHING
    return batch


def _nothing_new(data: memoryview, position: int) -> PkoError | None:
    """An answer that never gets on would be asked for for ever."""
    if len(data) < 17 or int.from_bytes(data[8:12], "big") + 12 > len(data):
        return None  # the first batch is cut: it comes whole when the partition is asked first
    return CorruptBatchError(f"the source gives nothing at offset {position} but older batches")
