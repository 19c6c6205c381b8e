"""Writing to a target: order, retries with the same numbers, refusals, doubt."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.pipe import turn
from pykafka_ops.disk.batch import read_header
from pykafka_ops.errors import KafkaError
from pykafka_ops.mirror.copy import writer as module
from pykafka_ops.mirror.copy.outlet import TargetOutlet
from pykafka_ops.mirror.copy.writer import Producer, TargetWriter
from pykafka_ops.wire.messages import produce as pr
from tests.support.memory.fake_broker import FakeBroker, HangUp, two_brokers
from tests.support.mirror.logs import batch, rewrite, some
from tests.support.waiting import wait_for

Fakes = tuple[FakeBroker, FakeBroker]
PROPERTIES = {"retry.backoff.ms": "5", "request.timeout.ms": "60000"}


@pytest.fixture
def fakes() -> Iterator[Fakes]:
    brokers = two_brokers()
    brokers[0].topics["a.t"] = [0, 0]
    yield brokers
    for broker in brokers:
        broker.close()


@pytest.fixture
def writer(fakes: Fakes) -> Iterator[TargetWriter]:
    config = ClientConfig.of({"bootstrap.servers": fakes[0].bootstrap, **PROPERTIES})
    cluster = Cluster(config)
    made = TargetWriter(cluster, Producer(9, 2, "id"))
    yield made
    made.pipes.close()
    cluster.close()


def until(writer: TargetWriter, condition: Callable[[], object]) -> None:
    def step() -> object:
        now = time.monotonic()
        writer.pump(now)
        for pipe, why in turn(writer.pipes.open, 0.005):
            writer.broke(pipe, why, now)
        writer.pump(now)
        return condition()

    wait_for(step, what="writing", about=writer.pipes.troubles)


def fill(writer: TargetWriter, batches: int, partition: int = 0) -> TargetOutlet:
    outlet = writer.outlet(("a.t", partition))
    for n in range(batches):
        (piece,) = rewrite(batch(some(n * 50, 50)))
        writer.put(outlet, piece)
    return outlet


class Log:
    """A leader's answers: the first ``errors`` are refusals, then batches are appended, in order of
    their numbers, each once."""

    def __init__(self, *errors: int) -> None:
        self.errors = list(errors)
        self.appended: dict[int, list[int]] = {}

    def __call__(self, request: pr.ProduceRequest) -> Any:
        error = self.errors.pop(0) if self.errors else 0
        if error < -1:
            return HangUp()
        return pr.ProduceResponse(
            responses=[
                pr.TopicProduceResponse(
                    name=topic.name,
                    partition_responses=[self._one(p, error) for p in topic.partition_data],
                )
                for topic in request.topic_data
            ]
        )

    def _one(self, data: pr.PartitionProduceData, error: int) -> pr.PartitionProduceResponse:
        header = read_header(bytes(data.records))  # type: ignore[arg-type]
        at, known = -1, self.appended.setdefault(data.index, [])
        number = header.base_sequence
        if not error and known and number > known[-1] + 50:
            error = 45
        if not error:
            at = number + 1000
            if number not in known:
                known.append(number)
        return pr.PartitionProduceResponse(index=data.index, error_code=error, base_offset=at)


def test_batches_of_all_partitions_go_together_and_in_order(
    fakes: Fakes, writer: TargetWriter
) -> None:
    log = Log()
    fakes[0].on("Produce", log)
    first, second = fill(writer, 12), fill(writer, 3, 1)
    until(writer, lambda: not writer.busy)
    assert log.appended == {0: [n * 50 for n in range(12)], 1: [0, 50, 100]}
    assert [(a.batch.sequence, a.offset) for a in second.acked] == [
        (0, 1000), (50, 1050), (100, 1100)
    ]  # fmt: skip
    assert len(first.acked) == 12
    requests = [request for _, request in fakes[0].asked("Produce")]
    assert {r.transactional_id for r in requests} == {"id"}
    assert {r.acks for r in requests} == {-1}
    assert len(requests[0].topic_data[0].partition_data) == 2


@pytest.mark.parametrize("code", [6, 3, 19, 20, 7, -2])
def test_what_may_pass_is_sent_again_with_the_same_numbers(
    fakes: Fakes, writer: TargetWriter, code: int
) -> None:
    log = Log(0, code, code)
    fakes[0].on("Produce", log)
    outlet = fill(writer, 8)
    until(writer, lambda: not writer.busy)
    assert log.appended[0] == [n * 50 for n in range(8)]
    assert [a.batch.sequence for a in outlet.acked] == [n * 50 for n in range(8)]
    assert (writer.doubt, outlet.failure, outlet.since) == (None, None, None)


def test_a_leader_that_moved_gets_the_rest(fakes: Fakes, writer: TargetWriter) -> None:
    there = Log()

    def moved(request: Any) -> Any:
        fakes[0].topics["a.t"] = [1, 1]
        return Log(6)(request)

    fakes[0].on("Produce", moved)
    fakes[1].on("Produce", there)
    fill(writer, 4)
    until(writer, lambda: not writer.busy)
    assert there.appended[0] == [0, 50, 100, 150]


def test_what_is_refused_for_good_fails_its_partition_alone(
    fakes: Fakes, writer: TargetWriter
) -> None:
    good = Log()

    def answer(request: pr.ProduceRequest) -> Any:
        response = good(request)
        for part in response.responses[0].partition_responses:
            if part.index == 1:
                part.error_code = 10
        return response

    fakes[0].on("Produce", answer)
    fine, bad = fill(writer, 5), fill(writer, 5, 1)
    until(writer, lambda: not writer.busy)
    assert (len(fine.acked), fine.failure) == (5, None)
    assert isinstance(bad.failure, KafkaError) and bad.failure.code == 10
    assert writer.doubt is None


@pytest.mark.parametrize("code", [47, 90, 59, 45, 48])
def test_a_producer_that_is_not_known_any_more_is_in_doubt_until_it_is_another(
    fakes: Fakes, writer: TargetWriter, code: int
) -> None:
    fakes[0].on("Produce", Log(code))
    outlet = fill(writer, 3)
    until(writer, lambda: writer.doubt)
    assert isinstance(writer.doubt, KafkaError) and writer.doubt.code == code
    writer.begin_as(Producer(10, 0))
    assert (writer.doubt, outlet.load, writer.busy) == (None, 0, False)
    log = Log()
    fakes[0].on("Produce", log)
    again = fill(writer, 2)
    until(writer, lambda: not writer.busy)
    assert again is outlet and log.appended[0] == [0, 50]
    last = fakes[0].asked("Produce")[-1][1].topic_data[0].partition_data[0]
    assert read_header(bytes(last.records)).producer_id == 10


def test_a_batch_that_the_leader_had_already_counts_without_an_offset(
    fakes: Fakes, writer: TargetWriter
) -> None:
    fakes[0].on("Produce", Log(46))
    outlet = fill(writer, 1)
    until(writer, lambda: not writer.busy)
    assert [a.offset for a in outlet.acked] == [-1]


def test_a_topic_that_stays_unknown_fails_its_partition(
    fakes: Fakes, writer: TargetWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MISSING_AFTER", 0.0)
    monkeypatch.setattr(module, "LOOK_AGAIN", 0.0)
    outlet = writer.outlet(("nowhere", 0))
    (piece,) = rewrite(batch(some(0, 50)))
    writer.put(outlet, piece)
    until(writer, lambda: outlet.failure)
    assert isinstance(outlet.failure, KafkaError) and outlet.failure.code == 3


def test_numbers_of_a_partition_that_comes_back_go_on(fakes: Fakes, writer: TargetWriter) -> None:
    log = Log()
    fakes[0].on("Produce", log)
    fill(writer, 2)
    until(writer, lambda: not writer.busy)
    writer.keep([])
    fill(writer, 1)
    until(writer, lambda: not writer.busy)
    assert log.appended[0] == [0, 50, 100]
    writer.keep([])
    writer.begin_as(Producer(10, 0))
    assert writer.outlets == {}
