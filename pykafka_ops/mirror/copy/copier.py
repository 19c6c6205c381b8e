"""Copies partitions from one cluster to another, in rounds that each count as a whole.

One thread: fetches, rewriting and writing go on side by side over sockets that do not block; what
opens a round or ends it is asked and waited for. ``progress`` may be called from another thread.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Final

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.client.group_offsets import Committed
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.offsets import EARLIEST
from pykafka_ops.client.pipe import turn
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.mirror.copy.lane import TRY_AGAIN, CopyLane
from pykafka_ops.mirror.copy.rate import RateLimit
from pykafka_ops.mirror.copy.reader import SourceReader
from pykafka_ops.mirror.copy.rounds import FENCED, AbandonedError, RoundTerms, RoundWriter
from pykafka_ops.mirror.copy.source import CopySource
from pykafka_ops.mirror.copy.tasks import (
    CommitNote,
    CopyProgress,
    CopyTask,
    RoundResult,
    RoundState,
    SeatLike,
    note_of,
)
from pykafka_ops.mirror.naming import map_topic
from pykafka_ops.mirror.settings.model import LinkSettings
from pykafka_ops.wire.codes import ErrorCode as E
from pykafka_ops.wire.types import ZERO_UUID

QUEUED: Final = 8
"""Batches that an outlet is given ahead."""
TURN_SECONDS: Final = 0.05
OPENING_SECONDS: Final = 0.005
IDLE_SECONDS: Final = 0.2
"""A round without records ends after so long."""
LINGER: Final = {True: 0.1, False: 0.02}
"""Exactly once or not: seconds that a round lasts at least, for what it costs to end it."""
GAP_SECONDS: Final = 5.0
"""Positions that moved without records, over markers, are committed so often."""
MISSING_SECONDS: Final = 2.0
SOURCE_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 1.0
UNSETTLED_PAUSE: Final = 0.5
PATIENCE: Final = 2.0
"""Seconds to try while no broker of a cluster can be connected; the next round tries again."""
STOPS_SECONDS: Final = 0.1
_NOT_ATTEMPTED: Final = E.OPERATION_NOT_ATTEMPTED
_QUICK: Final = {
    "retry.backoff.ms": "10",
    "retry.backoff.max.ms": "500",
    "default.api.timeout.ms": "8000",
}


def quick_cluster(config: ClientConfig) -> Cluster:
    """A cluster whose calls try again soon, and give up before a round gets old."""
    made = ClientConfig(config.bootstrap, {**config.properties, **_QUICK})
    made.patience = PATIENCE
    return Cluster(made)


class Copier:
    """The data path of a link. ``assign`` says what to copy, ``round`` copies.

    Of the link it needs names, ``exactly_once``, ``too_large``, and how long and large rounds are.
    """

    def __init__(self, link: LinkSettings, source: CopySource, target: ClientConfig) -> None:
        self.link, self.source = link, source
        self.target = quick_cluster(target)
        self.lanes: dict[Partition, CopyLane] = {}
        self._by_target: dict[Partition, CopyLane] = {}
        self._rounds: RoundWriter | None = None
        self._ready = False
        now_ms = time.monotonic() * 1000
        self._limits = (
            RateLimit(link.bytes_per_second, now_ms),
            RateLimit(link.records_per_second, now_ms),
        )
        self._first = 0
        self._given = 0
        self._source_again = self._unsettled_again = self._gaps_at = self._stops_at = 0.0
        self._source_trouble: str | None = None
        self._failures = 0

    # --- what is told ----------------------------------------------------------------------------

    def assign(self, tasks: Mapping[Partition, CopyTask], seat: SeatLike | None) -> None:
        """Copy these source partitions from now on, as this member of the link's group.

        What is unchanged goes on. Nothing is in flight when it returns. ``seat`` None: no work.
        """
        if seat is None:
            tasks = {}
        kept = {
            source: self.lanes[source]
            for source, task in tasks.items()
            if source in self.lanes and self.lanes[source].task == task
        }
        if seat is not None:
            self._sit(seat)
        rounds = self._rounds
        if rounds is not None:
            rounds.writer.keep(lane.task.target for lane in kept.values())
            skip = self.link.too_large == "skip"
            for source, task in tasks.items():
                if source not in kept:
                    outlet = rounds.writer.outlet(task.target)
                    kept[source] = CopyLane(source, task, outlet, skip=skip)
        self.lanes = {source: kept[source] for source in tasks}
        self._by_target = {lane.task.target: lane for lane in self.lanes.values()}
        self.source.assign(self.lanes.values())
        self._unsettled_again = 0.0

    def _sit(self, seat: SeatLike) -> None:
        """Another seat: somebody else may have had our partitions, so positions are read again."""
        before = self._rounds
        if before is not None and before.seat == seat:
            return
        if before is not None and (before.seat.group, before.seat.slot) == (seat.group, seat.slot):
            before.seat = seat
            for lane in self.lanes.values():
                lane.deactivate()
            return
        terms = RoundTerms(map_topic(self.link.source), self.link.exactly_once)
        if before is not None:
            before.writer.pipes.close()
        self._rounds = RoundWriter(self.target, terms, seat)
        for lane in self.lanes.values():
            lane.outlet = self._rounds.writer.outlet(lane.task.target)
            lane.deactivate()
        self._ready = False

    def progress(self) -> dict[Partition, CopyProgress]:
        """How far each partition is."""
        now_ms = int(time.time() * 1000)
        return {source: lane.progress(now_ms) for source, lane in list(self.lanes.items())}

    def close(self) -> None:
        """Close all connections; what is open is aborted by its coordinator or the next process."""
        self.source.close()
        if self._rounds is not None:
            self._rounds.writer.pipes.close()
        self.target.close()

    # --- a round ---------------------------------------------------------------------------------

    def round(self) -> RoundResult:
        """Copy for about ``round_ms`` and commit; never raises for a cluster that is away."""
        rounds = self._rounds
        if rounds is None or not self.lanes:
            time.sleep(IDLE_SECONDS)
            return RoundResult("idle")
        try:
            result = self._round(rounds)
        except PkoError as error:
            return self._failed(error)
        self._failures = 0
        return result

    def _failed(self, error: PkoError) -> RoundResult:
        """Nothing of this round counts, or nobody knows: positions are read again."""
        self._ready = False
        self._stop_refused()
        if isinstance(error, KafkaError) and error.code in FENCED:
            return RoundResult("fenced", trouble=in_one_line(error))
        self._failures += 1
        if not isinstance(error, AbandonedError):
            time.sleep(min(0.05 * 2 ** min(self._failures, 10), LONGEST_PAUSE))
        return RoundResult("trouble", trouble=in_one_line(error))

    def _round(self, rounds: RoundWriter) -> RoundResult:
        if not self._ready:
            rounds.recover()
            for lane in self.lanes.values():
                lane.deactivate()
            self._ready, self._unsettled_again = True, 0.0
        begun = time.monotonic()
        self._given = 0
        while self._goes_on(begun):
            self._step(rounds, fill=True)
        lanes = list(self.lanes.values())
        rounds.drain(lambda: self._step(rounds, fill=False))
        if not self._counts(lanes) and not rounds.open:
            trouble = self._source_trouble
            return RoundResult("trouble" if trouble else "idle", trouble=trouble)
        rounds.commit(lanes, lambda: self._step(rounds, fill=False), int(time.time() * 1000))
        counts = [lane.commit() for lane in lanes if lane.active]
        records, size = (sum(column) for column in zip(*counts, strict=True))
        state: RoundState = "copied" if records else "idle"
        return RoundResult(state, records, size, self._source_trouble)

    def _goes_on(self, begun: float) -> bool:
        age = time.monotonic() - begun
        if self._given >= self.link.round_bytes or age >= self.link.round_ms / 1000:
            return False
        if self._given == 0:
            return age < IDLE_SECONDS
        return age < LINGER[self.link.exactly_once] or not all(
            lane.caught_up for lane in self.lanes.values()
        )

    def _counts(self, lanes: list[CopyLane]) -> bool:
        """Whether there is something to commit: records, or positions that moved for long."""
        if any(lane.wrote for lane in lanes):
            return True
        now = time.monotonic()
        if now - self._gaps_at < GAP_SECONDS or not any(lane.advanced for lane in lanes):
            return False
        self._gaps_at = now
        return True

    def _step(self, rounds: RoundWriter, *, fill: bool) -> None:
        """Let everything go on that can, and wait a little for the rest."""
        now = time.monotonic()
        if now >= self._unsettled_again:
            self._unsettled_again = now + UNSETTLED_PAUSE
            if not all(lane.active for lane in self.lanes.values()):
                self._begin_lanes(rounds)
        if fill or self._source_trouble is None:  # a round ends though the source is away
            self._read(now)
        rounds.writer.take(now)
        self._settle(rounds, now)
        if fill:
            self._fill(rounds, now)
        rounds.writer.send(now)
        sides = (self.source.pipes, rounds.writer.pipes)
        wait = OPENING_SECONDS if any(side.opening for side in sides) else TURN_SECONDS
        rest = self.source.rest(time.monotonic())
        broken = turn([*sides[0].open, *sides[1].open], min(wait, rest))
        for pipe, why in broken:
            if pipe in sides[0].open:
                self.source.broke(pipe, why)
            else:
                rounds.writer.broke(pipe, why, now)

    def _read(self, now: float) -> None:
        """Read on; the source may be away while what was read is written."""
        if now < self._source_again:
            return
        try:
            self.source.pump(now)
        except PkoError as error:
            self._source_trouble = f"the source: {in_one_line(error)}"
            spent = time.monotonic() - now
            self._source_again = now + 2 * spent + SOURCE_PAUSE
            return
        self._source_trouble = None

    def _fill(self, rounds: RoundWriter, now: float) -> None:
        """Give outlets what waits, a batch of each partition in turn."""
        ready = [lane for lane in self.lanes.values() if lane.waiting()]
        if not ready or any(limit.wait_ms(now * 1000) > 0 for limit in self._limits):
            return
        for target, error in rounds.admit(lane.task.target for lane in ready).items():
            for lane in ready:
                if lane.task.target == target:
                    self._refuses(lane, error, now)
        self._first += 1
        while ready and self._given < self.link.round_bytes:
            first = self._first % len(ready)
            ready = [lane for lane in ready[first:] + ready[:first] if self._give(rounds, lane)]
            if any(limit.wait_ms(now * 1000) > 0 for limit in self._limits):
                return

    def _give(self, rounds: RoundWriter, lane: CopyLane) -> bool:
        """One batch of a partition; False: no more of it now."""
        outlet = lane.outlet
        if outlet.load >= QUEUED or outlet.failure is not None:
            return False
        batch = lane.next()
        if batch is None:
            return False
        rounds.writer.put(outlet, batch)
        size = len(batch.data)
        self._given += size
        self._limits[0].take(size)
        self._limits[1].take(batch.count)
        return True

    def _settle(self, rounds: RoundWriter, now: float) -> None:
        """Take over what was acknowledged or refused."""
        writer = rounds.writer
        if writer.doubt is not None:
            raise writer.doubt
        for target, outlet in list(writer.news.items()):
            lane = self._by_target.get(target)
            if lane is not None and outlet.acked:
                lane.settle()
            if lane is None or outlet.failure is None:
                del writer.news[target]
            elif self.link.exactly_once:
                raise AbandonedError(
                    f"{lane.source[0]}-{lane.source[1]}: the target refuses: "
                    f"{in_one_line(outlet.failure)}"
                )
            elif not outlet.flying:
                self._refuses(lane, outlet.failure, now)
                del writer.news[target]
        if now >= self._stops_at:
            self._stops_at = now + STOPS_SECONDS
            for lane in self.lanes.values():
                lane.stops(now)

    def _refuses(self, lane: CopyLane, error: PkoError, now: float) -> None:
        """A topic that is missing may be there soon; other reasons last."""
        passes = getattr(error, "code", 0) in (E.UNKNOWN_TOPIC_OR_PARTITION, _NOT_ATTEMPTED)
        after = MISSING_SECONDS if passes else TRY_AGAIN
        lane.give_up(f"the target refuses: {in_one_line(error)}", now, after=after)

    def _stop_refused(self) -> None:
        now = time.monotonic()
        for lane in refused(self.lanes.values()):
            if lane.outlet.failure is not None:
                self._refuses(lane, lane.outlet.failure, now)

    # --- where lanes begin -----------------------------------------------------------------------

    def _begin_lanes(self, rounds: RoundWriter) -> None:
        """Read the positions of those that do not know theirs."""
        now = time.monotonic()
        found = rounds.positions(lane.task.target for lane in self.lanes.values())
        fresh: dict[Partition, tuple[int, CommitNote]] = {}
        for source, lane in self.lanes.items():
            if lane.active:
                continue
            known = found.get(lane.task.target)
            if isinstance(known, KafkaError):
                if known.code != E.UNSTABLE_OFFSET_COMMIT:
                    lane.stop(f"its position is not known: {in_one_line(known)}", now)
            elif known is None:
                start = lane.task.start
                fresh[source] = start, CommitNote(lane.task.topic_id, life=_life(start))
            else:
                self._begin_at(lane, known, fresh)
        if fresh:
            self._begin_fresh(fresh, now)

    def _begin_at(
        self, lane: CopyLane, known: Committed, fresh: dict[Partition, tuple[int, CommitNote]]
    ) -> None:
        note = note_of(known)
        wanted = lane.task.topic_id
        if ZERO_UUID not in (note.topic_id, wanted) and note.topic_id != wanted:
            lane.note = "the source's topic was made anew: it is copied from its beginning"
            life = max(note.life + 1, _life(EARLIEST))
            fresh[lane.source] = EARLIEST, CommitNote(wanted, life=life)
            return
        if note.topic_id == ZERO_UUID:
            note = note._replace(topic_id=wanted)
        lane.begin(known.offset, note)

    def _begin_fresh(self, fresh: Mapping[Partition, tuple[int, CommitNote]], now: float) -> None:
        wanted = {source: start for source, (start, _) in fresh.items()}
        found = self.source.starts(wanted)
        for source, (_, note) in fresh.items():
            at = found.get(source)
            if isinstance(at, int):
                self.lanes[source].begin(at, note)
            elif at is not None:
                self.lanes[source].stop(f"where it begins is not known: {in_one_line(at)}", now)


def refused(lanes: Iterable[CopyLane]) -> list[CopyLane]:
    """Those whose records the target refuses. Of the partitions of one request that it verifies as
    part of a transaction, Apache Kafka 4 refuses those that it finds good, too, where it finds one
    that is not (KIP-890): they count only where that one is not known."""
    failed = [lane for lane in lanes if lane.outlet.failure is not None]
    to_blame = [
        lane for lane in failed if getattr(lane.outlet.failure, "code", 0) != _NOT_ATTEMPTED
    ]
    return to_blame or failed


def copier_of(link: LinkSettings, source: ClientConfig, target: ClientConfig) -> Copier:
    """A copier between two clusters."""
    reader = SourceReader(quick_cluster(source), read_committed=link.read_committed)
    return Copier(link, reader, target)


def _life(start: int) -> int:
    """Runs of a partition that begins by itself replace those of a topic that had its name; one
    that begins at a given offset goes on with the map it has."""
    return 0 if start >= 0 else int(time.time() * 1000)
