from collections.abc import Callable
from typing import Any

import pytest

from pykafka_ops.client.cluster import CallTimeoutError, Cluster
from pykafka_ops.client.produce import produce
from pykafka_ops.client.transactional import TransactionalProducer
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import find_coordinator as fc
from pykafka_ops.wire.messages import produce as pr
from pykafka_ops.wire.messages.init_producer_id import InitProducerIdResponse
from tests.support.memory.fake_broker import FakeBroker

Fakes = tuple[FakeBroker, FakeBroker]
Connect = Callable[..., Cluster]
PARTITION = ("a", 0)
RECORDS = [Record(0, 1_000, None, b"one"), Record(1, 1_000, None, b"two")]


@pytest.fixture
def broker(fakes: Fakes) -> FakeBroker:
    """The coordinator of everything and the leader of a partition."""
    fake = fakes[0]
    fake.topics = {"a": [0]}

    def here(request: Any) -> fc.FindCoordinatorResponse:
        found = fc.Coordinator(
            key=request.coordinator_keys[0], node_id=0, host="127.0.0.1", port=fake.port
        )
        return fc.FindCoordinatorResponse(coordinators=[found])

    fake.on("FindCoordinator", here)
    fake.on("InitProducerId", lambda _: InitProducerIdResponse(producer_id=7, producer_epoch=1))
    return fake


def answering(*codes: ErrorCode) -> Callable[[Any], pr.ProduceResponse]:
    """An answer to Produce: these errors in turn, the last one for ever."""
    left = list(codes)

    def answer(request: Any) -> pr.ProduceResponse:
        code = left.pop(0) if len(left) > 1 else left[0]
        part = pr.PartitionProduceResponse(index=0, error_code=code, base_offset=40)
        return pr.ProduceResponse(
            responses=[pr.TopicProduceResponse(name="a", partition_responses=[part])]
        )

    return answer


def test_a_leader_that_cannot_ask_the_coordinator_yet_is_asked_again(
    broker: FakeBroker, connect: Connect
) -> None:
    broker.on("Produce", answering(ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.NONE))
    producer = TransactionalProducer(connect(broker.bootstrap), "t", 60_000)
    assert producer.send(PARTITION, RECORDS) == 40
    (_, first), (_, again) = broker.asked("Produce")
    batches = [bytes(r.topic_data[0].partition_data[0].records) for r in (first, again)]
    assert batches[0] == batches[1]
    assert producer.sequences == {PARTITION: 2}


def test_a_leader_that_never_can_is_given_up_in_time(broker: FakeBroker, connect: Connect) -> None:
    broker.on("Produce", answering(ErrorCode.NOT_ENOUGH_REPLICAS))
    cluster = connect(broker.bootstrap, default_api_timeout_ms="4000")
    producer = TransactionalProducer(cluster, "t", 60_000)
    with pytest.raises(CallTimeoutError):
        producer.send(PARTITION, RECORDS)
    assert producer.sequences == {}


def test_what_lacks_replicas_in_sync_without_a_transaction_is_told_at_once(
    broker: FakeBroker, connect: Connect
) -> None:
    broker.on("Produce", answering(ErrorCode.NOT_ENOUGH_REPLICAS))
    found = produce(connect(broker.bootstrap), {PARTITION: b"batch"})[PARTITION]
    assert isinstance(found, KafkaError)
    assert found.code == ErrorCode.NOT_ENOUGH_REPLICAS
    assert len(broker.asked("Produce")) == 1
