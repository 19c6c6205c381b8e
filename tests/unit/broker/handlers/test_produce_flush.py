"""Produce to topics with flush.messages: no answer before the disk has it."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.broker.storage.log.partition_dir import PartitionDir
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.handler_site import ME, OTHER, Site, batch
from tests.support.memory.replication import lead
from tests.support.memory.shelf import Shelf


def outcome(later: Any) -> tuple[int, int]:
    """(error, base offset)."""
    answer = later.answer.responses[0].partition_responses[0]
    return answer.error_code, answer.base_offset


@pytest.mark.parametrize("acks", [1, -1])
def test_an_answer_waits_for_the_flush_its_topic_asks_for(acks: int) -> None:
    site = Site()
    (partition,) = site.topic("t", config={"flush.messages": "1"})
    shelf = Shelf(site)
    first = site.produce(batch(b"a"), acks=acks)
    second = site.produce(batch(b"b"), acks=acks)
    third = site.produce(batch(b"c"), acks=acks)
    assert len(shelf.jobs) == 1, "what comes meanwhile is flushed together"
    assert partition.log.high_watermark == 0, "nobody reads what may be lost"
    shelf.work(site)
    assert first.done
    assert not second.done
    shelf.work(site)
    assert second.done
    assert third.done
    assert not shelf.jobs
    assert [outcome(x) for x in (first, second, third)] == [(0, 0), (0, 1), (0, 2)]
    assert partition.log.high_watermark == partition.log.durability.recovery_point == 3


def test_a_failed_flush_is_answered_with_an_error() -> None:
    site = Site()
    site.topic("t", config={"flush.messages": "1"})
    shelf = Shelf(site)
    later = site.produce(batch(b"a"), acks=1)
    site.logs.files.fail_next_sync()
    shelf.work(site)
    partition = site.replicas.find("t", 0)
    assert partition is not None
    site.logs.logs.clear()
    partition.go_offline()  # as the broker does when a directory fails
    site.replicas.wake(("t", 0))
    assert outcome(later)[0] == ErrorCode.KAFKA_STORAGE_ERROR


def test_only_every_nth_record_waits() -> None:
    site = Site()
    site.topic("t", config={"flush.messages": "3"})
    shelf = Shelf(site)
    assert site.produce(batch(b"a", b"b"), acks=1).error_code == 0
    assert not shelf.jobs
    later = site.produce(batch(b"c"), acks=1)
    assert not later.done
    shelf.work(site)
    assert later.done


def test_a_flush_that_ends_when_another_broker_leads_commits_nothing() -> None:
    site = Site()
    (partition,) = site.topic(
        "t", isr=(ME, OTHER), replicas=(ME, OTHER), config={"flush.messages": "1"}
    )
    shelf = Shelf(site)
    site.produce(batch(b"a"), acks=1)
    lead(partition, (ME, OTHER), (ME, OTHER), leader=OTHER, epoch=4)
    shelf.work(site)
    assert partition.log.durability.recovery_point == 1
    assert partition.log.high_watermark == 0, "the other broker may not have it"


def test_what_a_crash_left_unsynced_is_not_committed_before_it_is() -> None:
    site = Site()
    (partition,) = site.topic("t", config={"flush.messages": "1"})
    shelf = Shelf(site)
    site.produce(batch(b"a"), acks=1)
    shelf.jobs.clear()
    site.replicas.drop("t", 0)
    site.logs.logs["t", 0] = Log(PartitionDir(site.logs.home, "t", 0, partition.log.config))
    again = site.replicas.host("t", 0, partition.topic_id)
    lead(again, (ME,), (ME,), leader=ME, epoch=4)
    assert again.log.log_end_offset == 1
    assert again.log.high_watermark == 0
    shelf.work(site)
    assert again.log.high_watermark == again.log.durability.recovery_point == 1
