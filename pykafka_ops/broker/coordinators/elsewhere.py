"""What transactions need of other brokers: markers written, partitions confirmed.

Counterparts: ``TransactionMarkerChannelManager`` (its queues by broker) and
``AddPartitionsToTxnManager``. One request is under way per broker and kind; what comes up
meanwhile goes together into the next one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Coroutine, Iterable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pykafka_ops.broker.coordinators.markers import Done, TxnMarker
from pykafka_ops.broker.state.groups.commits import by_topic
from pykafka_ops.broker.state.transactions.asking import Identity
from pykafka_ops.errors import ConnectError, KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from pykafka_ops.wire.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)

if TYPE_CHECKING:  # a broker without transactions loads none of it
    from pykafka_ops.broker.state.transactions.metadata import TopicPartition

log = logging.getLogger("kafka.coordinator.transaction.TransactionMarkerChannelManager")

MARKERS_VERSION = 1
CONFIRM_VERSION = 5

T = TypeVar("T")
Spawn = Callable[[Coroutine[Any, Any, None]], object]
Codes = dict["TopicPartition", ErrorCode]


class AskBroker(Protocol):
    """Asks another broker; raises ConnectError if no answer comes."""

    async def __call__(self, broker: int, request: object, version: int, answer: type[T]) -> T:
        """The answer of ``broker``."""


class RemoteMarkers:
    """A :class:`~pykafka_ops.broker.coordinators.markers.MarkerWriter` for one other broker.

    Where no answer comes the outcome is REQUEST_TIMED_OUT, which is tried again.
    """

    def __init__(self, broker: int, ask: AskBroker, spawn: Spawn) -> None:
        self._broker = broker
        self._ask = ask
        self._spawn = spawn
        self._waiting: dict[tuple[TxnMarker, TopicPartition], Done] = {}
        self._sending = False

    def write(self, marker: TxnMarker, partition: TopicPartition, done: Done) -> None:
        """Have it written there; ``done`` is called later."""
        self._waiting[marker, partition] = done
        if not self._sending:
            self._sending = True
            self._spawn(self._send_all())

    async def _send_all(self) -> None:
        try:
            while self._waiting:
                turn = self._take()
                codes = await self._send(turn)
                for (marker, partition), done in turn.items():
                    found = codes.get((marker.producer_id, partition))
                    done(ErrorCode.UNKNOWN_SERVER_ERROR if found is None else found)
        finally:
            self._sending = False

    def _take(self) -> dict[tuple[TxnMarker, TopicPartition], Done]:
        """What goes into one request: one marker for each producer, as answers name only it."""
        marker_of: dict[int, TxnMarker] = {}
        turn = {
            key: done
            for key, done in self._waiting.items()
            if marker_of.setdefault(key[0].producer_id, key[0]) == key[0]
        }
        for key in turn:
            del self._waiting[key]
        return turn

    async def _send(
        self, turn: Collection[tuple[TxnMarker, TopicPartition]]
    ) -> dict[tuple[int, TopicPartition], ErrorCode]:
        try:
            response = await self._ask(
                self._broker, _markers_request(turn), MARKERS_VERSION, WriteTxnMarkersResponse
            )
        except (ConnectError, KafkaError) as error:
            log.info("markers for broker %d: %s; trying again", self._broker, error)
            return {(marker.producer_id, p): ErrorCode.REQUEST_TIMED_OUT for marker, p in turn}
        return {
            (marker.producer_id, (topic.name, each.partition_index)): ErrorCode.of(each.error_code)
            for marker in response.markers
            for topic in marker.topics
            for each in topic.partitions
        }


def _markers_request(turn: Iterable[tuple[TxnMarker, TopicPartition]]) -> WriteTxnMarkersRequest:
    by_marker: dict[TxnMarker, list[TopicPartition]] = {}
    for marker, partition in turn:
        by_marker.setdefault(marker, []).append(partition)
    return WriteTxnMarkersRequest(
        markers=[
            WritableTxnMarker(
                producer_id=marker.producer_id,
                producer_epoch=marker.epoch,
                transaction_result=marker.committed,
                topics=[
                    WritableTxnMarkerTopic(name=name, partition_indexes=indexes)
                    for name, indexes in by_topic(partitions).items()
                ],
                coordinator_epoch=marker.coordinator_epoch,
            )
            for marker, partitions in by_marker.items()
        ]
    )


async def confirm(
    ask: AskBroker, broker: int, who: Identity, partitions: Iterable[TopicPartition]
) -> Codes:
    """Whether ``broker``, the coordinator, knows the partitions as part of the open transaction.

    NETWORK_EXCEPTION where no answer comes.
    """
    wanted = list(partitions)
    request = AddPartitionsToTxnRequest(
        transactions=[
            AddPartitionsToTxnTransaction(
                transactional_id=who.transactional_id,
                producer_id=who.producer_id,
                producer_epoch=who.epoch,
                verify_only=True,
                topics=[
                    AddPartitionsToTxnTopic(name=name, partitions=indexes)
                    for name, indexes in by_topic(wanted).items()
                ],
            )
        ]
    )
    try:
        response = await ask(broker, request, CONFIRM_VERSION, AddPartitionsToTxnResponse)
    except (ConnectError, KafkaError) as error:
        log.info("transaction %s cannot be confirmed: %s", who.transactional_id, error)
        return dict.fromkeys(wanted, ErrorCode.NETWORK_EXCEPTION)
    if response.error_code:
        return dict.fromkeys(wanted, ErrorCode.of(response.error_code))
    codes = dict.fromkeys(wanted, ErrorCode.UNKNOWN_SERVER_ERROR)
    codes |= {
        (topic.name, each.partition_index): ErrorCode.of(each.partition_error_code)
        for transaction in response.results_by_transaction
        for topic in transaction.topic_results
        for each in topic.results_by_partition
    }
    return codes
