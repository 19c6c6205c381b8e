from collections.abc import Callable
from typing import Any

from pykafka_ops.client.cluster import CallTimeoutError, Cluster
from pykafka_ops.client.offsets import EARLIEST, MAX_TIMESTAMP, Offset, list_offsets
from pykafka_ops.client.records import delete_records
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.messages.delete_records import (
    DeleteRecordsPartitionResult,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)
from pykafka_ops.wire.messages.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from tests.support.memory.fake_broker import FakeBroker

Fakes = tuple[FakeBroker, FakeBroker]
Connect = Callable[..., Cluster]


def offsets(node: int, codes: dict[int, int] | None = None) -> Callable[[Any], Any]:
    """An answer: offset = 100 * node + partition, or the error of the partition."""

    def answer(request: Any) -> ListOffsetsResponse:
        topics = [
            ListOffsetsTopicResponse(
                name=t.name,
                partitions=[
                    ListOffsetsPartitionResponse(
                        partition_index=p.partition_index,
                        error_code=(codes or {}).get(p.partition_index, 0),
                        offset=100 * node + p.partition_index,
                        timestamp=-1,
                        leader_epoch=3,
                    )
                    for p in t.partitions
                ],
            )
            for t in request.topics
        ]
        return ListOffsetsResponse(topics=topics)

    return answer


def test_each_leader_is_asked_once_for_all_its_partitions(fakes: Fakes, connect: Connect) -> None:
    for node, fake in enumerate(fakes):
        fake.topics = {"a": [0, 1, 0, 1]}
        fake.on("ListOffsets", offsets(node))
    found = list_offsets(connect(fakes[0].bootstrap), {("a", i): EARLIEST for i in range(4)})
    assert [v.offset for v in found.values() if isinstance(v, Offset)] == [0, 2, 101, 103]
    assert [len(f.asked("ListOffsets")) for f in fakes] == [1, 1]


def test_a_leader_that_moved_is_asked_where_it_is_now(fakes: Fakes, connect: Connect) -> None:
    first, second = fakes
    first.topics = second.topics = {"a": [0]}

    def moved(request: Any) -> ListOffsetsResponse:
        first.topics = second.topics = {"a": [1]}
        response: ListOffsetsResponse = offsets(0, {0: 6})(request)
        return response

    first.on("ListOffsets", moved)
    second.on("ListOffsets", offsets(1))
    found = list_offsets(connect(first.bootstrap), {("a", 0): EARLIEST})
    assert found == {("a", 0): Offset(100, -1, 3)}


def test_errors_that_stay_are_per_partition(fakes: Fakes, connect: Connect) -> None:
    fakes[0].topics = {"a": [0, 0]}
    fakes[0].on("ListOffsets", offsets(0, {1: 29}))
    found = list_offsets(connect(fakes[0].bootstrap), {("a", 0): -1, ("a", 1): -1})
    assert found["a", 0] == Offset(0, -1, 3)
    error = found["a", 1]
    assert isinstance(error, KafkaError)
    assert error.code == 29


def test_a_topic_that_stays_unknown_times_out_with_the_reason(
    fakes: Fakes, connect: Connect
) -> None:
    found = list_offsets(connect(fakes[0].bootstrap, retries="1"), {("nope", 0): -1})
    error = found["nope", 0]
    assert isinstance(error, CallTimeoutError)
    assert str(error) == "Exceeded maxRetries after 2 tries."
    assert isinstance(error.trouble, KafkaError)
    assert error.trouble.code == 3


def test_a_special_time_needs_a_broker_that_knows_it(fakes: Fakes, connect: Connect) -> None:
    fakes[0].topics = {"a": [0]}
    fakes[0].ranges[2] = (0, 6)
    found = list_offsets(connect(fakes[0].bootstrap), {("a", 0): MAX_TIMESTAMP})
    error = found["a", 0]
    assert isinstance(error, KafkaError)
    assert error.code == 35


def test_deleted_records_give_the_new_low_watermark(fakes: Fakes, connect: Connect) -> None:
    fakes[0].topics = {"a": [0]}
    result = DeleteRecordsPartitionResult(partition_index=0, low_watermark=7)
    topic = DeleteRecordsTopicResult(name="a", partitions=[result])
    fakes[0].on("DeleteRecords", lambda r: DeleteRecordsResponse(topics=[topic]))
    assert delete_records(connect(fakes[0].bootstrap), {("a", 0): 7}) == {("a", 0): 7}
    (_, request) = fakes[0].asked("DeleteRecords")[0]
    assert request.topics[0].partitions[0].offset == 7


def test_a_partition_that_the_answer_leaves_out_is_an_error(fakes: Fakes, connect: Connect) -> None:
    fakes[0].topics = {"a": [0]}
    fakes[0].on("ListOffsets", lambda r: ListOffsetsResponse())
    error = list_offsets(connect(fakes[0].bootstrap), {("a", 0): -1})["a", 0]
    assert isinstance(error, KafkaError)
    assert "leaves it out" in error.message


def test_leaders_that_are_known_are_asked_without_metadata_of_topics(
    fakes: Fakes, connect: Connect
) -> None:
    for node, fake in enumerate(fakes):
        fake.topics = {"a": [0, 1]}
        fake.on("ListOffsets", offsets(node))
    leaders = {("a", 0): 0, ("a", 1): 1}
    found = list_offsets(
        connect(fakes[0].bootstrap), dict.fromkeys(leaders, EARLIEST), leaders=leaders
    )
    assert found == {("a", 0): Offset(0, -1, 3), ("a", 1): Offset(101, -1, 3)}
    topics = [r.topics for fake in fakes for _, r in fake.asked("Metadata")]
    assert all(asked == [] for asked in topics)


def test_a_leader_that_was_known_and_is_another_now_is_found_again(
    fakes: Fakes, connect: Connect
) -> None:
    for node, fake in enumerate(fakes):
        fake.topics = {"a": [1, 1]}
        fake.on("ListOffsets", offsets(node, {} if node else {0: 6}))
    wanted = {("a", 0): EARLIEST, ("a", 1): EARLIEST}
    found = list_offsets(connect(fakes[0].bootstrap), wanted, leaders={("a", 0): 0, ("a", 1): 9})
    assert found == {("a", 0): Offset(100, -1, 3), ("a", 1): Offset(101, -1, 3)}
