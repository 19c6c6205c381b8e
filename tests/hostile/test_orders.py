"""Orders of a controller that nobody elected: none is obeyed, and the real one is not shut out."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.codec import encode
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.leader_and_isr import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
)
from pykafka_ops.wire.messages.stop_replica import StopReplicaPartitionV0, StopReplicaRequest
from pykafka_ops.wire.messages.update_metadata import UpdateMetadataRequest
from tests.support.wire.raw import Connection, request

EPOCHS = (1, 2, 1000, 2**31 - 1)
PLACES = (("../evil", 0), ("/tmp/evil", 0), ("x" * 300, 0), ("negative", -5), ("..", 0))


def lead(topic: str, partition: int, epoch: int) -> LeaderAndIsrRequest:
    state = LeaderAndIsrPartitionState(
        topic_name=topic,
        partition_index=partition,
        leader_epoch=5,
        isr=[0],
        replicas=[0],
        is_new=True,
    )
    return LeaderAndIsrRequest(controller_epoch=epoch, ungrouped_partition_states=[state])


def stop(topic: str, partition: int, epoch: int) -> StopReplicaRequest:
    gone = StopReplicaPartitionV0(topic_name=topic, partition_index=partition)
    return StopReplicaRequest(
        controller_epoch=epoch, delete_partitions=True, ungrouped_partitions=[gone]
    )


def error_of(answer: bytes) -> int:
    (code,) = struct.unpack_from(">h", answer)
    return int(code)


def below(directory: Path) -> set[str]:
    """Without what is left of other tests' topics for a minute, and internal topics: theirs are
    made while they are at work with clients."""
    names = {path.name for path in directory.iterdir()}
    return {name for name in names if not name.endswith("-delete") and name[:2] != "__"}


@pytest.mark.parametrize("epoch", EPOCHS)
@pytest.mark.parametrize(("topic_name", "partition"), PLACES)
def test_no_order_by_a_socket_makes_a_directory_or_shuts_the_controller_out(
    victim: Any, topic_name: str, partition: int, epoch: int
) -> None:
    if victim.kind != "pko":
        pytest.skip("Apache Kafka without an authorizer obeys whoever comes")
    data_dir = Path(victim.data_dir)
    before = below(data_dir), below(data_dir.parent)
    with Connection(victim.bootstrap) as connection:
        order = encode(lead(topic_name, partition, epoch), 1)
        answer = connection.ask(request(ApiKey.LEADER_AND_ISR, 1, order))
        assert error_of(answer) == ErrorCode.STALE_CONTROLLER_EPOCH
    assert below(data_dir) <= before[0]
    assert below(data_dir.parent) <= before[1]


@pytest.mark.parametrize("epoch", EPOCHS)
def test_no_order_by_a_socket_stops_a_partition_or_changes_the_metadata(
    victim: Any, topic: str, epoch: int
) -> None:
    if victim.kind != "pko":
        pytest.skip("Apache Kafka without an authorizer obeys whoever comes")
    with Connection(victim.bootstrap) as connection:
        for key, order in (
            (ApiKey.STOP_REPLICA, stop("__consumer_offsets", 0, epoch)),
            (ApiKey.UPDATE_METADATA, UpdateMetadataRequest(controller_epoch=epoch)),
        ):
            answer = connection.ask(request(key, 0, encode(order, 0)))
            assert error_of(answer) == ErrorCode.STALE_CONTROLLER_EPOCH
