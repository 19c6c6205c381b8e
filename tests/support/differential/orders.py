"""Orders that no controller may give any more: from before the first epoch, or to a former life."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.messages import leader_and_isr as lai
from pykafka_ops.wire.messages import stop_replica as stop
from pykafka_ops.wire.messages import update_metadata as um
from tests.support.differential.core import Cases, Side

CASES = Cases()


@CASES.add(ApiKey.LEADER_AND_ISR, "0-7")
def lead(side: Side, version: int) -> None:
    state = lai.LeaderAndIsrPartitionState(
        topic_name=side.topic() if version < 2 else "", partition_index=0, replicas=[0], isr=[0]
    )
    request = lai.LeaderAndIsrRequest()
    if version < 2:
        request.ungrouped_partition_states = [state]
    else:
        topic = lai.LeaderAndIsrTopicState(topic_name=side.topic(), partition_states=[state])
        request.topic_states = [topic]
    side.ask(request, note="a former controller")
    if version >= 2:
        request.broker_epoch = 0
        side.ask(request, note="a former life")


@CASES.add(ApiKey.STOP_REPLICA, "0-4")
def give_up(side: Side, version: int) -> None:
    request = stop.StopReplicaRequest()
    if version == 0:
        old = stop.StopReplicaPartitionV0(topic_name=side.topic(), partition_index=0)
        request.ungrouped_partitions = [old]
    elif version < 3:
        request.topics = [stop.StopReplicaTopicV1(name=side.topic(), partition_indexes=[0])]
    else:
        states = [stop.StopReplicaPartitionState(partition_index=0)]
        topic = stop.StopReplicaTopicState(topic_name=side.topic(), partition_states=states)
        request.topic_states = [topic]
    side.ask(request, note="a former controller")
    if version >= 1:
        request.broker_epoch = 0
        side.ask(request, note="a former life")


@CASES.add(ApiKey.UPDATE_METADATA, "0-8")
def know(side: Side, version: int) -> None:
    request = um.UpdateMetadataRequest()
    side.ask(request, note="a former controller")
    if version >= 5:
        request.broker_epoch = 0
        side.ask(request, note="a former life")
