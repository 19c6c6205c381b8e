"""OffsetDelete: offsets that nobody reads are forgotten, others stay."""

from __future__ import annotations

from typing import Any

from pykafka_ops.wire.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from pykafka_ops.wire.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.support.memory.group_requests import (
    code_of,
    commit_request,
    fetch_request,
    joined,
    offsets,
)
from tests.support.memory.handler_site import Site

UNKNOWN_TOPIC = 3
NO_GROUP = 69
SUBSCRIBED = 86


def delete_request(topic: str, *partitions: int) -> OffsetDeleteRequest:
    places = [OffsetDeleteRequestPartition(partition_index=index) for index in partitions]
    return OffsetDeleteRequest(
        group_id="g", topics=[OffsetDeleteRequestTopic(name=topic, partitions=places)]
    )


def codes_of(answer: Any) -> dict[tuple[str, int], int]:
    assert answer.error_code == 0
    return {(t.name, p.partition_index): p.error_code for t in answer.topics for p in t.partitions}


def test_an_offset_that_nobody_reads_is_forgotten(site: Site) -> None:
    site.ask(commit_request(5), 8)
    answer = site.ask(delete_request("t", 0, 7), 0)
    assert codes_of(answer) == {("t", 0): 0, ("t", 7): UNKNOWN_TOPIC}
    assert offsets(site.ask(fetch_request(8), 8))[0] == (-1, "", 0)


def test_the_offsets_of_a_topic_that_members_read_stay(site: Site) -> None:
    found = joined(site, 3)
    given = [SyncGroupRequestAssignment(member_id=found.member_id, assignment=b"mine")]
    sync = SyncGroupRequest(
        group_id="g", generation_id=1, member_id=found.member_id, assignments=given
    )
    assert site.ask(sync, 3).error_code == 0
    commit = commit_request(5, generation_id_or_member_epoch=1, member_id=found.member_id)
    assert code_of(site.ask(commit, 8)) == 0
    assert codes_of(site.ask(delete_request("t", 0), 0)) == {("t", 0): SUBSCRIBED}
    assert offsets(site.ask(fetch_request(8), 8))[0] == (5, "m", 0)


def test_a_group_that_nobody_knows_has_nothing_to_delete(site: Site) -> None:
    assert site.ask(delete_request("t", 0), 0).error_code == NO_GROUP
