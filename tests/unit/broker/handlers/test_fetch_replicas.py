"""Fetch among replicas: followers read to the end, consumers from who is nearest (KIP-392)."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.broker.state.image import BrokerInfo, Endpoint
from pykafka_ops.broker.storage.partition import Partition
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
from tests.support.handler_site import ME, OTHER, Later, Site, batch, topic_id
from tests.support.replication import follower_at, lead

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
        endpoint = Endpoint(f"host{id_}", 9092, "PLAINTEXT", "PLAINTEXT")
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
