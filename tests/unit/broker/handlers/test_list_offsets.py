"""ListOffsets finds offsets by time and by end, as Apache Kafka does."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from tests.support.memory.handler_site import ME, OTHER, Site, batch

NONE, UNKNOWN_TOPIC, LEADER_NOT_AVAILABLE, NOT_LEADER = 0, 3, 5, 6
UNSUPPORTED_VERSION, INVALID_REQUEST, STORAGE, FENCED, UNKNOWN_EPOCH = 35, 42, 56, 74, 75
NOT_AVAILABLE = 78


def look_up(
    site: Site, timestamp: int, *, version: int = 9, topic: str = "t", index: int = 0, **rest: Any
) -> Any:
    """The answer for one partition."""
    head = {k: rest.pop(k) for k in ("replica_id", "isolation_level") if k in rest}
    asked = ListOffsetsPartition(partition_index=index, timestamp=timestamp, **rest)
    request = ListOffsetsRequest(
        **{"replica_id": -1, **head}, topics=[ListOffsetsTopic(name=topic, partitions=[asked])]
    )
    return site.ask(request, version).topics[0].partitions[0]


def found(answer: Any) -> tuple[int, int, int]:
    assert answer.error_code == NONE
    return answer.timestamp, answer.offset, answer.leader_epoch


@pytest.fixture
def site() -> Site:
    """Offsets 0-2 at 1000-1002 ms, 3-4 at 5000-5001, 5 at 3000."""
    made = Site()
    made.topic("t")
    made.append("t", 0, batch(b"a", b"b", b"c"), batch(b"d", b"e", timestamp=5000))
    made.append("t", 0, batch(b"f", timestamp=3000))
    return made


def test_the_ends_of_the_log(site: Site) -> None:
    assert found(look_up(site, -2)) == (-1, 0, 3)
    assert found(look_up(site, -4)) == (-1, 0, 3)
    assert found(look_up(site, -1)) == (-1, 6, 3)
    assert found(look_up(site, -5)) == (-1, -1, -1)


@pytest.mark.parametrize(
    ("timestamp", "expected"),
    [
        (0, (1000, 0, 3)),
        (1000, (1000, 0, 3)),
        (1001, (1001, 1, 3)),
        (1003, (5000, 3, 3)),
        (5001, (5001, 4, 3)),
        (5002, (-1, -1, -1)),
        (2**63 - 1, (-1, -1, -1)),
    ],
)
def test_a_time_gives_the_first_record_that_is_as_young(
    site: Site, timestamp: int, expected: tuple[int, int, int]
) -> None:
    assert found(look_up(site, timestamp)) == expected


def test_the_largest_timestamp(site: Site) -> None:
    assert found(look_up(site, -3)) == (5001, 4, 3)


def test_an_empty_log() -> None:
    site = Site()
    site.topic("t")
    assert found(look_up(site, -2)) == (-1, 0, 3)
    assert found(look_up(site, -1)) == (-1, 0, 3)
    assert found(look_up(site, -3)) == (-1, -1, -1)
    assert found(look_up(site, 0)) == (-1, -1, -1)


def test_deleted_records_are_not_found(site: Site) -> None:
    partition = site.replicas.find("t", 0)
    assert partition is not None
    partition.log.delete_records(2)
    assert found(look_up(site, -2))[1] == 2
    assert found(look_up(site, 1000)) == (1002, 2, 3)


def test_what_is_not_committed_is_not_found() -> None:
    site = Site()
    site.topic("t", isr=(ME, OTHER), replicas=(ME, OTHER))
    site.append("t", 0, batch(b"a", b"b"))
    assert found(look_up(site, -1)) == (-1, 0, 3)
    assert found(look_up(site, 1000)) == (-1, -1, -1)
    assert found(look_up(site, -3)) == (-1, -1, -1)
    assert found(look_up(site, -1, replica_id=OTHER)) == (-1, 2, 3)
    assert found(look_up(site, 1000, replica_id=OTHER)) == (1000, 0, 3)


def test_an_open_transaction_holds_read_committed_back(site: Site) -> None:
    open_transaction = batch(
        b"x", producer_id=7, producer_epoch=0, base_sequence=0, transactional=True, timestamp=6000
    )
    site.append("t", 0, open_transaction)
    assert found(look_up(site, -1, isolation_level=0))[1] == 7
    assert found(look_up(site, -1, isolation_level=1))[1] == 6
    assert found(look_up(site, 6000, isolation_level=0)) == (6000, 6, 3)
    assert found(look_up(site, 6000, isolation_level=1)) == (-1, -1, -1)


def test_a_new_leader_says_so_while_it_does_not_know_what_is_committed(site: Site) -> None:
    partition = site.replicas.find("t", 0)
    assert partition is not None
    partition.leader_epoch_start = 8  # more than the high watermark it inherited
    for timestamp in (-1, 9999):
        assert look_up(site, timestamp).error_code == NOT_AVAILABLE
        assert look_up(site, timestamp, version=4).error_code == LEADER_NOT_AVAILABLE
    assert found(look_up(site, -2))[1] == 0
    assert found(look_up(site, 1000))[1] == 0
    assert found(look_up(site, -1, replica_id=OTHER))[1] == 6


@pytest.mark.parametrize(
    ("timestamp", "first"), [(-1, 1), (-2, 1), (-3, 7), (-4, 8), (-5, 9), (-6, 99)]
)
def test_each_special_timestamp_has_its_version(site: Site, timestamp: int, first: int) -> None:
    for version in range(1, 10):
        error = look_up(site, timestamp, version=version).error_code
        assert error == (NONE if version >= first else UNSUPPORTED_VERSION)


def test_leader_epochs_come_with_version_4(site: Site) -> None:
    assert look_up(site, -1, version=3).leader_epoch == -1
    assert look_up(site, -1, version=4).leader_epoch == 3


def test_readers_with_another_epoch_are_fenced(site: Site) -> None:
    assert look_up(site, -1, current_leader_epoch=3).error_code == NONE
    assert look_up(site, -1, current_leader_epoch=2).error_code == FENCED
    assert look_up(site, -1, current_leader_epoch=4).error_code == UNKNOWN_EPOCH


def test_who_cannot_answer_says_why(site: Site) -> None:
    site.topic("elsewhere", leader=OTHER)
    assert look_up(site, -1, topic="nowhere").error_code == UNKNOWN_TOPIC
    assert look_up(site, -1, index=1).error_code == UNKNOWN_TOPIC
    refused = look_up(site, -1, topic="elsewhere")
    assert (refused.error_code, refused.timestamp, refused.offset) == (NOT_LEADER, -1, -1)
    assert look_up(site, -2, topic="elsewhere", replica_id=-2).error_code == NONE
    assert look_up(site, -2, topic="nowhere", replica_id=-2).error_code == UNKNOWN_TOPIC


def test_a_partition_named_twice_is_refused_alone(site: Site) -> None:
    site.topic("u")
    asked = [ListOffsetsPartition(partition_index=0, timestamp=-1)]
    topics = [ListOffsetsTopic(name=name, partitions=asked) for name in ("t", "u", "t")]
    answer = site.ask(ListOffsetsRequest(replica_id=-1, topics=topics), 1)
    codes = [t.partitions[0].error_code for t in answer.topics]
    assert codes == [INVALID_REQUEST, NONE, INVALID_REQUEST]


def test_an_offline_log_is_a_storage_error(site: Site) -> None:
    site.logs.logs.clear()
    site.replicas.find("t", 0).go_offline()  # type: ignore[union-attr]
    assert look_up(site, -1).error_code == STORAGE


def test_version_0_lists_segment_starts_newest_first(site: Site) -> None:
    partition = site.replicas.find("t", 0)
    assert partition is not None
    partition.log.roll()
    site.logs.files.now = 2_000_000
    site.append("t", 0, batch(b"g", timestamp=9000))

    def offsets(timestamp: int, count: int = 10, replica_id: int = -1) -> list[int]:
        answer = look_up(site, timestamp, version=0, max_num_offsets=count, replica_id=replica_id)
        assert answer.error_code == NONE
        listed: list[int] = answer.old_style_offsets
        return listed

    assert offsets(-1) == [7, 6, 0]
    assert offsets(-1, 1) == [7]
    assert offsets(-1, 0) == []
    assert offsets(-2) == [0]
    assert offsets(0) == [0]
    site.now = 3_000_000
    assert offsets(2_500_000) == [6, 0]
    assert offsets(3_000_000) == [7, 6, 0]
    assert look_up(site, -3, version=0).error_code == UNSUPPORTED_VERSION


def test_version_0_shows_clients_nothing_above_the_high_watermark() -> None:
    site = Site()
    site.topic("t", isr=(ME, OTHER), replicas=(ME, OTHER))
    site.append("t", 0, batch(b"a", b"b"))
    assert look_up(site, -1, version=0, max_num_offsets=5).old_style_offsets == [0, 0]
    follower = look_up(site, -1, version=0, max_num_offsets=5, replica_id=OTHER)
    assert follower.old_style_offsets == [2, 0]
