"""The requests about groups where the broker serves the consumer protocol, too."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.broker.state.names import GROUP_METADATA_TOPIC
from pykafka_ops.errors import SettingError
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.api_versions import ApiVersionsRequest
from pykafka_ops.wire.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from pykafka_ops.wire.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from pykafka_ops.wire.messages.delete_groups import DeleteGroupsRequest
from pykafka_ops.wire.messages.describe_groups import DescribeGroupsRequest
from pykafka_ops.wire.messages.list_groups import ListGroupsRequest
from pykafka_ops.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
)
from tests.support.memory.group_requests import code_of, commit_request
from tests.support.memory.handler_site import Site

BOTH = {"group_coordinator_rebalance_protocols": "classic,consumer"}
NONE = ErrorCode.NONE


def make_site(**settings: object) -> Site:
    """A broker that leads the one partition of groups, and topic ``t`` with three partitions."""
    site = Site(**{"offsets_topic_num_partitions": 1, **BOTH, **settings})
    site.topic("t", 3)
    site.coordinators.led(site.topic(GROUP_METADATA_TOPIC, 1)[0])
    site.coordinators.load()
    return site


@pytest.fixture
def site() -> Site:
    return make_site()


def beat(site: Site, epoch: int = 0, version: int = 1, **of: Any) -> Any:
    fields: dict[str, Any] = {"group_id": "g", "member_id": "m", "member_epoch": epoch}
    if epoch == 0:
        fields |= {
            "rebalance_timeout_ms": 60_000,
            "subscribed_topic_names": ["t"],
            "topic_partitions": [],
        }
    answer = site.ask(ConsumerGroupHeartbeatRequest(**{**fields, **of}), version)
    assert isinstance(answer, ConsumerGroupHeartbeatResponse)
    return answer


def test_both_requests_are_announced_in_version_one(site: Site) -> None:
    keys = (ApiKey.CONSUMER_GROUP_HEARTBEAT, ApiKey.CONSUMER_GROUP_DESCRIBE)
    found = {a.api_key: a.max_version for a in site.ask(ApiVersionsRequest(), 0).api_keys}
    assert [found[key] for key in keys] == [1, 1]
    usual = {a.api_key: a.max_version for a in Site().ask(ApiVersionsRequest(), 0).api_keys}
    assert [usual[key] for key in keys] == [0, 0]


@pytest.mark.parametrize("version", [0, 1])
def test_a_member_joins_lives_and_leaves(site: Site, version: int) -> None:
    joined = beat(site, version=version)
    assert (joined.error_code, joined.member_epoch, joined.heartbeat_interval_ms) == (NONE, 2, 5000)
    assert [t.partitions for t in joined.assignment.topic_partitions] == [[0, 1, 2]]
    lives = beat(site, 2, version)
    assert (lives.error_code, lives.assignment) == (NONE, None)
    assert beat(site, -1, version).error_code == NONE
    again = beat(site, 2, version)
    assert again.error_code == ErrorCode.UNKNOWN_MEMBER_ID
    assert again.error_message == "Member m is not a member of group g."


def test_members_of_version_zero_are_given_an_id(site: Site) -> None:
    assert beat(site, version=0, member_id="").member_id
    refused = beat(site, version=1, member_id="")
    assert (refused.error_code, refused.error_message) == (
        ErrorCode.INVALID_REQUEST,
        "MemberId can't be empty.",
    )


def test_a_group_is_described_with_what_its_members_have(site: Site) -> None:
    beat(site, instance_id="one")
    answer = site.ask(ConsumerGroupDescribeRequest(group_ids=["g", "none", ""]), 1)
    empty, group, unknown = answer.groups
    assert (empty.error_code, unknown.error_code, unknown.error_message) == (
        ErrorCode.INVALID_GROUP_ID,
        ErrorCode.GROUP_ID_NOT_FOUND,
        "Group none not found.",
    )
    assert (group.group_state, group.group_epoch, group.assignor_name) == ("Stable", 2, "uniform")
    (member,) = group.members
    assert (member.member_id, member.instance_id, member.member_epoch) == ("m", "one", 2)
    assert member.member_type == 1
    for assignment in (member.assignment, member.target_assignment):
        (topic,) = assignment.topic_partitions
        assert (topic.topic_name, topic.partitions) == ("t", [0, 1, 2])


def test_other_requests_know_the_group_by_its_type(site: Site) -> None:
    beat(site)
    for types, found in ([], ["g"]), (["Consumer"], ["g"]), (["classic"], []):
        listed = site.ask(ListGroupsRequest(types_filter=types), 5).groups
        assert [group.group_id for group in listed] == found
        assert all((g.group_type, g.protocol_type) == ("consumer",) * 2 for g in listed)
    (described,) = site.ask(DescribeGroupsRequest(groups=["g"]), 5).groups
    assert (described.group_state, described.error_code) == ("Dead", NONE)
    assert site.ask(DeleteGroupsRequest(groups_names=["g"]), 2).results[0].error_code == (
        ErrorCode.NON_EMPTY_GROUP
    )
    beat(site, -1)
    assert site.ask(DeleteGroupsRequest(groups_names=["g"]), 2).results[0].error_code == NONE


def test_members_commit_and_fetch_in_their_epoch(site: Site) -> None:
    beat(site)
    commit = commit_request(5)
    commit.group_id, commit.member_id, commit.generation_id_or_member_epoch = "g", "m", 2
    assert code_of(site.ask(commit, 9)) == NONE
    assert code_of(site.ask(commit, 8)) == ErrorCode.UNSUPPORTED_VERSION
    commit.generation_id_or_member_epoch = 3
    assert code_of(site.ask(commit, 9)) == ErrorCode.STALE_MEMBER_EPOCH

    def fetched(member_id: str | None, epoch: int) -> int:
        topics = [OffsetFetchRequestTopic(name="t", partition_indexes=[0])]
        group = OffsetFetchRequestGroup(
            group_id="g", member_id=member_id, member_epoch=epoch, topics=topics
        )
        code: int = site.ask(OffsetFetchRequest(groups=[group]), 9).groups[0].error_code
        return code

    assert (fetched("m", 2), fetched(None, -1)) == (NONE, NONE)
    assert fetched("m", 1) == ErrorCode.STALE_MEMBER_EPOCH
    assert fetched("x", 2) == ErrorCode.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"group_consumer_session_timeout_ms": 1}, "it has to be from"),
        ({"group_consumer_assignors": "com.acme.Mine"}, "no assignor com.acme.Mine"),
        ({"group_consumer_assignors": "uniform,uniform"}, "each once"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, object], text: str) -> None:
    with pytest.raises(SettingError, match=text):
        make_site(**settings)
