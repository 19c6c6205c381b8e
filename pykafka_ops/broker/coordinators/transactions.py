"""The transaction coordinator of a broker: its shards, their markers, calls from handlers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pykafka_ops.analysis.java_hash import partition_for
from pykafka_ops.broker.coordinators.markers import MarkerSender, MarkerWriter, TxnMarker
from pykafka_ops.broker.coordinators.runtime import Coordinator, Environment, partition_count
from pykafka_ops.broker.coordinators.slot import Slot
from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.deferred import all_of
from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.broker.state.names import (
    GROUP_METADATA_TOPIC,
    TRANSACTION_STATE_TOPIC,
    is_internal,
)
from pykafka_ops.broker.state.timers import Timers
from pykafka_ops.broker.state.transactions.asking import Identity, Reply
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

if TYPE_CHECKING:  # a broker without transactions loads none of it
    from pykafka_ops.broker.coordinators.elsewhere import AskBroker, Codes, RemoteMarkers
    from pykafka_ops.broker.state.transactions.metadata import TopicPartition, Transaction, TxnState
    from pykafka_ops.broker.state.transactions.shard import TransactionShard


class Transactions:
    """All transactional ids this broker coordinates (``TransactionCoordinator``).

    The asking methods raise KafkaError NOT_COORDINATOR or COORDINATOR_LOAD_IN_PROGRESS; all else
    goes to the ``reply``. ``take_id`` gives a producer id or None; ``markers`` writes to the
    partitions led here, ``ask`` reaches the brokers that lead others.
    """

    def __init__(
        self,
        environment: Environment,
        *,
        image: MetadataImage,
        configs: BrokerConfigs,
        markers: MarkerWriter,
        take_id: Callable[[], int | None],
        ask: AskBroker | None = None,
    ) -> None:
        self._broker_id = environment.replicas.broker_id
        self._image = image
        self._configs = configs
        self._replicas = environment.replicas
        self._take_id = take_id
        self._memory = environment.memory
        self.markers = markers
        self._ask = ask
        self._spawn = environment.spawn
        self._elsewhere: dict[int, RemoteMarkers] = {}
        self.coordinator: Coordinator[TransactionShard] = Coordinator(
            TRANSACTION_STATE_TOPIC,
            environment,
            self._make,
            partitions=partial(partition_count, TRANSACTION_STATE_TOPIC, image, configs),
        )
        self._sender = MarkerSender(
            self.coordinator, leader_of=self._leader_of, writer_to=self._writer_to
        )

    def _make(self, index: int, timers: Timers, slot: Slot[TransactionShard]) -> TransactionShard:
        # A broker without transactions loads none of it.
        from pykafka_ops.broker.state.transactions.shard import TransactionShard, TxnSettings

        get = self._configs.value
        settings = TxnSettings(
            get("transaction.abort.timed.out.transaction.cleanup.interval.ms"),
            get("transaction.remove.expired.transaction.cleanup.interval.ms"),
            get("transactional.id.expiration.ms"),
        )
        return TransactionShard(
            settings,
            timers,
            slot,
            complete=partial(self._sender.send, slot, slot.partition.leader_epoch),
            take_id=self._take_id,
            memory=self._memory,
        )

    def _leader_of(self, partition: TopicPartition) -> int | None:
        hosted = self._replicas.find(*partition)
        if hosted is not None and hosted.is_leader:
            return self._broker_id
        known = self._image.partition(*partition)
        if known is not None:
            return known.leader
        # Before the first metadata arrives, an unknown partition is not a deleted one.
        return None if TRANSACTION_STATE_TOPIC in self._image.topics else -1

    def _writer_to(self, broker_id: int) -> MarkerWriter | None:
        if broker_id == self._broker_id:
            return self.markers
        if self._ask is None or not self._image.alive(broker_id):
            return None
        found = self._elsewhere.get(broker_id)
        if found is None:
            from pykafka_ops.broker.coordinators.elsewhere import RemoteMarkers

            found = RemoteMarkers(broker_id, self._ask, self._spawn)
            self._elsewhere[broker_id] = found
        return found

    # -- asked by handlers ----------------------------------------------------------------------

    def init(self, who: Identity, timeout_ms: int, reply: Reply) -> bool:
        """A producer id and epoch; False if a producer id must be had first: then ask again.

        Raises KafkaError INVALID_REQUEST and INVALID_TRANSACTION_TIMEOUT, too.
        """
        if not who.transactional_id:
            raise KafkaError(ErrorCode.INVALID_REQUEST)
        if not 0 < timeout_ms <= self._configs.value("transaction.max.timeout.ms"):
            raise KafkaError(ErrorCode.INVALID_TRANSACTION_TIMEOUT)
        coordinator = self.coordinator
        slot = coordinator.slot_of(who.transactional_id)
        outcome = slot.shard.init(who, timeout_ms, coordinator.now(), reply)
        coordinator.run(slot, outcome)
        return outcome is not None

    def add(self, who: Identity, partitions: Iterable[TopicPartition], reply: Reply) -> None:
        """Partitions join the producer's transaction."""
        coordinator = self.coordinator
        slot = coordinator.slot_of(who.transactional_id)
        coordinator.run(slot, slot.shard.add(who, partitions, coordinator.now(), reply))

    def add_all(
        self, who: Identity, partitions: Sequence[TopicPartition], *, by_client: bool = False
    ) -> Codes | Deferred:
        """As :meth:`add`, with a code for each partition: all join, or none.

        One that may not join keeps the others out. Clients (``by_client``) have no business with
        internal topics. Raises nothing.
        """
        refused = self._refused(partitions, by_client)
        if refused:
            return refused
        if not who.transactional_id:
            return dict.fromkeys(partitions, ErrorCode.INVALID_REQUEST)
        reply = Reply(Deferred(), lambda code, _: dict.fromkeys(partitions, code))
        try:
            self.add(who, partitions, reply)
        except KafkaError as error:
            return dict.fromkeys(partitions, ErrorCode.of(error.code))
        return reply.deferred

    def verify_all(self, who: Identity, partitions: Sequence[TopicPartition]) -> Codes:
        """As :meth:`verify` for each; one that may not join keeps the others out."""
        refused = self._refused(partitions, by_client=False)
        return refused or {p: self.verify(who, p) for p in partitions}

    def for_brokers(
        self, asked: Iterable[tuple[Identity, Sequence[TopicPartition], bool]]
    ) -> list[Codes] | Deferred:
        """Transactions that other brokers ask about, each on its own: partitions to verify (True)
        or to add. Codes for each of them, or the promise of that once the last is decided."""
        return all_of(
            [
                self.verify_all(who, partitions) if verify else self.add_all(who, partitions)
                for who, partitions, verify in asked
            ]
        )

    def _refused(self, partitions: Sequence[TopicPartition], by_client: bool) -> Codes:
        """Empty if all may join."""
        refused = {p: code for p in partitions if (code := self._refusal(p, by_client)) is not None}
        if not refused:
            return refused
        return {p: refused.get(p, ErrorCode.OPERATION_NOT_ATTEMPTED) for p in partitions}

    def _refusal(self, partition: TopicPartition, by_client: bool) -> ErrorCode | None:
        if by_client and is_internal(partition[0]):
            return ErrorCode.TOPIC_AUTHORIZATION_FAILED
        if self._image.partition(*partition) is None:
            return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        return None

    def add_group(self, who: Identity, group_id: str, reply: Reply) -> None:
        """The offsets of a group join the producer's transaction."""
        count = partition_count(GROUP_METADATA_TOPIC, self._image, self._configs)
        self.add(who, ((GROUP_METADATA_TOPIC, partition_for(group_id, count)),), reply)

    def end(self, who: Identity, *, committed: bool, reply: Reply) -> None:
        """Commit or abort."""
        coordinator = self.coordinator
        slot = coordinator.slot_of(who.transactional_id)
        outcome = slot.shard.end(who, committed=committed, now=coordinator.now(), reply=reply)
        coordinator.run(slot, outcome)

    def verify(self, who: Identity, partition: TopicPartition) -> ErrorCode:
        """Whether a partition is part of the producer's open transaction (KIP-890).

        NONE, or what ``TransactionShard.verify`` says, or why this coordinator cannot tell.
        """
        if not who.transactional_id:
            return ErrorCode.INVALID_REQUEST
        try:
            shard = self.coordinator.slot_of(who.transactional_id).shard
        except KafkaError as error:
            return ErrorCode.of(error.code)
        return shard.verify(who, partition)

    def describe(self, transactional_id: str) -> Transaction:
        """What is known of a transactional id. Raises KafkaError INVALID_REQUEST or
        TRANSACTIONAL_ID_NOT_FOUND, too."""
        if not transactional_id:
            raise KafkaError(ErrorCode.INVALID_REQUEST)
        return self.coordinator.slot_of(transactional_id).shard.describe(transactional_id)

    @property
    def loading(self) -> bool:
        """Whether transactional ids of some partition are still unknown."""
        return self.coordinator.loading

    def matching(
        self, states: frozenset[TxnState] | None, producer_ids: frozenset[int], longer_than: int
    ) -> Iterator[Transaction]:
        """As ``TransactionShard.matching``, of the partitions that are loaded."""
        now = self.coordinator.now().time
        for slot in self.coordinator.slots():
            yield from slot.shard.matching(states, producer_ids, longer_than, now)

    def write_markers(
        self, work: Iterable[tuple[TxnMarker, TopicPartition]]
    ) -> list[ErrorCode] | Deferred:
        """Write markers to partitions led here; the codes once all are committed or have failed."""

        def write(marker: TxnMarker, partition: TopicPartition) -> Deferred | ErrorCode:
            if marker.producer_id < 0 or marker.epoch < 0:
                return ErrorCode.UNKNOWN_SERVER_ERROR  # as Kafka's IllegalArgumentException
            written = Deferred()
            self.markers.write(marker, partition, written.resolve)
            return written

        return all_of([write(marker, partition) for marker, partition in work])

    # -- asked by handlers of records -----------------------------------------------------------

    def is_elsewhere(self, transactional_id: str) -> bool:
        """Whether another broker is known to coordinate it: :meth:`confirm` asks that one."""
        return self._ask is not None and self._coordinator_elsewhere(transactional_id) is not None

    def _coordinator_elsewhere(self, transactional_id: str) -> int | None:
        index = self.coordinator.partition_of(transactional_id)
        leader = self._leader_of((TRANSACTION_STATE_TOPIC, index))
        return None if leader in (None, -1, self._broker_id) else leader

    def confirm(
        self, who: Identity, partitions: Sequence[TopicPartition], done: Callable[[Codes], None]
    ) -> None:
        """As :meth:`verify`, where another broker coordinates; ``done`` is called once, later."""

        async def work() -> None:
            ask, broker = self._ask, self._coordinator_elsewhere(who.transactional_id)
            codes: Codes = dict.fromkeys(partitions, ErrorCode.COORDINATOR_NOT_AVAILABLE)
            try:
                if ask is not None and broker is not None:
                    from pykafka_ops.broker.coordinators.elsewhere import confirm

                    codes = await confirm(ask, broker, who, partitions)
            finally:
                done(codes)

        self._spawn(work())
