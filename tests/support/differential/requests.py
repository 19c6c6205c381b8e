"""What brokers ask of the controller, from brokers that are none, or in a former life."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.messages.allocate_producer_ids import AllocateProducerIdsRequest
from pykafka_ops.wire.messages.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionRequestPartitionData,
    AlterPartitionRequestTopicData,
)
from pykafka_ops.wire.messages.controlled_shutdown import ControlledShutdownRequest
from tests.support.differential.core import Cases, Side

CASES = Cases()
STRANGER = 999


@CASES.add(ApiKey.CONTROLLED_SHUTDOWN, "0-3")
def leave(side: Side, version: int) -> None:
    side.ask(ControlledShutdownRequest(broker_id=STRANGER), note="a stranger")
    if version >= 2:
        side.ask(ControlledShutdownRequest(broker_id=0, broker_epoch=0), note="a former life")


@CASES.add(ApiKey.ALTER_PARTITION, "0-3")
def change_isr(side: Side, version: int) -> None:
    data = AlterPartitionRequestPartitionData(partition_index=0)
    topic = AlterPartitionRequestTopicData(topic_name=side.topic(), partitions=[data])
    for broker, epoch in ((STRANGER, 1), (0, 0), (0, -1), (0, 2**62)):
        request = AlterPartitionRequest(broker_id=broker, broker_epoch=epoch, topics=[topic])
        side.ask(request, note=f"broker {broker}, epoch {epoch}")


@CASES.add(ApiKey.ALLOCATE_PRODUCER_IDS, "0")
def claim(side: Side, version: int) -> None:
    for broker, epoch in ((STRANGER, 1), (0, 0), (0, -1), (0, 2**62)):
        request = AllocateProducerIdsRequest(broker_id=broker, broker_epoch=epoch)
        side.ask(request, note=f"broker {broker}, epoch {epoch}")
