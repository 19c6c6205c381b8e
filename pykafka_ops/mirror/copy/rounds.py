"""Rounds: batches, the offset map and positions that count together, or at least in this order.

Exactly once: all of it is one transaction at the target (KIP-98), whose offsets are refused from a
member that is none any more (KIP-447). At least once: the same steps, one after the other.

What fills a round need not come from a cluster: whoever has lanes may use :class:`RoundWriter`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from pykafka_ops.client.answers import raise_error
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.client.group_offsets import Committed, commit_offsets, fetch_offsets
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.topic_changes import NewTopic, create_topics
from pykafka_ops.client.transactional import TransactionalProducer, producer_id
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.mirror.copy.lane import CopyLane
from pykafka_ops.mirror.copy.outlet import TargetOutlet
from pykafka_ops.mirror.copy.pieces import SourceRun, TargetBatch
from pykafka_ops.mirror.copy.tasks import SeatLike, committed
from pykafka_ops.mirror.copy.writer import Producer, TargetWriter
from pykafka_ops.mirror.offsets.records import PARTITIONS, map_records
from pykafka_ops.wire.codes import ErrorCode as E

TRANSACTION_MS: Final = 60_000
"""After so long the coordinator aborts what a process left open when it died."""
DRAIN_SECONDS: Final = 40.0
MAP_BATCH: Final = 512
"""Records of the map in one batch; each has up to 16 kB."""
FENCED: Final = frozenset((E.ILLEGAL_GENERATION, E.UNKNOWN_MEMBER_ID, E.FENCED_INSTANCE_ID))
"""Errors that say: join the group again."""


class RoundTerms(NamedTuple):
    """How a link writes: the topic of its map (None: no map), and whether exactly once."""

    map_topic: str | None
    exactly_once: bool


class AbandonedError(PkoError):
    """A round does not count: it is aborted, and what it read is read again."""


class RoundWriter:
    """Writes what lanes hold, in rounds. ``recover`` first, and after anything that was raised.

    All methods raise PkoError where the target is away or refuses.
    """

    def __init__(self, cluster: Cluster, terms: RoundTerms, seat: SeatLike) -> None:
        self.cluster, self.terms, self.seat = cluster, terms, seat
        self.writer = TargetWriter(cluster, Producer(-1, -1))
        self._transaction: TransactionalProducer | None = None
        self._members: set[Partition] = set()
        self._offsets_take_part = False
        self._map_partitions = PARTITIONS

    def recover(self) -> None:
        """Become a producer that nobody knows: what was open is aborted, who was before fenced."""
        self._members.clear()
        self._offsets_take_part = False
        if self.terms.exactly_once:
            name = f"{self.seat.group}.{self.seat.slot}"
            made = TransactionalProducer(self.cluster, name, TRANSACTION_MS)
            self._transaction = made
            self.writer.begin_as(Producer(made.producer_id, made.epoch, name))
        else:
            self.writer.begin_as(Producer(*producer_id(self.cluster)))
        self._find_map()

    @property
    def open(self) -> bool:
        """Whether a transaction has begun."""
        return self._transaction is not None and bool(self._members)

    def positions(self, targets: Iterable[Partition]) -> dict[Partition, Committed | KafkaError]:
        """What the group has committed for these partitions; UNSTABLE_OFFSET_COMMIT where a
        transaction is about to change it, be it the first one."""
        group, stable = self.seat.group, self.terms.exactly_once
        found = fetch_offsets(self.cluster, [group], stable=stable, only=targets)[group]
        if isinstance(found, PkoError):
            raise found
        return found

    def admit(self, targets: Iterable[Partition]) -> dict[Partition, KafkaError]:
        """Have partitions take part in this round, before anything is put there: those that are
        refused, and why."""
        new = [target for target in targets if target not in self._members]
        if self._transaction is None or not new:
            self._members.update(new)
            return {}
        refused = self._transaction.refused(new)
        if not refused:
            self._members.update(new)
            return {}
        named = {p: e for p, e in refused.items() if e.code != E.OPERATION_NOT_ATTEMPTED}
        for error in named.values():
            if error.code not in (E.TOPIC_AUTHORIZATION_FAILED, E.UNKNOWN_TOPIC_OR_PARTITION):
                raise error
        rest = [target for target in new if target not in named]
        return {**named, **(self.admit(rest) if named else refused)}

    def commit(self, lanes: Sequence[CopyLane], step: Callable[[], None], now_ms: int) -> None:
        """What the lanes have written in this round counts, with the map and the positions.

        ``step`` lets the pipes go on, and waits for them a little. Raises AbandonedError where
        something is not written in time or refused.
        """
        self.drain(step)
        for outlet in self._write_map(lanes, now_ms):
            self.drain(step)
            if outlet.failure is not None:
                raise outlet.failure
        offsets = {
            lane.task.target: committed(lane.acked, lane.commit_note._replace(epoch=lane.epoch))
            for lane in lanes
            if lane.advanced
        }
        if self._transaction is not None:
            self._end(self._transaction, offsets)
        elif offsets:
            self._commit_offsets(offsets)
        self._members.clear()
        self._offsets_take_part = False

    def drain(self, step: Callable[[], None]) -> None:
        """Until everything is acknowledged."""
        until = time.monotonic() + DRAIN_SECONDS
        while self.writer.busy or self.writer.news:
            step()
            if self.writer.doubt is not None:
                raise self.writer.doubt
            if time.monotonic() > until:
                raise AbandonedError(
                    f"the target did not acknowledge everything within {DRAIN_SECONDS:.0f} s"
                )

    # --- how -------------------------------------------------------------------------------------

    def _end(self, transaction: TransactionalProducer, offsets: dict[Partition, Committed]) -> None:
        if offsets:
            if not self._offsets_take_part:
                transaction.add_offsets(self.seat.group)
                self._offsets_take_part = True
            member = self.seat.member_id, self.seat.generation
            self._check(transaction.commit_offsets(self.seat.group, offsets, member))
        if offsets or self._members:
            transaction.end(commit=True)

    def _commit_offsets(self, offsets: dict[Partition, Committed]) -> None:
        results = commit_offsets(
            self.cluster,
            self.seat.group,
            offsets,
            member_id=self.seat.member_id,
            generation=self.seat.generation,
        )
        if isinstance(results, PkoError):
            raise results
        self._check({place: error for place, error in results.items() if error is not None})

    def _check(self, refused: dict[Partition, KafkaError]) -> None:
        """Offsets that were refused: those of a topic that is gone, or may not be read, stop that
        partition alone."""
        for target, error in refused.items():
            if error.code not in (E.TOPIC_AUTHORIZATION_FAILED, E.UNKNOWN_TOPIC_OR_PARTITION):
                raise error
            self.writer.outlet(target).failure = error
        if refused:
            (topic, number), error = next(iter(refused.items()))
            raise AbandonedError(
                f"the target refuses the position of {topic}-{number}: {in_one_line(error)}"
            )

    def _write_map(self, lanes: Sequence[CopyLane], now_ms: int) -> list[TargetOutlet]:
        """Queue what this round adds to the map; where it was queued."""
        topic = self.terms.map_topic
        if topic is None:
            return []
        by_place: dict[int, list[Record]] = {}
        for lane in lanes:
            if runs := lane.runs:
                place, records = map_records(
                    lane.task.target,
                    runs,
                    now_ms,
                    life=lane.commit_note.life,
                    partitions=self._map_partitions,
                )
                by_place.setdefault(place, []).extend(records)
        targets = [(topic, place) for place in by_place]
        for error in self.admit(targets).values():
            raise error
        outlets = [self.writer.outlet((topic, place)) for place in by_place]
        for outlet, records in zip(outlets, by_place.values(), strict=True):
            outlet.acked.clear()
            for n in range(0, len(records), MAP_BATCH):
                part = [r._replace(offset=i) for i, r in enumerate(records[n : n + MAP_BATCH])]
                data = memoryview(build_batch(part))
                self.writer.put(outlet, TargetBatch(data, (SourceRun(0, 0, len(part)),), 0))
        return outlets

    def _find_map(self) -> None:
        """How many partitions the map's topic has; it is made where there is none."""
        topic = self.terms.map_topic
        if topic is None:
            return
        found = self.cluster.metadata([topic]).topics[0]
        if found.error_code == E.UNKNOWN_TOPIC_OR_PARTITION:
            wanted = NewTopic(topic, PARTITIONS, configs={"cleanup.policy": "compact"})
            made = create_topics(self.cluster, [wanted])[topic]
            if isinstance(made, KafkaError) and made.code != E.TOPIC_ALREADY_EXISTS:
                raise PkoError(f"cannot make {topic} at the target: {in_one_line(made)}")
            found = self.cluster.metadata(
                [topic], again=lambda got: not got.topics[0].partitions
            ).topics[0]
        raise_error(found)
        self._map_partitions = max(1, len(found.partitions))
