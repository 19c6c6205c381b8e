"""OffsetForLeaderEpoch tells readers where an epoch ended."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.wire.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from tests.support.memory.handler_site import OTHER, Site, batch

UNKNOWN_TOPIC, NOT_LEADER, STORAGE, FENCED, UNKNOWN_EPOCH = 3, 6, 56, 74, 75


def request(topic: str, epoch: int, index: int = 0, current: int = -1) -> Any:
    asked = OffsetForLeaderPartition(
        partition=index, leader_epoch=epoch, current_leader_epoch=current
    )
    return OffsetForLeaderEpochRequest(
        topics=[OffsetForLeaderTopic(topic=topic, partitions=[asked])]
    )


def ends(site: Site, epoch: int, *, topic: str = "t", version: int = 4, **rest: int) -> Any:
    answer = site.ask(request(topic, epoch, **rest), version)
    assert answer.topics[0].topic == topic
    return answer.topics[0].partitions[0]


@pytest.fixture
def site() -> Site:
    """Epoch 3 from offset 0, epoch 5 from offset 2; the log ends at 3."""
    made = Site()
    (partition,) = made.topic("t")
    made.append("t", 0, batch(b"a", b"b"))
    partition.leader_epoch = 5
    made.append("t", 0, batch(b"c"))
    return made


@pytest.mark.parametrize(
    ("epoch", "expected"), [(3, (3, 2)), (4, (3, 2)), (5, (5, 3)), (6, (-1, -1)), (-1, (-1, -1))]
)
def test_the_end_of_an_epoch(site: Site, epoch: int, expected: tuple[int, int]) -> None:
    answer = ends(site, epoch)
    assert (answer.error_code, answer.leader_epoch, answer.end_offset) == (0, *expected)


def test_an_epoch_older_than_the_log_ends_where_the_log_begins(site: Site) -> None:
    answer = ends(site, 1)
    assert (answer.leader_epoch, answer.end_offset) == (1, 0)


def test_version_0_has_no_epoch_in_its_answer(site: Site) -> None:
    assert (ends(site, 4, version=0).leader_epoch, ends(site, 4, version=0).end_offset) == (-1, 2)


def test_who_cannot_answer_says_why(site: Site) -> None:
    site.topic("elsewhere", leader=OTHER)
    assert ends(site, 3, topic="nowhere").error_code == UNKNOWN_TOPIC
    assert ends(site, 3, topic="elsewhere").error_code == NOT_LEADER
    refused = ends(site, 3, current=4)
    assert (refused.error_code, refused.end_offset) == (FENCED, -1)
    assert ends(site, 3, current=6).error_code == UNKNOWN_EPOCH
    assert ends(site, 3, current=5).error_code == 0


def test_an_offline_log_is_a_storage_error(site: Site) -> None:
    site.logs.logs.clear()
    site.replicas.find("t", 0).go_offline()  # type: ignore[union-attr]
    assert ends(site, 3).error_code == STORAGE
