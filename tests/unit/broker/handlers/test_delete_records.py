"""DeleteRecords moves log starts and waits for the replicas."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.wire.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from tests.support.memory.handler_site import ME, OTHER, Later, Site, batch
from tests.support.memory.replication import follower_at

OUT_OF_RANGE, UNKNOWN_TOPIC, NOT_LEADER, TIMED_OUT = 1, 3, 6, 7
INVALID_TOPIC, POLICY_VIOLATION, STORAGE = 17, 44, 56


def request(offset: int, topic: str = "t", index: int = 0) -> DeleteRecordsRequest:
    asked = [DeleteRecordsPartition(partition_index=index, offset=offset)]
    return DeleteRecordsRequest(
        topics=[DeleteRecordsTopic(name=topic, partitions=asked)], timeout_ms=1000
    )


def delete(site: Site, offset: int, *, version: int = 2, **where: Any) -> tuple[int, int]:
    """Error code and low watermark."""
    answer = site.ask(request(offset, **where), version)
    return outcome(answer)


def outcome(answer: Any) -> tuple[int, int]:
    result = answer.topics[0].partitions[0]
    return result.error_code, result.low_watermark


@pytest.fixture
def site() -> Site:
    made = Site()
    (partition,) = made.topic("t", replicas=(ME, OTHER))
    follower_at(partition, 0, start=3)
    made.append("t", 0, batch(b"a", b"b", b"c"))
    return made


@pytest.mark.parametrize("version", [0, 1, 2])
def test_the_log_starts_where_it_was_told(site: Site, version: int) -> None:
    assert delete(site, 2, version=version) == (0, 2)
    assert site.replicas.find("t", 0).log.log_start_offset == 2  # type: ignore[union-attr]


def test_minus_one_deletes_all_that_is_committed(site: Site) -> None:
    assert delete(site, -1) == (0, 3)


def test_an_offset_below_the_start_changes_nothing(site: Site) -> None:
    delete(site, 2)
    assert delete(site, 1) == (0, 2)


@pytest.mark.parametrize("offset", [4, -2, 2**63 - 1, -(2**63)])
def test_an_offset_beyond_what_is_committed_is_out_of_range(site: Site, offset: int) -> None:
    assert delete(site, offset) == (OUT_OF_RANGE, -1)
    assert delete(site, 0) == (0, 0)


def test_records_that_are_not_committed_cannot_be_deleted() -> None:
    site = Site()
    (partition,) = site.topic("t", isr=(ME, OTHER), replicas=(ME, OTHER))
    follower_at(partition, 0, start=0)
    site.append("t", 0, batch(b"a"))
    assert delete(site, 1) == (OUT_OF_RANGE, -1)
    assert delete(site, -1) == (0, 0)


def test_a_compacted_topic_keeps_its_records(site: Site) -> None:
    site.topic("c", config={"cleanup.policy": "compact"})
    site.topic("both", config={"cleanup.policy": "compact,delete"})
    assert delete(site, 0, topic="c") == (POLICY_VIOLATION, -1)
    assert delete(site, 0, topic="both") == (0, 0)


def test_who_cannot_delete_says_why(site: Site) -> None:
    site.topic("elsewhere", leader=OTHER)
    site.topic("__consumer_offsets")
    assert delete(site, 0, topic="nowhere") == (UNKNOWN_TOPIC, -1)
    assert delete(site, 0, index=1) == (UNKNOWN_TOPIC, -1)
    assert delete(site, 0, topic="elsewhere") == (NOT_LEADER, -1)
    assert delete(site, 0, topic="__consumer_offsets") == (INVALID_TOPIC, -1)
    site.logs.logs.clear()
    site.replicas.find("t", 0).go_offline()  # type: ignore[union-attr]
    assert delete(site, 0) == (STORAGE, -1)


def starts_at(site: Site, start: int) -> None:
    partition = site.replicas.find("t", 0)
    assert partition is not None
    follower_at(partition, start=start)
    site.replicas.wake(partition.key)


def test_the_answer_waits_for_live_replicas(site: Site) -> None:
    starts_at(site, 0)
    later = site.ask(request(2), 2)
    assert isinstance(later, Later)
    starts_at(site, 1)
    assert not later.done
    starts_at(site, 2)
    assert outcome(later.answer) == (0, 2)
    assert len(site.replicas.deletes) == 0


def test_dead_replicas_are_not_waited_for(site: Site) -> None:
    starts_at(site, 0)
    site.update({}, alive=(ME,))
    assert delete(site, 2) == (0, 2)


def test_time_runs_out(site: Site) -> None:
    starts_at(site, 1)
    later = site.ask(request(2), 2)
    site.pass_time(999)
    assert not later.done
    site.pass_time(1)
    assert outcome(later.answer) == (TIMED_OUT, 1)


def test_losing_the_lead_ends_the_wait(site: Site) -> None:
    starts_at(site, 0)
    later = site.ask(request(2), 2)
    site.replicas.drop("t", 0)
    assert outcome(later.answer) == (NOT_LEADER, -1)


def test_a_directory_that_fails_meanwhile_ends_the_wait(site: Site) -> None:
    starts_at(site, 0)
    later = site.ask(request(2), 2)
    site.logs.logs.clear()
    site.replicas.find("t", 0).go_offline()  # type: ignore[union-attr]
    site.replicas.wake(("t", 0))
    assert outcome(later.answer) == (STORAGE, -1)


def test_a_client_that_goes_leaves_nothing_behind(site: Site) -> None:
    starts_at(site, 0)
    later = site.ask(request(2), 2)
    later.deferred.abandon()
    assert len(site.replicas.deletes) == 0
