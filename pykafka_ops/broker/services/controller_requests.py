"""Requests of brokers to the controller: ISR changes, producer ids, controlled shutdown.

Counterpart of ``KafkaController.alterPartitions``, ``allocateProducerIds`` and
``controlledShutdown``. The same answers go to other brokers and to this one.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from pykafka_ops.broker.metadata.registration import allocate_producer_ids
from pykafka_ops.broker.metadata.store import MetadataStore, StoreError
from pykafka_ops.broker.services.controller_gate import ControllerGate, OnController
from pykafka_ops.broker.state.controller.controller import Controller
from pykafka_ops.broker.state.controller.feature_updates import refusal
from pykafka_ops.broker.state.controller.isr_rules import IsrAnswers, IsrChange
from pykafka_ops.broker.state.controller.leadership import (
    LeaderAndIsr,
    TopicPartition,
    intern_replicas,
)
from pykafka_ops.broker.state.controller.steps import Steps
from pykafka_ops.errors import KafkaError, StorageError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.allocate_producer_ids import (
    AllocateProducerIdsRequest,
    AllocateProducerIdsResponse,
)
from pykafka_ops.wire.messages.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionRequestPartitionData,
    AlterPartitionResponse,
    AlterPartitionResponsePartitionData,
    AlterPartitionResponseTopicData,
)
from pykafka_ops.wire.messages.controlled_shutdown import (
    ControlledShutdownRequest,
    ControlledShutdownResponse,
    RemainingPartition,
)

log = logging.getLogger("kafka.controller.KafkaController")

IDS_SINCE = 2
"""The AlterPartition version that names topics by id."""
EPOCHS_SINCE = 3
"""The AlterPartition version that brings the ISR with broker epochs."""

Changes = dict[TopicPartition, IsrChange]


class ControllerRequests(OnController):
    """One per broker; each method answers NOT_CONTROLLER while the broker is not controller."""

    def __init__(self, controller: ControllerGate, store: MetadataStore) -> None:
        super().__init__(controller)
        self._store = store

    def refuse_features(self, updates: Iterable[tuple[str, int, int]]) -> dict[str, str]:
        """Why none of these features is finalized: name, highest version level and kind of change
        of each. Raises KafkaError NOT_CONTROLLER."""
        self.require_controller(ErrorCode.NOT_CONTROLLER.text)
        reasons: dict[str, str] = {}
        for update in updates:
            reasons.setdefault(update[0], refusal(*update))
        return reasons

    async def answer(self, request: object, version: int) -> object:
        """The response to any of the requests.

        Raises KafkaError NOT_CONTROLLER for another request: it was for the controller before.
        """
        if isinstance(request, AlterPartitionRequest):
            return await self.alter_partitions(request, version)
        if isinstance(request, AllocateProducerIdsRequest):
            return await self.allocate_producer_ids(request)
        if isinstance(request, ControlledShutdownRequest):
            return await self.controlled_shutdown(request)
        raise KafkaError(ErrorCode.NOT_CONTROLLER)

    # -- AlterPartition

    async def alter_partitions(
        self, request: AlterPartitionRequest, version: int
    ) -> AlterPartitionResponse:
        """Change ISRs; the state that holds then, or an error, for each partition."""
        names: list[str | None] = []

        def rule(controller: Controller) -> Steps[IsrAnswers]:
            by_id = controller.cluster.names_by_id
            changes: Changes = {}
            for topic in request.topics:
                known = topic.topic_name if version < IDS_SINCE else by_id.get(topic.topic_id)
                names.append(known)
                if known is not None:
                    for data in topic.partitions:
                        changes[known, data.partition_index] = _change(data, version)
            broker, epoch = request.broker_id, request.broker_epoch
            return (yield from controller.isr.alter(broker, epoch, changes))

        try:
            answers = await self._perform(rule)
        except KafkaError as error:
            return AlterPartitionResponse(error_code=error.code)
        return AlterPartitionResponse(
            topics=[
                AlterPartitionResponseTopicData(
                    topic_name=topic.topic_name,
                    topic_id=topic.topic_id,
                    partitions=[
                        _answer(data.partition_index, name, answers, version)
                        for data in topic.partitions
                    ],
                )
                for topic, name in zip(request.topics, names, strict=True)
            ]
        )

    # -- AllocateProducerIds

    async def allocate_producer_ids(
        self, request: AllocateProducerIdsRequest
    ) -> AllocateProducerIdsResponse:
        """A block of ids for the broker."""

        def rule(controller: Controller) -> Steps[None]:
            yield from ()
            info = controller.cluster.brokers.get(request.broker_id)
            if info is None:
                raise KafkaError(ErrorCode.BROKER_ID_NOT_REGISTERED)
            if info.epoch != request.broker_epoch:
                raise KafkaError(ErrorCode.STALE_BROKER_EPOCH)

        try:
            await self._perform(rule)
            block = await allocate_producer_ids(self._store, request.broker_id)
        except KafkaError as error:
            return AllocateProducerIdsResponse(error_code=error.code)
        except (StoreError, StorageError) as error:
            log.error("cannot claim a block of producer ids: %s", error)
            return AllocateProducerIdsResponse(error_code=ErrorCode.UNKNOWN_SERVER_ERROR)
        return AllocateProducerIdsResponse(
            producer_id_start=block.first, producer_id_len=block.last - block.first + 1
        )

    # -- ControlledShutdown

    async def controlled_shutdown(
        self, request: ControlledShutdownRequest
    ) -> ControlledShutdownResponse:
        """Move what the broker leads elsewhere; what it leads still."""
        broker, epoch = request.broker_id, request.broker_epoch
        try:
            left = await self._perform(
                lambda controller: controller.brokers.controlled_shutdown(broker, epoch)
            )
        except KafkaError as error:
            code = error.code
            if code == ErrorCode.NOT_CONTROLLER:  # Kafka's ControllerMovedException
                code = ErrorCode.STALE_CONTROLLER_EPOCH
            return ControlledShutdownResponse(error_code=code)
        return ControlledShutdownResponse(
            remaining_partitions=[
                RemainingPartition(topic_name=topic, partition_index=index)
                for topic, index in sorted(left)
            ]
        )


def _change(data: AlterPartitionRequestPartitionData, version: int) -> IsrChange:
    isr = (
        [state.broker_id for state in data.new_isr_with_epochs]
        if version >= EPOCHS_SINCE
        else data.new_isr
    )
    recovering = data.leader_recovery_state == 1
    return IsrChange(intern_replicas(isr), data.leader_epoch, data.partition_epoch, recovering)


def _answer(
    index: int, topic: str | None, answers: IsrAnswers, version: int
) -> AlterPartitionResponsePartitionData:
    state = ErrorCode.UNKNOWN_TOPIC_ID if topic is None else answers[topic, index]
    if isinstance(state, LeaderAndIsr):
        return AlterPartitionResponsePartitionData(
            partition_index=index,
            leader_id=state.leader,
            leader_epoch=state.leader_epoch,
            isr=list(state.isr),
            leader_recovery_state=int(state.recovering),
            partition_epoch=state.partition_epoch,
        )
    if state is ErrorCode.INELIGIBLE_REPLICA and version < IDS_SINCE:
        state = ErrorCode.OPERATION_NOT_ATTEMPTED
    return AlterPartitionResponsePartitionData(partition_index=index, error_code=state)
