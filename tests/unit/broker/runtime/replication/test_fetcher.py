"""A follower's log becomes its leader's, whatever either of them went through before."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.broker.runtime.replication.copied_partitions import AT_ONCE
from pykafka_ops.broker.runtime.replication.fetchers import fetcher_number
from pykafka_ops.broker.state.replication.throttle import ReplicationQuota
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.messages.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from pykafka_ops.wire.types import ZERO_UUID
from tests.support.memory.copying import Pair, contents, fetch_once, fetcher_of
from tests.support.memory.handler_site import Site, batch, topic_id
from tests.support.memory.replication import lead

CORRUPT, NOT_LEADER, STORAGE, SESSION_GONE, FENCED, UNKNOWN_EPOCH = 2, 6, 56, 70, 74, 75


def answer(pair: Pair, **data: Any) -> FetchResponse:
    """What the leader might say about the partition to a first request."""
    part = PartitionData(partition_index=0, high_watermark=0, **data)
    topic = FetchableTopicResponse(topic_id=topic_id("t"), partitions=[part])
    return FetchResponse(session_id=5, responses=[topic])


def test_records_high_watermark_and_log_start_are_taken_over() -> None:
    pair = Pair()
    pair.leader.append("t", 0, batch(b"a", b"b"), batch(b"c"))
    pair.settle()
    copy = pair.copy.log
    assert contents(copy) == {0: b"a", 1: b"b", 2: b"c"}
    assert copy.high_watermark == 3
    pair.led.log.delete_records(2)
    pair.settle()
    assert copy.log_start_offset == 2
    assert pair.led.low_watermark(lambda _: True) == 2


def test_what_follows_is_fetched_in_a_session_that_names_only_changes() -> None:
    pair = Pair()
    pair.follower.topic("u", isr=(0, 1), replicas=(0, 1), leader=0)
    pair.leader.topic("u", isr=(0, 1), replicas=(0, 1), leader=0)
    pair.fetcher.partitions.add(pair.follower.replicas.find("u", 0))  # type: ignore[arg-type]
    pair.settle()
    idle = pair.fetcher.partitions.request()
    assert idle is not None
    assert (idle.session_epoch > 0, idle.topics) == (True, [])
    pair.fetcher.partitions.session.failed()
    pair.leader.append("u", 0, batch(b"x"))
    pair.fetch()
    again = pair.fetcher.partitions.request()
    assert again is not None
    assert [t.topic for t in again.topics] == ["u"]


def test_of_many_partitions_some_are_named_at_a_time_and_nobody_waits_before_all_are() -> None:
    pair = Pair()
    many = 2 * AT_ONCE + 1
    for site in (pair.leader, pair.follower):
        made = site.topic("u", many - 1, isr=(0, 1), replicas=(0, 1), leader=0)
    for partition in made:
        pair.fetcher.partitions.add(partition)
    named = []
    for _ in range(4):
        request = pair.fetcher.partitions.request()
        assert request is not None
        named.append((sum(len(t.partitions) for t in request.topics), request.max_wait_ms))
        response = pair.leader.ask(request, 17)
        if isinstance(response, FetchResponse):  # the last one waits
            pair.take(response)
    assert named == [(AT_ONCE, 0), (AT_ONCE, 0), (1, 500), (0, 500)]
    assert len(pair.fetcher.partitions.session.sent) == many


def test_a_follower_says_who_it_is() -> None:
    request = Pair().fetcher.partitions.request()
    assert request is not None
    assert request.replica_state is not None
    assert (request.replica_state.replica_id, request.replica_state.replica_epoch) == (1, 7)


def test_topics_without_ids_are_asked_for_by_name() -> None:
    pair = Pair()
    pair.copy.topic_id = ZERO_UUID
    pair.fetcher.partitions.remove(("t", 0))
    pair.fetcher.partitions.add(pair.copy)
    pair.leader.append("t", 0, batch(b"a"))
    pair.settle()
    assert contents(pair.copy.log) == {0: b"a"}
    pair.copy.topic_id = topic_id("t")
    pair.fetcher.partitions.add(pair.copy)  # the controller has given the topic an id
    pair.leader.append("t", 0, batch(b"b"))
    pair.settle()
    assert contents(pair.copy.log) == {0: b"a", 1: b"b"}
    assert pair.fetcher.partitions.session.by_id


def test_another_history_is_cut_off_before_copying() -> None:
    pair = Pair()
    pair.leader.append("t", 0, batch(b"a"))
    pair.settle()
    lead(pair.copy, (1,), leader=1, epoch=4)
    pair.follower.append("t", 0, batch(b"lost"), batch(b"lost too"))
    lead(pair.led, (0, 1), leader=0, epoch=5)
    pair.leader.append("t", 0, batch(b"b"))
    lead(pair.copy, (0, 1), leader=0, epoch=5)
    pair.fetcher.partitions.add(pair.copy)
    pair.settle()
    assert contents(pair.copy.log) == {0: b"a", 1: b"b"}
    assert pair.copy.log.epochs.entries() == pair.led.log.epochs.entries()
    assert pair.copy.log.high_watermark == 2


def test_several_epochs_apart_are_found_one_after_the_other() -> None:
    pair = Pair()
    for epoch in (3, 6, 9):  # the leader's history
        lead(pair.led, (0,), leader=0, epoch=epoch)
        pair.leader.append("t", 0, batch(b"l%d" % epoch))
    for epoch in (3, 4, 5, 7, 8):
        lead(pair.copy, (1,), leader=1, epoch=epoch)
        pair.follower.append("t", 0, batch(b"l3" if epoch == 3 else b"f%d" % epoch))
    lead(pair.led, (0,), leader=0, epoch=10)
    lead(pair.copy, (0,), leader=0, epoch=10)
    pair.fetcher.partitions.add(pair.copy)
    for _ in range(8):
        pair.fetch()
    assert contents(pair.copy.log) == contents(pair.led.log)


def test_a_log_without_epochs_is_cut_to_its_high_watermark_first() -> None:
    pair = Pair()
    pair.leader.append("t", 0, batch(b"a"))
    pair.settle()
    log = pair.copy.log
    log.epochs.clear()
    log.tail.latest_epoch = -1
    lead(pair.copy, (0, 1), leader=0, epoch=4)
    lead(pair.led, (0, 1), leader=0, epoch=4)
    pair.fetcher.partitions.add(pair.copy)
    pair.leader.append("t", 0, batch(b"b"))
    pair.settle()
    assert contents(log) == {0: b"a", 1: b"b"}


def test_a_follower_that_is_too_far_behind_starts_where_the_leader_does() -> None:
    pair = Pair()
    pair.leader.append("t", 0, batch(b"a"))
    pair.settle()
    pair.led.log.truncate_fully(10)
    pair.leader.append("t", 0, batch(b"k"))
    pair.settle()
    assert contents(pair.copy.log) == {10: b"k"}
    assert (pair.copy.log.log_start_offset, pair.copy.log.high_watermark) == (10, 11)


def test_a_leader_that_lost_records_costs_the_follower_its_own() -> None:
    pair = Pair()
    pair.leader.append("t", 0, batch(b"a"), batch(b"b"), batch(b"c"))
    pair.settle()
    pair.led.log.truncate_to(1)
    pair.led.log.epochs.clear()  # it cannot tell where they part
    for _ in range(4):
        pair.fetch()
    assert pair.copy.log.log_end_offset == 1


def test_a_log_that_starts_inside_a_batch_begins_with_that_batch() -> None:
    pair = Pair()
    pair.leader.append("t", 0, batch(b"a", b"b", b"c"))
    pair.led.log.raise_high_watermark(3)
    pair.led.log.delete_records(2)
    pair.fetch()
    pair.settle()
    assert pair.copy.log.log_start_offset == 2
    assert contents(pair.copy.log)[2] == b"c"
    pair.leader.append("t", 0, batch(b"d"))
    pair.settle()
    assert contents(pair.copy.log)[3] == b"d"


def test_damaged_records_are_asked_for_again_after_a_while() -> None:
    pair = Pair(replica_fetch_backoff_ms=1000)
    good = bytearray(batch(b"a", b"b"))
    bad = bytearray(good)
    bad[-1] ^= 1
    pair.fetcher.partitions.request()
    pair.take(answer(pair, records=bytes(good) + bytes(bad)))
    assert pair.copy.log.log_end_offset == 0  # nothing of it is kept
    assert not pair.fetcher.partitions.failed
    pair.leader.append("t", 0, batch(b"x"))
    pair.settle()
    assert pair.copy.log.log_end_offset == 0
    pair.follower.time += 1001
    pair.settle()
    assert contents(pair.copy.log) == {0: b"x"}


@pytest.mark.parametrize("code", [NOT_LEADER, UNKNOWN_EPOCH])
def test_who_does_not_lead_yet_is_asked_again_soon_and_then_less_often(code: int) -> None:
    pair = Pair(replica_fetch_backoff_ms=1000)
    waits = []
    for _ in range(8):
        pair.fetcher.partitions.request()
        assert pair.take(answer(pair, error_code=code)) == []
        state = pair.fetcher.partitions.states["t", 0]
        waits.append(state.ready_at - pair.follower.time)
        pair.follower.time = state.ready_at
        pair.fetcher.partitions.session.failed()
    assert waits == sorted(waits)
    assert (waits[0], waits[-1]) == (25, 1000)


def test_a_newer_leader_epoch_ends_it_until_the_controller_speaks() -> None:
    pair = Pair()
    lead(pair.led, (0, 1), leader=0, epoch=4)
    pair.fetch()
    assert pair.fetcher.partitions.failed == {("t", 0)}
    lead(pair.copy, (0, 1), leader=0, epoch=4)
    pair.fetcher.partitions.add(pair.copy)
    assert not pair.fetcher.partitions.failed
    pair.leader.append("t", 0, batch(b"a"))
    pair.settle()
    assert contents(pair.copy.log) == {0: b"a"}


def test_a_high_watermark_in_an_answer_that_came_too_late_is_heard_again() -> None:
    pair = Pair(replica_fetch_wait_max_ms=0)
    pair.leader.append("t", 0, batch(b"a"))
    pair.fetch()
    request = pair.fetcher.partitions.request()
    said = pair.leader.ask(request, 17)
    lead(pair.copy, (0, 1), leader=0, epoch=4)
    lead(pair.led, (0, 1), leader=0, epoch=4)
    pair.fetcher.partitions.add(pair.copy)
    pair.take(said)
    assert pair.copy.log.high_watermark == 0
    pair.settle()
    assert pair.copy.log.high_watermark == 1


def test_what_comes_after_a_partition_is_removed_is_not_appended() -> None:
    pair = Pair()
    pair.fetcher.partitions.request()
    pair.fetcher.partitions.remove(("t", 0))
    pair.take(answer(pair, records=batch(b"a")))
    assert pair.copy.log.log_end_offset == 0


def test_an_answer_from_an_epoch_ago_is_not_appended() -> None:
    pair = Pair()
    pair.fetcher.partitions.request()
    lead(pair.copy, (0, 1), leader=0, epoch=4)
    pair.fetcher.partitions.add(pair.copy)
    pair.take(answer(pair, records=batch(b"a")))
    assert pair.copy.log.log_end_offset == 0


def test_who_leads_by_now_does_not_append_what_it_asked_for_as_follower() -> None:
    pair = Pair()
    pair.fetcher.partitions.request()
    lead(pair.copy, (1,), leader=1, epoch=3)
    pair.take(answer(pair, records=batch(b"a")))
    assert pair.copy.log.log_end_offset == 0


@pytest.mark.parametrize(
    "broken",
    [
        FetchResponse(error_code=SESSION_GONE),
        FetchResponse(session_id=9, responses=[FetchableTopicResponse(topic_id=b"x" * 16)]),
        FetchResponse(
            session_id=9,
            responses=[
                FetchableTopicResponse(
                    topic_id=topic_id("t"), partitions=[PartitionData(partition_index=7)]
                )
            ],
        ),
    ],
)
def test_a_session_that_is_over_or_confused_is_begun_anew(broken: FetchResponse) -> None:
    pair = Pair()
    pair.settle()
    pair.leader.append("t", 0, batch(b"a"))
    pair.fetcher.partitions.request()
    pair.take(broken)
    pair.settle()
    pair.settle()
    assert contents(pair.copy.log) == {0: b"a"}


def test_a_partition_whose_directory_failed_is_given_up() -> None:
    pair = Pair()
    pair.follower.logs.logs.clear()
    pair.copy.go_offline()
    pair.fetch()
    assert pair.fetcher.partitions.failed == {("t", 0)}
    assert pair.fetcher.partitions.request() is None


def test_a_directory_that_fails_at_an_append_takes_its_partitions_away_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pair = Pair()
    for site in (pair.leader, pair.follower):
        site.topic("u", isr=(0, 1), replicas=(0, 1), leader=0)
    pair.fetcher.partitions.add(pair.follower.replicas.find("u", 0))  # type: ignore[arg-type]
    pair.leader.append("t", 0, batch(b"a"))
    pair.leader.append("u", 0, batch(b"u"))
    real = Log.append_as_follower

    def fail(log: Log, records: memoryview) -> object:
        if log.place.key[0] == "u":
            return real(log, records)
        pair.copy.go_offline()
        pair.fetcher.partitions.remove(("t", 0))  # as LocalOrderExecutor does
        raise KafkaError(STORAGE)

    monkeypatch.setattr(Log, "append_as_follower", fail)
    pair.settle()
    assert set(pair.fetcher.partitions.states) == {("u", 0)}
    assert contents(pair.follower.replicas.find("u", 0).log) == {0: b"u"}  # type: ignore[union-attr]


def test_a_full_disk_is_tried_again_until_there_is_room() -> None:
    pair = Pair(replica_fetch_backoff_ms=1000)
    pair.leader.append("t", 0, batch(b"a"), batch(b"b"), batch(b"c" * 500))
    files, home = pair.follower.logs.files, pair.follower.logs.home
    files.capacity = files.used + 200
    pair.fetch()
    files.capacity = None  # by now there is room
    pair.settle()
    assert contents(pair.copy.log) == {0: b"a", 1: b"b"}, "it waits before it asks again"
    pair.follower.time, home.full = 1000, True
    pair.settle()
    assert pair.copy.log.log_end_offset == 2, "it is spared while it is known to be full"
    home.full = False
    pair.settle()
    assert contents(pair.copy.log)[2] == b"c" * 500


class Limit(ReplicationQuota):
    """Partitions of topic t are throttled while ``exceeded``."""

    def __init__(self) -> None:
        self.exceeded = True
        self.copied = 0

    def is_throttled(self, key: tuple[str, int]) -> bool:
        return key[0] == "t"

    def is_exceeded(self, now: float) -> bool:
        return self.exceeded

    def record(self, size: int, now: float) -> None:
        self.copied += size


def test_a_throttle_holds_back_who_is_not_in_sync_and_counts_what_comes() -> None:
    limit = Limit()
    pair = Pair(throttle=limit)
    pair.leader.append("t", 0, batch(b"a"))
    assert pair.fetch() is None
    limit.exceeded = False
    pair.settle()
    assert limit.copied == len(batch(b"a"))
    limit.exceeded = True
    pair.leader.append("t", 0, batch(b"b"))
    pair.settle()  # it was in sync: it stays so
    assert pair.copy.log.log_end_offset == 2


def test_a_topic_made_anew_is_not_confused_with_the_old_one() -> None:
    leader, follower = Site(0), Site(1)
    fetcher = fetcher_of(follower, 0, lambda: leader)
    for id_ in (b"1" * 16, b"2" * 16):
        for site in (leader, follower):
            site.replicas.drop("t", 0)
            if site.logs.files.exists("/data/t-0"):
                site.logs.files.remove_tree("/data/t-0")
            (partition,) = site.topic("t", isr=(0, 1), replicas=(0, 1), leader=0)
            partition.topic_id = id_
            site.image.topic_names_by_id[id_] = "t"
        fetcher.partitions.remove(("t", 0))
        fetcher.partitions.add(partition)
        leader.append("t", 0, batch(id_[:1]))
        for _ in range(3):
            fetch_once(fetcher, leader)
        assert contents(partition.log) == {0: id_[:1]}


def test_fetchers_are_chosen_as_kafka_does() -> None:
    # Utils.abs(31 * "topic".hashCode + partition) % n, by hand: "ab".hashCode is 3105
    numbers = [fetcher_number(("ab", n), 4) for n in range(3)]
    assert numbers == [(31 * 3105 + n) % 4 for n in range(3)]
    assert fetcher_number(("a-long-topic-name", 3), 1) == 0
