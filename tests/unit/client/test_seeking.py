"""What is committed for a group: nothing counts as done that no broker confirmed."""

from __future__ import annotations

from collections.abc import Callable

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.seeking import commit
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.offset_commit import OffsetCommitResponse
from pykafka_ops.wire.shared import PartitionCode, TopicCodes
from tests.support.memory.fake_broker import FakeBroker
from tests.unit.client.test_coordinators import coordinated_by


def test_a_partition_that_the_answer_leaves_out_failed(
    fakes: tuple[FakeBroker, FakeBroker], connect: Callable[..., Cluster]
) -> None:
    for fake in fakes:
        fake.on("FindCoordinator", coordinated_by(1))
    codes = TopicCodes(name="t", partitions=[PartitionCode(partition_index=0)])
    fakes[1].on("OffsetCommit", lambda request: OffsetCommitResponse(topics=[codes]))
    failed = commit(connect(fakes[0].bootstrap), "g", {("t", 0): 1, ("t", 1): 2})
    assert list(failed) == [("t", 1)]
    error = failed["t", 1]
    assert isinstance(error, KafkaError)
    assert error.code == ErrorCode.UNKNOWN_SERVER_ERROR
