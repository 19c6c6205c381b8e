"""Produce appends what is right, says what is wrong, and waits as long as acks asks."""

from __future__ import annotations

import errno
from typing import Any

import pytest

from pykafka_ops.broker.handlers import produce
from pykafka_ops.broker.partitions import append
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.legacy import build_messages
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from tests.support.memory.handler_site import ME, OTHER, Later, Site, batch
from tests.support.memory.replication import follower_at, lead

NONE, SERVER_ERROR = 0, -1
CORRUPT, UNKNOWN_TOPIC, NOT_LEADER, TIMED_OUT, TOO_LARGE, INVALID_TOPIC = 2, 3, 6, 7, 10, 17
NOT_ENOUGH, NOT_ENOUGH_AFTER, INVALID_ACKS, STORAGE = 19, 20, 21, 56
NOT_AUTHORIZED, NO_CODEC, INVALID_RECORD = 53, 76, 87


@pytest.fixture
def site() -> Site:
    made = Site()
    made.topic("t")
    return made


def log_of(site: Site, topic: str = "t") -> Any:
    return site.replicas.find(topic, 0).log  # type: ignore[union-attr]


def old_messages(magic: int, *values: bytes, codec: Codec = Codec.NONE) -> bytes:
    records = [Record(n, 1000, None, value, []) for n, value in enumerate(values)]
    return bytes(build_messages(records, magic, codec=codec))


# -- appending -------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", range(3, 12))
def test_batches_get_the_next_offsets(site: Site, version: int) -> None:
    first = site.produce(batch(b"a", b"b"), version=version)
    second = site.produce(batch(b"c"), version=version)
    assert (first.error_code, first.base_offset, first.log_append_time_ms) == (NONE, 0, -1)
    assert (second.error_code, second.base_offset) == (NONE, 2)
    assert first.log_start_offset == (0 if version >= 5 else -1)
    assert log_of(site).high_watermark == 3


@pytest.mark.parametrize("version", [0, 1, 2])
@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4])
def test_message_sets_of_old_clients_are_converted(site: Site, version: int, codec: Codec) -> None:
    magic = 0 if version < 2 else 1
    answer = site.produce(old_messages(magic, b"a", b"b", codec=codec), version=version)
    assert (answer.error_code, answer.base_offset) == (NONE, 0)
    assert log_of(site).log_end_offset == 2
    assert bytes(log_of(site).read(0, 1000, up_to=2).parts[0])[16] == 2


def test_the_broker_stamps_records_where_the_topic_says_so() -> None:
    site = Site()
    site.topic("t", config={"message.timestamp.type": "LogAppendTime"})
    assert site.produce(batch(b"a")).log_append_time_ms == site.now


def test_each_partition_has_its_own_answer(site: Site) -> None:
    good, bad = batch(b"a"), bytearray(batch(b"b"))
    bad[-1] ^= 1
    site.topic("u", 2)

    def of(*data: tuple[int, Any]) -> list[PartitionProduceData]:
        return [PartitionProduceData(index=index, records=records) for index, records in data]

    request = ProduceRequest(
        acks=1,
        timeout_ms=1000,
        topic_data=[
            TopicProduceData(name="u", partition_data=of((1, good), (0, bad), (7, good))),
            TopicProduceData(name="t", partition_data=of((0, good))),
        ],
    )
    answer = site.ask(request, 9)
    codes = [[(p.index, p.error_code) for p in t.partition_responses] for t in answer.responses]
    assert codes == [[(1, NONE), (0, CORRUPT), (7, UNKNOWN_TOPIC)], [(0, NONE)]]


def test_a_repeated_batch_is_answered_with_its_first_offset(site: Site) -> None:
    site.produce(batch(b"x"))
    again = batch(b"a", b"b", producer_id=5, producer_epoch=0, base_sequence=0)
    assert [site.produce(again).base_offset for _ in range(3)] == [1, 1, 1]
    assert log_of(site).log_end_offset == 3


