"""Fetch among replicas: followers read to the end, consumers from who is nearest (KIP-392)."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.broker.partitions import fetches
from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.partitions.read import read_partition
from pykafka_ops.broker.state.image import BrokerEndpoint, BrokerInfo
from pykafka_ops.broker.state.replication.awaited import PATIENCE_MS, SHORT_WAIT_MS
from pykafka_ops.wire.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from pykafka_ops.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic, ReplicaState
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from tests.support.memory.handler_site import ME, OTHER, Later, Site, batch, topic_id
from tests.support.memory.replication import follower_at, lead

NONE, OUT_OF_RANGE, NOT_LEADER, FENCED, UNKNOWN_EPOCH = 0, 1, 6, 74, 75
SIZE = len(batch(b"x"))


def ask(site: Site, offset: int, *, replica: int = -1, version: int = 17, **more: Any) -> Any:
    """A Fetch of partition 0 of topic t."""
    each = {k: more.pop(k) for k in ("current_leader_epoch", "log_start_offset") if k in more}
    wanted = FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=1 << 20, **each)
    topic = FetchTopic(partitions=[wanted])
    request = FetchRequest(topics=[topic], **{"max_wait_ms": 500, "min_bytes": 1, **more})
    if version < 13:
        topic.topic = "t"
    else:
        topic.topic_id = topic_id("t")
    if version < 15:
        request.replica_id = replica
    else:
        request.replica_state = ReplicaState(replica_id=replica)
    return site.ask(request, version)


def only(answer: Any) -> Any:
    assert not isinstance(answer, Later)
    return answer.responses[0].partitions[0]


def produce(site: Site, *values: bytes) -> Any:
    data = [PartitionProduceData(index=0, records=batch(*values))]
    topics = [TopicProduceData(name="t", partition_data=data)]
    return site.ask(ProduceRequest(acks=-1, timeout_ms=30_000, topic_data=topics), 9)


@pytest.fixture
def site() -> Site:
    made = Site()
    made.topic("t", isr=(ME, OTHER), replicas=(ME, OTHER))
    return made


def partition_of(site: Site) -> Partition:
    found = site.replicas.find("t", 0)
    assert found is not None
    return found


def test_a_follower_reads_what_is_not_committed_yet(site: Site) -> None:
    site.append("t", 0, batch(b"x"))
    follower = only(ask(site, 0, replica=OTHER))
    assert (len(follower.records), follower.high_watermark) == (SIZE, 0)
    assert len(only(ask(site, 0, max_wait_ms=0)).records) == 0


def test_the_next_fetch_of_the_last_follower_commits(site: Site) -> None:
    later = produce(site, b"x")
    ask(site, 0, replica=OTHER)
    site.run_soon()
    assert not later.done
    waiting = ask(site, 1, replica=OTHER)
    site.run_soon()
    assert later.answer.responses[0].partition_responses[0].error_code == NONE
    assert partition_of(site).log.high_watermark == 1
    site.pass_time(600)
    assert only(waiting.answer).high_watermark == 1


def test_only_the_arrival_of_a_fetch_tells_how_far_its_sender_is(site: Site) -> None:
    site.append("t", 0, batch(b"x"))
    waiting = ask(site, 1, replica=OTHER)
    partition = partition_of(site)
    assert partition.in_sync is not None
    partition.in_sync.followers[OTHER].end = 0  # as if it had asked anew
    site.append("t", 0, batch(b"y"))
    assert len(only(waiting.answer).records) == SIZE
    assert partition.in_sync.followers[OTHER].end == 0


def test_a_follower_learns_at_once_what_its_fetch_commits(site: Site) -> None:
    site.append("t", 0, batch(b"x"), batch(b"y"))
    answer = only(ask(site, 1, replica=OTHER))
    assert (len(answer.records), answer.high_watermark) == (SIZE, 1)


def test_who_waits_is_answered_when_there_are_more_partitions_to_ask_for(site: Site) -> None:
    site.run_soon()
    waiting = ask(site, 0, replica=OTHER)
    (other,) = site.topic("u", leader=OTHER, isr=(ME, OTHER), replicas=(ME, OTHER))
    lead(other, (ME, OTHER), (ME, OTHER), leader=ME, epoch=4)
    site.replicas.wake_soon(other.key)
    site.run_soon()
    assert waiting.done
    again = ask(site, 0, replica=OTHER)  # it has not heard of that yet
    site.pass_time(SHORT_WAIT_MS)
    assert again.done
    other.fetched_by(OTHER, 0, 0)
    for replica in (OTHER, -1):
        usual = ask(site, 0, replica=replica)
        site.pass_time(400)
        assert not usual.done


def test_a_follower_that_does_not_come_is_awaited_for_a_while_only(site: Site) -> None:
    site.topic("u", isr=(ME, OTHER), replicas=(ME, OTHER))
    site.pass_time(PATIENCE_MS + 1)
    waiting = ask(site, 0, replica=OTHER)
    site.pass_time(400)
    assert not waiting.done


def test_who_is_gone_is_waited_for_no_more() -> None:
    site, third = Site(), 2
    alive = (ME, OTHER, third)
    (partition,) = site.topic("t", isr=(ME, OTHER), replicas=alive)
    site.update({}, alive)
    assert partition.in_sync is not None
    later = produce(site, b"x")
    partition.in_sync.followers[third].caught_up = site.time + 1  # then it stopped
    partition.fetched_by(OTHER, 1, 0)
    site.run_soon()
    assert not later.done
    site.update({}, (ME, OTHER))
    site.replicas.brokers_gone({third})
    site.run_soon()
    assert later.answer.responses[0].partition_responses[0].error_code == NONE


@pytest.mark.parametrize(("epoch", "code"), [(3, UNKNOWN_EPOCH), (-1, NOT_LEADER)])
def test_who_is_not_assigned_cannot_follow(site: Site, epoch: int, code: int) -> None:
    assert only(ask(site, 0, replica=7, current_leader_epoch=epoch)).error_code == code
    assert only(ask(site, 0, replica=ME, current_leader_epoch=epoch)).error_code == code


def test_a_follower_reads_from_the_leader_only(site: Site) -> None:
    lead(partition_of(site), (OTHER,), leader=OTHER, epoch=4)
    assert only(ask(site, 0, replica=OTHER)).error_code == NOT_LEADER
    assert only(ask(site, 0, replica=OTHER, current_leader_epoch=3)).error_code == FENCED


def test_a_follower_out_of_range_is_told(site: Site) -> None:
    assert only(ask(site, 1, replica=OTHER)).error_code == OUT_OF_RANGE
    partition = partition_of(site)
    assert partition.in_sync is not None
    assert partition.in_sync.followers[OTHER].end == -1


def test_consumers_read_from_a_follower_what_it_knows_to_be_committed(site: Site) -> None:
    site.append("t", 0, batch(b"x"), batch(b"y"))
    partition = partition_of(site)
    follower_at(partition, 1)
    lead(partition, (OTHER,), leader=OTHER, epoch=4)
    assert len(only(ask(site, 0)).records) == SIZE
    assert only(ask(site, 0, version=10)).error_code == NOT_LEADER


def test_deleting_records_waits_for_followers_to_have_begun_later(site: Site) -> None:
    site.append("t", 0, batch(b"x"), batch(b"y"))
    ask(site, 2, replica=OTHER, log_start_offset=0)
    topics = [
        DeleteRecordsTopic(
            name="t", partitions=[DeleteRecordsPartition(partition_index=0, offset=1)]
        )
    ]
    later = site.ask(DeleteRecordsRequest(topics=topics, timeout_ms=1000), 2)
    assert isinstance(later, Later)
    ask(site, 2, replica=OTHER, log_start_offset=1)
    site.run_soon()
    assert later.answer.topics[0].partitions[0].low_watermark == 1


# -- the nearest replica ---------------------------------------------------------------------------


def racks(**by_broker: str) -> Site:
    """Brokers 0 (leads), 1 and 2 in these racks."""
    site = Site(
        replica_selector_class="org.apache.kafka.common.replica.RackAwareReplicaSelector",
    )
    site.topic("t", isr=(0, 1, 2), replicas=(0, 1, 2))
    for name, rack in by_broker.items():
        id_ = int(name.removeprefix("broker"))
        endpoint = BrokerEndpoint(f"host{id_}", 9092, "PLAINTEXT", "PLAINTEXT")
        site.image.brokers[id_] = BrokerInfo(id=id_, endpoints=(endpoint,), rack=rack)
    site.append("t", 0, batch(b"x"), batch(b"y"))
    for replica in (1, 2):
        follower_at(partition_of(site), 2, start=0, replica=replica)
    return site


def nearest(site: Site, offset: int, rack: str) -> int:
    answer = only(ask(site, offset, rack_id=rack, max_wait_ms=0))
    assert answer.error_code == NONE
    assert not (answer.preferred_read_replica >= 0 and len(answer.records))
    return int(answer.preferred_read_replica)


def test_a_consumer_is_sent_to_the_replica_in_its_rack() -> None:
    site = racks(broker0="a", broker1="b", broker2="c")
    assert [nearest(site, 0, rack) for rack in ("a", "b", "c", "d", "")] == [-1, 1, 2, -1, -1]


def test_of_several_the_one_that_is_furthest_is_taken() -> None:
    site = racks(broker0="a", broker1="b", broker2="b")
    follower_at(partition_of(site), 1, replica=1)
    assert nearest(site, 0, "b") == 2
    follower_at(partition_of(site), 1, replica=2)
    follower_at(partition_of(site), 2, replica=1)
    assert nearest(site, 0, "b") == 1


def test_a_replica_must_have_the_offset_and_be_in_sync() -> None:
    site = racks(broker0="a", broker1="b", broker2="c")
    partition = partition_of(site)
    follower_at(partition, 1, replica=1)
    assert nearest(site, 2, "b") == -1
    follower_at(partition, 2, start=1, replica=2)
    assert nearest(site, 0, "c") == -1
    lead(partition, (0, 1), (0, 1, 2))
    assert nearest(site, 2, "c") == -1


def test_without_a_selector_the_leader_serves(site: Site) -> None:
    site.append("t", 0, batch(b"x"))
    follower_at(partition_of(site), 1, start=0)
    info = site.image.brokers[OTHER]
    site.image.brokers[OTHER] = BrokerInfo(id=OTHER, endpoints=info.endpoints, rack="b")
    assert nearest(site, 0, "b") == -1


# -- sessions of followers -------------------------------------------------------------------------


class Session:
    """Broker 1 follows partition 0 of topics t and u in a session; ``read`` names what it costs."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.site = Site()
        for name in "tu":
            self.site.topic(name, isr=(ME, OTHER), replicas=(ME, OTHER))
        self.read: list[str] = []
        self.epoch = 0

        def noted(context: Any, key: Any, wanted: Any, budget: Any) -> Any:
            self.read.append(wanted.topic)
            return read_partition(context, key, wanted, budget)

        monkeypatch.setattr(fetches, "read_partition", noted)
        for _ in range(3):  # until the follower was told everything
            self.ask(*({"t": 0, "u": 0} if not self.epoch else {}).items())

    def ask(self, *wanted: tuple[str, int], wait: bool = False) -> Any:
        """The next Fetch, with new offsets of topics; what its answer names."""
        self.read.clear()
        topics = [
            FetchTopic(
                topic_id=topic_id(name),
                partitions=[
                    FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=1 << 20)
                ],
            )
            for name, offset in wanted
        ]
        request = FetchRequest(
            replica_state=ReplicaState(replica_id=OTHER),
            session_id=1 if self.epoch else 0,
            session_epoch=self.epoch,
            topics=topics,
            min_bytes=1,
            max_wait_ms=500 if wait else 0,
        )
        self.epoch += 1
        answer = self.site.ask(request, 17)
        self.site.run_soon()
        return answer if isinstance(answer, Later) else named(answer)


