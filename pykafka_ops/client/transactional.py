"""One transaction after the other, as a transactional producer writes them (KIP-98).

Not a producer: a batch at a time, nothing tried again that may have been written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

from pykafka_ops.client.answers import by_topic, error_of, raise_error
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import FOREVER
from pykafka_ops.client.coordinators import TRANSACTION, ask_coordinator
from pykafka_ops.client.group_offsets import Committed
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.produce import produce
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import add_offsets_to_txn as ao
from pykafka_ops.wire.messages import add_partitions_to_txn as ap
from pykafka_ops.wire.messages import end_txn as et
from pykafka_ops.wire.messages import init_producer_id as ipi
from pykafka_ops.wire.messages import txn_offset_commit as toc

_NOT_YET: Final = (ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorCode.COORDINATOR_NOT_AVAILABLE)

T = TypeVar("T")


def producer_id(cluster: Cluster) -> tuple[int, int]:
    """Id and epoch for a producer that is idempotent, no more. Raises PkoError."""
    request = ipi.InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=FOREVER)
    answer = cluster.call(
        request,
        ipi.InitProducerIdResponse,
        name="initProducerId",
        again=lambda got: got.error_code in _NOT_YET,  # it fetches the next ids first
    )
    raise_error(answer)
    return answer.producer_id, answer.producer_epoch


BY_PRODUCERS: Final = 3
"""The last version of AddPartitionsToTxn that producers speak."""
MARKED: Final = 4
"""The last version of EndTxn after which the same epoch goes on."""
COMMITTED: Final = 4
"""The last version of TxnOffsetCommit that wants AddOffsetsToTxn before it."""


class TransactionalProducer:
    """A producer with a transactional id; making it fences the one that had the id before.

    Raises PkoError, as all its methods do. ``coordinator`` is a node id.
    """

    def __init__(self, cluster: Cluster, transactional_id: str, timeout_ms: int) -> None:
        """``timeout_ms``: when the coordinator aborts a transaction by itself."""
        self.cluster, self.id = cluster, transactional_id
        request = ipi.InitProducerIdRequest(
            transactional_id=transactional_id, transaction_timeout_ms=timeout_ms
        )
        answer = self._ask(request, ipi.InitProducerIdResponse)
        raise_error(answer)
        self.producer_id, self.epoch = answer.producer_id, answer.producer_epoch
        self.sequences: dict[Partition, int] = {}

    @property
    def coordinator(self) -> int:
        """The node id of the coordinator; -1 where it is not known now."""
        return self.cluster.coordinators.get((TRANSACTION, self.id), -1)

    def add(self, partitions: Iterable[Partition]) -> None:
        """Have these partitions take part; the first ones begin a transaction."""
        for error in self.refused(partitions).values():
            raise error

    def refused(self, partitions: Iterable[Partition]) -> dict[Partition, KafkaError]:
        """As ``add``; where some are refused none takes part, and this says which, and why."""
        topics = by_topic(partitions)
        request = ap.AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=self.id,
            v3_and_below_producer_id=self.producer_id,
            v3_and_below_producer_epoch=self.epoch,
            v3_and_below_topics=[
                ap.AddPartitionsToTxnTopic(name=t, partitions=p) for t, p in topics.items()
            ],
        )
        answer = self._ask(request, ap.AddPartitionsToTxnResponse, highest=BY_PRODUCERS)
        return {
            (t.name, p.partition_index): KafkaError(p.partition_error_code)
            for t in answer.results_by_topic_v3_and_below
            for p in t.results_by_partition
            if p.partition_error_code
        }

    def add_offsets(self, group: str) -> None:
        """Have the offsets of a group take part."""
        request = ao.AddOffsetsToTxnRequest(
            transactional_id=self.id,
            producer_id=self.producer_id,
            producer_epoch=self.epoch,
            group_id=group,
        )
        raise_error(self._ask(request, ao.AddOffsetsToTxnResponse))

    def commit_offsets(
        self, group: str, offsets: Mapping[Partition, Committed], member: tuple[str, int] = ("", -1)
    ) -> dict[Partition, KafkaError]:
        """Commit offsets of a group that takes part, with the transaction; what is refused, and
        why.

        ``member``: id and generation; a member that is no longer one is refused (KIP-447):
        ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID or FENCED_INSTANCE_ID, for all partitions.
        """
        topics = by_topic(
            (
                topic,
                toc.TxnOffsetCommitRequestPartition(
                    partition_index=index,
                    committed_offset=value.offset,
                    committed_leader_epoch=value.leader_epoch,
                    committed_metadata=value.metadata,
                ),
            )
            for (topic, index), value in offsets.items()
        )
        request = toc.TxnOffsetCommitRequest(
            transactional_id=self.id,
            group_id=group,
            producer_id=self.producer_id,
            producer_epoch=self.epoch,
            generation_id=member[1],
            member_id=member[0],
            topics=[
                toc.TxnOffsetCommitRequestTopic(name=t, partitions=p) for t, p in topics.items()
            ],
        )
        answer = ask_coordinator(
            self.cluster,
            group,
            request,
            toc.TxnOffsetCommitResponse,
            lowest=3 if member[0] else 0,
            highest=COMMITTED,
            codes=lambda got: [p.error_code for t in got.topics for p in t.partitions],
        )
        parts = ((t.name, p) for t in answer.topics for p in t.partitions)
        found = {(name, part.partition_index): error_of(part) for name, part in parts}
        return {place: error for place, error in found.items() if error is not None}

    def send(self, partition: Partition, records: Sequence[Record]) -> int:
        """Write records to a partition that takes part; the offset of the first."""
        sequence = self.sequences.get(partition, 0)
        batch = build_batch(
            records,
            producer_id=self.producer_id,
            producer_epoch=self.epoch,
            base_sequence=sequence,
            transactional=True,
        )
        found = produce(self.cluster, {partition: batch}, transactional_id=self.id)[partition]
        if isinstance(found, PkoError):
            raise found
        self.sequences[partition] = sequence + len(records)
        return found

    def end(self, *, commit: bool) -> None:
        """Commit or abort; the markers are written behind the answer."""
        request = et.EndTxnRequest(
            transactional_id=self.id,
            producer_id=self.producer_id,
            producer_epoch=self.epoch,
            committed=commit,
        )
        answer = self._ask(request, et.EndTxnResponse, highest=MARKED)
        raise_error(answer)

    def _ask(self, request: Any, answer: type[T], *, highest: int = 0x7FFF) -> T:
        return ask_coordinator(
            self.cluster, self.id, request, answer, kind=TRANSACTION, highest=highest, codes=_codes
        )


def _codes(answer: Any) -> list[int]:
    """The error of an answer as a whole, or those of its partitions."""
    if not isinstance(answer, ap.AddPartitionsToTxnResponse):
        return [answer.error_code]
    topics = answer.results_by_topic_v3_and_below
    return [p.partition_error_code for t in topics for p in t.results_by_partition]