def test_an_append_wakes_who_waits_for_it(site: Site) -> None:
    woken = []
    site.replicas.wake = woken.append  # type: ignore[method-assign]
    site.produce(batch(b"a"))
    site.run_soon()
    assert woken == []
    site.replicas.fetches.watch[("t", 0)] = {}
    for _ in range(3):
        site.produce(batch(b"a"))
    site.run_soon()
    assert woken == [("t", 0)]


# -- what is refused -------------------------------------------------------------------------------


def test_who_cannot_append_says_why(site: Site) -> None:
    site.topic("elsewhere", leader=OTHER)
    good = batch(b"a")
    assert site.produce(good, topic="nowhere").error_code == UNKNOWN_TOPIC
    assert site.produce(good, index=1).error_code == UNKNOWN_TOPIC
    refused = site.produce(good, topic="elsewhere")
    assert (refused.error_code, refused.base_offset, refused.log_start_offset) == (
        NOT_LEADER,
        -1,
        -1,
    )


@pytest.mark.parametrize("acks", [2, -2, 32767, -32768])
def test_acks_that_are_none_of_three_are_refused(site: Site, acks: int) -> None:
    assert site.produce(batch(b"a"), acks=acks).error_code == INVALID_ACKS
    assert log_of(site).log_end_offset == 0


def test_internal_topics_are_for_the_brokers_own_client(site: Site) -> None:
    site.topic("__consumer_offsets")
    data = batch(b"a")
    assert site.produce(data, topic="__consumer_offsets").error_code == INVALID_TOPIC
    allowed = site.produce(data, topic="__consumer_offsets", client_id="__admin_client")
    assert allowed.error_code == NONE


@pytest.mark.parametrize(
    ("what", "records", "version", "code"),
    [
        ("no records", None, 3, INVALID_RECORD),
        ("empty records", b"", 9, INVALID_RECORD),
        ("empty records of old", b"", 2, NONE),
        ("old format in a new version", old_messages(1, b"a"), 3, INVALID_RECORD),
        ("older format in a new version", old_messages(0, b"a"), 11, INVALID_RECORD),
        ("zstd before it was known", batch(b"a", codec=Codec.ZSTD), 6, NO_CODEC),
        ("zstd", batch(b"a", codec=Codec.ZSTD), 7, NONE),
        ("a codec nobody has", batch(b"a")[:22] + b"\5" + batch(b"a")[23:], 6, -1),
        ("two batches", batch(b"a") * 2, 9, INVALID_RECORD),
        ("wrong CRC", batch(b"a")[:-1] + b"!", 9, CORRUPT),
        ("cut short", batch(b"a")[:-1], 9, INVALID_RECORD),
        ("cut short, of old", old_messages(1, b"a")[:-1], 2, NONE),
        ("garbage", b"\xff" * 100, 9, CORRUPT),
        ("format of the future", batch(b"a")[:16] + b"\3" + batch(b"a")[17:], 9, CORRUPT),
        ("a few bytes", b"abc", 9, INVALID_RECORD),
        ("junk behind a batch", batch(b"a") + b"junk", 9, NONE),
        ("larger than allowed", batch(b"x" * 1_100_000), 9, TOO_LARGE),
        ("control batch", batch(b"a", control=True), 9, INVALID_RECORD),
    ],
)
def test_bad_records_are_refused(
    site: Site, what: str, records: bytes | None, version: int, code: int
) -> None:
    answer = site.produce(records, version=version)
    assert answer.error_code == code, what
    if answer.error_code != NONE or not records:
        assert (answer.base_offset, log_of(site).log_end_offset) == (-1, 0)
    assert site.produce(batch(b"good")).error_code == NONE


def test_where_the_log_starts_is_told_with_errors_of_single_batches(site: Site) -> None:
    site.produce(batch(b"a", b"b"))
    log_of(site).delete_records(1)
    assert site.produce(batch(b"a", control=True)).log_start_offset == 1
    assert site.produce(batch(b"a")[:-1] + b"!").log_start_offset == -1
    assert site.produce(batch(b"a") * 2).log_start_offset == -1