def named(answer: Any) -> list[bytes]:
    return [topic.topic_id.rstrip(b".") for topic in answer.responses]


def test_only_partitions_with_news_are_read_for_a_follower(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(monkeypatch)
    assert (session.ask(), session.read) == ([], [])
    session.site.append("u", 0, batch(b"x"))
    assert (session.ask(), session.read) == ([b"u"], ["u"])
    assert (session.ask(("u", 1)), session.read) == ([b"u"], ["u"])  # which is committed by that
    session.ask()
    assert (session.ask(), session.read) == ([], [])


def test_news_end_the_wait_of_a_follower(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(monkeypatch)
    later = session.ask(wait=True)
    session.site.append("t", 0, batch(b"x"))
    assert named(later.answer) == [b"t"]
    assert session.read == ["t"]


def test_a_high_watermark_does_not_end_the_wait_but_records_after_it_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = Session(monkeypatch)
    session.site.append("t", 0, batch(b"x"))
    session.ask()
    later = session.ask(("t", 1), wait=True)
    assert not later.done
    session.site.replicas.wake(("t", 0))
    assert not later.done
    session.site.append("t", 0, batch(b"y"))
    assert named(later.answer) == [b"t"]


def test_a_lost_lead_ends_the_wait_of_a_follower(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(monkeypatch)
    later = session.ask(wait=True)
    partition = partition_of(session.site)
    lead(partition, (OTHER,), leader=OTHER, epoch=4)
    session.site.replicas.wake(partition.key)
    assert later.answer.responses[0].partitions[0].error_code == NOT_LEADER


def test_a_follower_without_news_counts_as_caught_up_until_its_last_fetch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = Session(monkeypatch)
    session.site.time += 60_000
    session.ask()
    session.site.time += 20_000
    session.site.append("t", 0, batch(b"x"))
    partition = partition_of(session.site)
    proposed: list[Any] = []
    session.site.replicas.propose = lambda _, proposal: proposed.append(proposal)
    partition.drop_late()
    assert proposed == []
    session.site.time += 20_000
    partition.drop_late()
    assert [p.isr for p in proposed] == [(ME,)]


def test_all_is_read_again_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(monkeypatch)
    session.site.time += 10_001
    assert session.ask() == []
    assert sorted(session.read) == ["t", "u"]


def test_what_replicas_get_that_are_being_added_is_counted_apart(site: Site) -> None:
    meters, partition = site.replicas.meters, partition_of(site)
    site.append("t", 0, batch(b"x"))
    ask(site, 0, replica=OTHER)
    assert (meters.followers.bytes_out, meters.joining.bytes_out) == (SIZE, 0)
    partition.adding = (OTHER,)
    ask(site, 0, replica=OTHER)
    assert (meters.followers.bytes_out, meters.joining.bytes_out) == (SIZE, SIZE)
    partition.copied(10)
    partition.adding = (ME,)
    partition.copied(5)
    assert (meters.bytes_copied, meters.bytes_moved_here) == (15, 5)
