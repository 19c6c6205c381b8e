"""The offsets of groups: committed, inside a transaction too, read and deleted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from pykafka_ops.broker.coordinators.groups import Groups
from pykafka_ops.broker.coordinators.verification import Verification
from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.groups.commits import Checked, Commit, by_topic, each_once
from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.broker.state.outcome import TxnProducer
from pykafka_ops.broker.state.steps import STEP, Steps, each
from pykafka_ops.broker.state.transactions.asking import Identity
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

if TYPE_CHECKING:  # a broker without groups loads none of it
    from pykafka_ops.broker.state.groups.records import OffsetAndMetadata
    from pykafka_ops.broker.state.transactions.metadata import TopicPartition
    from pykafka_ops.wire.messages.offset_fetch import OffsetFetchRequestTopic

Who = tuple[str, str | None, int]
"""Member id, static name and generation (-1: none)."""

NOBODY: tuple[str | None, int] = (None, -1)
"""Who reads offsets and says nothing about itself."""

Codes = list[ErrorCode]
FoundTopic = tuple[str, list[tuple[int, "OffsetAndMetadata", int]]]
Found = list[FoundTopic]
"""By topic: partition, its offset, error code."""


@dataclass(slots=True, eq=False)
class Offsets:
    """What the offset requests ask; one per broker.

    All raise KafkaError NOT_COORDINATOR or COORDINATOR_LOAD_IN_PROGRESS, and INVALID_GROUP_ID
    where offsets outside any group make no sense.
    """

    groups: Groups
    image: MetadataImage
    verification: Verification

    def _check(self, commits: Sequence[Commit]) -> Checked:
        return Checked(self.image, commits, self.groups.settings.metadata_max_bytes)

    def commit(self, group_id: str, who: Who, commits: Sequence[Commit]) -> object:
        """Store offsets of partitions that exist; a list of codes, one for each, or its promise."""
        checked = self._check(commits)
        if checked.hopeless:
            return checked.codes()
        ticket = self.groups.commit(group_id, who, checked.fit, self.groups.now())
        return ticket.shaped(checked.codes)

    def commit_in_transaction(
        self,
        group_id: str,
        who: Who,
        commits: Sequence[Commit],
        producer: Identity,
        *,
        abortable: bool,
    ) -> object:
        """As :meth:`commit`; the offsets count when the transaction's marker comes.

        ``abortable`` says that the client knows TRANSACTION_ABORTABLE. Raises also what
        ``Verification.guard_for`` raises.
        """
        checked = self._check(commits)

        def go_on(confirmed: dict[TopicPartition, ErrorCode] | None) -> object:
            if checked.hopeless:
                return checked.codes()
            slot = self.groups.slot_of(group_id)
            guard = self.verification.guard_for(
                slot.partition, producer, abortable=abortable, confirmed=confirmed
            )
            writer = TxnProducer(producer.producer_id, producer.epoch, guard)
            ticket, now = Deferred(), self.groups.now()
            outcome = slot.shard.commit(group_id, who, checked.fit, ticket, now, writer)
            self.groups.run(slot, outcome)
            return ticket.shaped(checked.codes)

        partition = self._unconfirmed(group_id, producer)
        if partition is None:
            return go_on(None)

        def refuse(error: KafkaError) -> Codes:
            return [ErrorCode.of(error.code)] * len(commits)

        return self.verification.after_confirming(producer, [partition], go_on, refuse)

    def _unconfirmed(self, group_id: str, producer: Identity) -> TopicPartition | None:
        """Where the offsets go, if another broker coordinates the transaction and is asked
        first."""
        if not self.verification.is_elsewhere(producer.transactional_id):
            return None
        try:
            partition = self.groups.slot_of(group_id).partition
        except KafkaError:
            return None  # raised where the offsets are written
        return partition.key if self.verification.unconfirmed(partition, producer) else None

    def fetch(
        self,
        group_id: str,
        asked: Iterable[OffsetFetchRequestTopic] | None,
        *,
        stable: bool,
        reader: tuple[str | None, int] = NOBODY,
    ) -> Steps[Found]:
        """The committed offsets of partitions by topic, of all if None; -1 where there is none.

        With ``stable``, UNSTABLE_OFFSET_COMMIT for those that an open transaction may change.
        ``reader`` is the member of a consumer group who asks, with its epoch; raises KafkaError
        UNKNOWN_MEMBER_ID, STALE_MEMBER_EPOCH or ILLEGAL_GENERATION, too.
        """
        slot = self.groups.slot_of(group_id, may_be_empty=True)
        consumers = self.groups.consumer_group(group_id)
        if consumers is not None:
            from pykafka_ops.broker.state.groups.consumer.offsets import check_fetch

            code = check_fetch(consumers, *reader)
            if code is not ErrorCode.NONE:
                raise KafkaError(code)
        from pykafka_ops.broker.state.groups.offsets import NOTHING  # loaded with the shard

        offsets = slot.shard.offsets.get(group_id, NOTHING)
        wanted = by_topic(offsets.committed) if asked is None else each_once(asked)
        found: Found = []
        for name, indexes in wanted.items():
            places = yield from each(partial(offsets.answer, stable, name), indexes)
            found.append((name, places))
            if not len(found) % STEP:
                yield None
        return found

    def delete(self, group_id: str, places: Sequence[TopicPartition]) -> object:
        """Delete what nobody reads; a code by partition, or one code for the group (or the promise
        of it)."""
        slot = self.groups.slot_of(group_id)
        topics = self.image.topics
        unknown = {
            (name, index): ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            for name, index in places
            if name not in topics or index not in topics[name].partitions
        }
        ticket, now = Deferred(), self.groups.now()
        known = [place for place in places if place not in unknown]
        self.groups.run(slot, slot.shard.delete_offsets(group_id, known, ticket, now))
        return ticket.shaped(
            lambda found: found if isinstance(found, ErrorCode) else {**unknown, **found}
        )