def test_transactional_batches_need_a_transactional_id(site: Site) -> None:
    records = batch(b"x", producer_id=1, producer_epoch=0, base_sequence=0, transactional=True)
    for version in (3, 9, 11):
        assert site.produce(records, version=version).error_code == NOT_AUTHORIZED
    assert site.produce(batch(b"x"), transactional_id="tx").error_code == NONE
    assert log_of(site).last_stable_offset == log_of(site).log_end_offset == 1


def test_single_records_that_are_refused_are_named(site: Site) -> None:
    site.topic("c", config={"cleanup.policy": "compact"})
    records = [Record(n, 1000, b"k" if n == 1 else None, b"v", []) for n in range(3)]
    answer = site.produce(bytes(build_batch(records)), topic="c", version=8)
    assert answer.error_code == INVALID_RECORD
    assert [e.batch_index for e in answer.record_errors] == [0, 2]
    assert all(e.batch_index_error_message for e in answer.record_errors)
    assert answer.error_message
    assert site.produce(bytes(build_batch(records)), topic="c", version=7).record_errors == []


def test_a_failing_disk_is_a_storage_error_of_its_partitions(site: Site) -> None:
    site.topic("u")
    site.logs.files.fail_next_write(errno.EIO, match="/t-0/")
    assert site.produce(batch(b"a")).error_code == STORAGE


def test_a_full_disk_refuses_what_does_not_fit_and_then_goes_on(site: Site) -> None:
    site.produce(batch(b"a"))
    site.logs.files.fail_next_write(errno.ENOSPC, short=10)
    assert site.produce(batch(b"b")).error_code == STORAGE
    assert site.produce(batch(b"c")).base_offset == 1


