"""Where share groups are: what is unknown stays unknown, what is not confirmed did not happen."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.share_offsets import (
    ShareStart,
    alter_share_offsets,
    delete_share_offsets,
    fetch_share_offsets,
)
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import alter_share_group_offsets as alter
from pykafka_ops.wire.messages import delete_share_group_offsets as delete
from pykafka_ops.wire.messages import describe_share_group_offsets as describe
from tests.support.memory.fake_broker import FakeBroker
from tests.unit.client.test_coordinators import coordinated_by

Fakes = tuple[FakeBroker, FakeBroker]
Connect = Callable[..., Cluster]
BUSY = ErrorCode.NON_EMPTY_GROUP


@pytest.fixture
def cluster(fakes: Fakes, connect: Connect) -> Cluster:
    for fake in fakes:
        fake.on("FindCoordinator", coordinated_by(1))
    made: Cluster = connect(fakes[0].bootstrap)
    return made


def test_start_and_lag_are_unknown_where_the_broker_does_not_say(
    cluster: Cluster, fakes: Fakes
) -> None:
    partition = describe.DescribeShareGroupOffsetsResponsePartition
    fakes[1].on("DescribeShareGroupOffsets", lambda request: (
        describe.DescribeShareGroupOffsetsResponse(groups=[
            describe.DescribeShareGroupOffsetsResponseGroup(group_id="g", topics=[
                describe.DescribeShareGroupOffsetsResponseTopic(topic_name="t", partitions=[
                    partition(partition_index=0, start_offset=7, lag=3),
                    partition(partition_index=1, start_offset=-1, lag=-1),
                    partition(partition_index=2, error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED),
                ])
            ])
        ])
    ))  # fmt: skip
    found = fetch_share_offsets(cluster, ["g"])["g"]
    assert isinstance(found, dict)
    assert (found["t", 0], found["t", 1]) == (ShareStart(7, 3, 0), ShareStart(None, None, 0))
    assert isinstance(found["t", 2], KafkaError)
    ((version, request),) = fakes[1].asked("DescribeShareGroupOffsets")
    assert (version, request.groups[0].topics) == (1, None)


def test_before_4_2_no_broker_says_a_lag(cluster: Cluster, fakes: Fakes) -> None:
    fakes[1].ranges[90] = (0, 0)
    fakes[1].on("DescribeShareGroupOffsets", lambda request: (
        describe.DescribeShareGroupOffsetsResponse(groups=[
            describe.DescribeShareGroupOffsetsResponseGroup(group_id="g", topics=[
                describe.DescribeShareGroupOffsetsResponseTopic(topic_name="t", partitions=[
                    describe.DescribeShareGroupOffsetsResponsePartition(start_offset=7)
                ])
            ])
        ])
    ))  # fmt: skip
    assert fetch_share_offsets(cluster, ["g"]) == {"g": {("t", 0): ShareStart(7, None, 0)}}


def test_a_partition_that_the_answer_leaves_out_was_not_moved(
    cluster: Cluster, fakes: Fakes
) -> None:
    fakes[1].on("AlterShareGroupOffsets", lambda request: alter.AlterShareGroupOffsetsResponse(
        responses=[
            alter.AlterShareGroupOffsetsResponseTopic(topic_name="t", partitions=[
                alter.AlterShareGroupOffsetsResponsePartition(partition_index=0),
                alter.AlterShareGroupOffsetsResponsePartition(partition_index=1, error_code=3),
            ])
        ]
    ))  # fmt: skip
    done = alter_share_offsets(cluster, "g", {("t", 0): 1, ("t", 1): 2, ("t", 2): 3})
    assert {p: error and error.code for p, error in done.items()} == {
        ("t", 0): None,
        ("t", 1): ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ("t", 2): ErrorCode.UNKNOWN_SERVER_ERROR,
    }


def test_a_group_in_use_is_neither_moved_nor_made_to_forget(cluster: Cluster, fakes: Fakes) -> None:
    fakes[1].on(
        "AlterShareGroupOffsets",
        lambda request: alter.AlterShareGroupOffsetsResponse(error_code=BUSY),
    )
    fakes[1].on(
        "DeleteShareGroupOffsets",
        lambda request: delete.DeleteShareGroupOffsetsResponse(error_code=BUSY),
    )
    with pytest.raises(KafkaError) as moved:
        alter_share_offsets(cluster, "g", {("t", 0): 1})
    with pytest.raises(KafkaError) as forgot:
        delete_share_offsets(cluster, "g", ["t"])
    assert moved.value.code == forgot.value.code == BUSY


def test_topics_are_forgotten_one_by_one(cluster: Cluster, fakes: Fakes) -> None:
    fakes[1].on("DeleteShareGroupOffsets", lambda request: delete.DeleteShareGroupOffsetsResponse(
        responses=[delete.DeleteShareGroupOffsetsResponseTopic(topic_name="t")]
    ))  # fmt: skip
    done = delete_share_offsets(cluster, "g", ["t", "other"])
    assert done["t"] is None
    assert done["other"] is not None
