"""A member of a share group: what it holds it acknowledges or gives back, whatever brokers do."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.share.consumer import ShareConsumer
from pykafka_ops.client.share.membership import TOO_OLD
from pykafka_ops.client.share.records import MOST_HELD, held
from pykafka_ops.client.share.session import AckType, ShareSession, batches
from pykafka_ops.errors import CorruptBatchError, KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.share_fetch import AcquiredRecords
from tests.support.memory.fake_broker import FakeBroker, HangUp
from tests.support.memory.share_group import TOPIC, TOPIC_ID, ShareGroupDesk, batch

Fakes = tuple[FakeBroker, FakeBroker]
PLACE = (TOPIC_ID, 0)
ACCEPT, RELEASE, REJECT, GAP = AckType.ACCEPT, AckType.RELEASE, AckType.REJECT, AckType.GAP


@pytest.fixture
def desk(fakes: Fakes) -> ShareGroupDesk:
    fakes[0].peers = [fakes[0]]
    fakes[0].controller = 0
    return ShareGroupDesk(fakes[0])


@pytest.fixture
def warned() -> list[str]:
    return []


@pytest.fixture
def consumer(
    desk: ShareGroupDesk, fakes: Fakes, connect: Callable[..., Cluster], warned: list[str]
) -> Iterator[ShareConsumer]:
    made = ShareConsumer(connect(fakes[0].bootstrap), "g", [TOPIC], warned.append)
    yield made
    made.close()


def offsets(consumer: ShareConsumer, most: int = 500) -> list[int]:
    return [record.offset() for record in consumer.poll(most, 0)]


def test_what_is_done_with_is_accepted_and_what_waits_is_given_back(
    consumer: ShareConsumer, desk: ShareGroupDesk
) -> None:
    desk.gives(10, 5)
    first = consumer.poll(2, 0)
    assert [(r.topic(), r.offset(), r.value(), r.deliveries) for r in first] == [
        (TOPIC, 10, b"10", 1), (TOPIC, 11, b"11", 1),
    ]  # fmt: skip
    consumer.acknowledge(first, ACCEPT)
    consumer.close()
    assert desk.outcomes == {10: ACCEPT, 11: ACCEPT, 12: RELEASE, 13: RELEASE, 14: RELEASE}
    assert desk.epochs == [0, 1, -1]
    assert [epoch for _, epoch in desk.members] == [0, -1]


def test_records_that_were_not_acquired_are_others(
    consumer: ShareConsumer, desk: ShareGroupDesk
) -> None:
    desk.gives(0, 6, (1, 2), (5, 5))
    assert offsets(consumer) == [1, 2, 5]


def test_offsets_without_a_record_are_acknowledged_as_gaps(
    consumer: ShareConsumer, desk: ShareGroupDesk
) -> None:
    desk.gives(3, 2, (0, 6))
    assert offsets(consumer) == [3, 4]
    assert desk.outcomes == dict.fromkeys((0, 1, 2, 5, 6), GAP)


def test_a_lost_session_is_opened_anew(consumer: ShareConsumer, desk: ShareGroupDesk) -> None:
    desk.gives(0, 1)
    assert offsets(consumer) == [0]
    desk.codes["fetch"] = [ErrorCode.SHARE_SESSION_NOT_FOUND]
    assert offsets(consumer) == []
    desk.gives(1, 1)
    assert offsets(consumer) == [1]
    assert desk.epochs == [0, 1, 0]


def test_a_broker_that_hangs_up_is_asked_again(
    consumer: ShareConsumer, desk: ShareGroupDesk, fakes: Fakes, warned: list[str]
) -> None:
    answer = fakes[0].answers["ShareFetch"]
    fakes[0].on("ShareFetch", lambda request: HangUp())
    assert offsets(consumer) == []
    assert warned
    fakes[0].on("ShareFetch", answer)
    desk.gives(4, 1)
    assert offsets(consumer) == [4]
    assert desk.epochs == [0]


def test_where_the_leader_moved_it_is_looked_for(
    consumer: ShareConsumer, desk: ShareGroupDesk, fakes: Fakes
) -> None:
    desk.gives(0, 0, code=ErrorCode.NOT_LEADER_OR_FOLLOWER)
    assert offsets(consumer) == []
    before = len(fakes[0].asked("Metadata"))
    desk.gives(0, 1)
    assert offsets(consumer) == [0]
    assert len(fakes[0].asked("Metadata")) == before + 1


def test_a_member_that_was_dropped_joins_anew_by_another_id(
    consumer: ShareConsumer, desk: ShareGroupDesk, warned: list[str]
) -> None:
    desk.gives(0, 2)
    assert offsets(consumer, 1) == [0]
    consumer.member.next_beat = 0
    desk.codes["heartbeat"] = [ErrorCode.UNKNOWN_MEMBER_ID]
    consumer.poll(1, 0)
    desk.gives(1, 1)
    assert offsets(consumer) == [1]
    ids = [member for member, _ in desk.members]
    assert (ids[0], ids[1] != ids[-1]) == (ids[1], True)
    assert "joins anew" in warned[0]


def test_what_could_not_be_acknowledged_is_told(
    consumer: ShareConsumer, desk: ShareGroupDesk, warned: list[str]
) -> None:
    desk.gives(0, 1)
    records = consumer.poll(5, 0)
    desk.codes["acknowledge"] = [ErrorCode.INVALID_SHARE_SESSION_EPOCH]
    consumer.acknowledge(records, ACCEPT)
    assert warned == [
        "orders-0: records were not acknowledged (the broker did not take it) and may come again"
    ]


def test_records_that_were_held_for_too_long_are_not_handed_out(
    consumer: ShareConsumer, desk: ShareGroupDesk
) -> None:
    desk.gives(0, 3)
    assert offsets(consumer, 1) == [0]
    late = [waiting._replace(until=0.0) for waiting in consumer.waiting]
    consumer.waiting.clear()
    consumer.waiting.extend(late)
    assert offsets(consumer) == []


def test_a_group_that_one_may_not_read_as_ends_it(
    consumer: ShareConsumer, desk: ShareGroupDesk
) -> None:
    desk.codes["heartbeat"] = [ErrorCode.GROUP_AUTHORIZATION_FAILED]
    with pytest.raises(KafkaError):
        consumer.join()


def test_brokers_before_4_1_have_no_share_groups(consumer: ShareConsumer, fakes: Fakes) -> None:
    del fakes[0].ranges[76]
    with pytest.raises(PkoError, match=TOO_OLD):
        consumer.join()


# --- pure rules ----------------------------------------------------------------------------------


def acquired(first: int, last: int) -> AcquiredRecords:
    return AcquiredRecords(first_offset=first, last_offset=last, delivery_count=2)


def test_what_cannot_be_read_is_corrupt_from_there_on() -> None:
    data = bytearray(batch(0, 2) + batch(2, 2))
    data[len(batch(0, 2)) + 70] ^= 0xFF  # within the records
    found = held(TOPIC, PLACE, memoryview(bytes(data[: len(batch(0, 2))])), [acquired(0, 3)])
    assert ([r.offset() for r in found.records], found.gaps, found.corrupt) == ([0, 1], [2, 3], [])
    cut = bytearray(batch(0, 3))
    cut[-8:] = b"\xff" * 8
    found = held(TOPIC, PLACE, memoryview(bytes(cut)), [acquired(0, 2)])
    assert found.corrupt


@pytest.mark.parametrize(("first", "last"), [(0, MOST_HELD), (5, 3), (0, (1 << 62))])
def test_what_no_broker_lets_us_hold_is_refused(first: int, last: int) -> None:
    with pytest.raises(CorruptBatchError):
        held(TOPIC, PLACE, memoryview(b""), [acquired(first, last)])


def test_neighbours_with_the_same_outcome_are_one_batch() -> None:
    runs = list(batches({5: ACCEPT, 3: ACCEPT, 4: ACCEPT, 6: REJECT, 9: REJECT}))
    assert [(r.first_offset, r.last_offset, r.acknowledge_types) for r in runs] == [
        (3, 5, [ACCEPT]), (6, 6, [REJECT]), (9, 9, [REJECT]),
    ]  # fmt: skip
    assert not list(batches({}))


def test_a_session_says_only_what_changed() -> None:
    session, other = ShareSession("g", "m"), (TOPIC_ID, 1)
    first = session.fetch([PLACE, other], most=5, wait_ms=1)
    session.answered()
    second = session.fetch([PLACE], most=5, wait_ms=1)
    assert [p.partition_index for t in first.topics for p in t.partitions] == [0, 1]
    assert (second.topics, second.share_session_epoch) == ([], 1)
    assert [t.partitions for t in second.forgotten_topics_data] == [[1]]