def test_a_bug_below_costs_one_partition(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **rest: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(site.replicas, "append", broken)
    assert site.produce(batch(b"a")).error_code == SERVER_ERROR


# -- acks=0 ----------------------------------------------------------------------------------------


def test_without_acks_there_is_no_answer(site: Site) -> None:
    assert site.produce(batch(b"a"), acks=0) is None
    assert log_of(site).log_end_offset == 1


def test_without_acks_an_error_closes_the_connection(site: Site) -> None:
    def asks_to_close(records: bytes) -> bool:
        context = site.context(9)
        data = [PartitionProduceData(index=0, records=memoryview(bytearray(records)))]
        request = ProduceRequest(
            acks=0, topic_data=[TopicProduceData(name="t", partition_data=data)]
        )
        assert produce.handle(context, request) is None
        return context.close_connection

    assert not asks_to_close(batch(b"a"))
    assert asks_to_close(batch(b"a")[:-1] + b"!")


# -- acks=all --------------------------------------------------------------------------------------


@pytest.fixture
def replicated() -> Site:
    """Topic t on two brokers, both in sync, two needed."""
    made = Site()
    made.topic("t", isr=(ME, OTHER), replicas=(ME, OTHER), config={"min.insync.replicas": "2"})
    return made


def replica_at(site: Site, offset: int) -> None:
    partition = site.replicas.find("t", 0)
    assert partition is not None
    if follower_at(partition, offset):
        site.replicas.wake(partition.key)


def waiting(site: Site, *values: bytes) -> Later:
    later = site.produce(batch(*values), acks=-1)
    assert isinstance(later, Later)
    assert not later.done
    return later


def outcome(later: Later) -> tuple[int, int]:
    answer = later.answer.responses[0].partition_responses[0]
    return answer.error_code, answer.base_offset


def test_alone_in_sync_all_acks_are_there_at_once(site: Site) -> None:
    assert site.produce(batch(b"a"), acks=-1).error_code == NONE


def test_the_answer_waits_until_the_replicas_have_it(replicated: Site) -> None:
    first, second = waiting(replicated, b"a", b"b"), waiting(replicated, b"c")
    replica_at(replicated, 1)
    assert not first.done
    replica_at(replicated, 2)
    assert outcome(first) == (NONE, 0)
    assert not second.done
    replica_at(replicated, 3)
    assert outcome(second) == (NONE, 2)
    assert len(replicated.replicas.produces) == 0


def test_acks_1_does_not_wait_for_replicas(replicated: Site) -> None:
    assert replicated.produce(batch(b"a"), acks=1).error_code == NONE


def test_time_runs_out(replicated: Site) -> None:
    later = waiting(replicated, b"a")
    assert replicated.armed == [1000.0]
    replicated.pass_time(999)
    assert not later.done
    replicated.pass_time(1)
    assert outcome(later) == (TIMED_OUT, -1)


def test_too_few_in_sync_are_refused_before_anything_is_written(replicated: Site) -> None:
    partition = replicated.replicas.find("t", 0)
    assert partition is not None
    lead(partition, (ME,))
    assert replicated.produce(batch(b"a"), acks=-1).error_code == NOT_ENOUGH
    assert partition.log.log_end_offset == 0
    assert replicated.produce(batch(b"a"), acks=1).error_code == NONE


def test_the_replicas_needed_are_capped_at_those_there_are() -> None:
    site = Site()
    site.topic("t", config={"min.insync.replicas": "3"})
    assert site.produce(batch(b"a"), acks=-1).error_code == NONE


def test_an_in_sync_set_that_shrinks_meanwhile_is_told(replicated: Site) -> None:
    later = waiting(replicated, b"a")
    partition = replicated.replicas.find("t", 0)
    assert partition is not None
    follower_at(partition, 1)
    partition.isr = (ME,)
    replicated.replicas.wake(partition.key)
    assert outcome(later) == (NOT_ENOUGH_AFTER, -1)


def test_nothing_is_committed_while_too_few_are_in_sync(replicated: Site) -> None:
    later = waiting(replicated, b"a")
    partition = replicated.replicas.find("t", 0)
    assert partition is not None
    lead(partition, (ME,))
    replicated.replicas.wake(partition.key)
    assert not later.done
    replicated.pass_time(1000)
    assert outcome(later) == (TIMED_OUT, -1)


def test_losing_the_lead_ends_the_wait(replicated: Site) -> None:
    later = waiting(replicated, b"a")
    replicated.replicas.drop("t", 0)
    assert outcome(later) == (NOT_LEADER, -1)


def test_a_directory_that_fails_meanwhile_ends_the_wait(replicated: Site) -> None:
    later = waiting(replicated, b"a")
    replicated.logs.logs.clear()
    partition = replicated.replicas.find("t", 0)
    assert partition is not None
    partition.go_offline()
    replicated.replicas.wake(partition.key)
    assert outcome(later) == (STORAGE, -1)


def test_a_bug_while_it_waits_ends_the_wait(
    replicated: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any) -> Any:
        raise ZeroDivisionError

    later = waiting(replicated, b"a")
    monkeypatch.setattr(append, "_committed", broken)
    replicated.replicas.wake(("t", 0))
    assert outcome(later) == (SERVER_ERROR, -1)


def test_a_client_that_goes_leaves_nothing_behind(replicated: Site) -> None:
    later = waiting(replicated, b"a")
    later.deferred.abandon()
    assert len(replicated.replicas.produces) == 0
    replica_at(replicated, 1)
    replicated.pass_time(5000)


def test_the_answer_to_any_failure_names_every_partition(site: Site) -> None:
    data = [PartitionProduceData(index=n) for n in range(2)]
    request = ProduceRequest(acks=1, topic_data=[TopicProduceData(name="t", partition_data=data)])
    answer: Any = produce.failed(request, 9, KafkaError(SERVER_ERROR))
    codes = [p.error_code for p in answer.responses[0].partition_responses]
    assert codes == [SERVER_ERROR, SERVER_ERROR]
    request.acks = 0
    assert produce.failed(request, 9, KafkaError(SERVER_ERROR)) is None
