"""Groups of every kind are found, and what one is not told of them is no group that is missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_describe import (
    DEAD,
    SHARE,
    STREAMS,
    GroupDescription,
    Subtopology,
    describe_groups,
)
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import consumer_group_describe as modern
from pykafka_ops.wire.messages import describe_groups as classic
from pykafka_ops.wire.messages import share_group_describe as share
from pykafka_ops.wire.messages import streams_group_describe as streams
from tests.support.memory.fake_broker import FakeBroker
from tests.unit.client.test_coordinators import coordinated_by

Fakes = tuple[FakeBroker, FakeBroker]
Connect = Callable[..., Cluster]
NO_GROUP = ErrorCode.GROUP_ID_NOT_FOUND

SHARED = share.DescribedGroup(
    group_id="shared", group_state="Stable", assignor_name="simple", members=[
        share.Member(
            member_id="m1", client_id="c1", client_host="/h", assignment=share.Assignment(
                topic_partitions=[share.TopicPartitions(topic_name="orders", partitions=[0, 1])],
            ),
        )
    ],
)  # fmt: skip
COUNTING = streams.DescribedGroup(
    group_id="counting", group_state="Stable", topology=streams.Topology(
        subtopologies=[
            streams.Subtopology(
                subtopology_id="0",
                source_topics=["words", "few"],
                repartition_sink_topics=["by-word"],
            ),
            streams.Subtopology(
                subtopology_id="1",
                repartition_source_topics=[streams.TopicInfo(name="by-word")],
                state_changelog_topics=[streams.TopicInfo(name="counts")],
            ),
        ]
    ),
    members=[
        streams.Member(
            member_id="m1", client_id="c1", client_host="/h", assignment=streams.Assignment(
                active_tasks=[streams.TaskIds(subtopology_id="0", partitions=[1])],
                standby_tasks=[streams.TaskIds(subtopology_id="1", partitions=[0])],
            ),
        )
    ],
)  # fmt: skip


def answering(
    response: type[Any], group: type[Any], *known: Any, code: int = NO_GROUP
) -> Callable[[Any], Any]:
    """Tells of the groups it knows; of each other, that error."""

    def answer(request: Any) -> Any:
        found = {g.group_id: g for g in known}
        groups = [found.get(n, group(group_id=n, error_code=code)) for n in request.group_ids]
        return response(groups=groups)

    return answer


@pytest.fixture
def cluster(fakes: Fakes, connect: Connect) -> Cluster:
    """Knows a share group and a streams group; DescribeGroups calls both dead."""
    for fake in fakes:
        fake.topics = {"words": [0, 0], "few": [0], "by-word": [0, 0, 0]}
        fake.on("FindCoordinator", coordinated_by(1))
    fakes[1].on("DescribeGroups", lambda request: classic.DescribeGroupsResponse(
        groups=[classic.DescribedGroup(group_id=n, group_state=DEAD) for n in request.groups]
    ))  # fmt: skip
    answers = {
        "ConsumerGroupDescribe": answering(
            modern.ConsumerGroupDescribeResponse, modern.DescribedGroup
        ),
        "ShareGroupDescribe": answering(
            share.ShareGroupDescribeResponse, share.DescribedGroup, SHARED
        ),
        "StreamsGroupDescribe": answering(
            streams.StreamsGroupDescribeResponse, streams.DescribedGroup, COUNTING
        ),
    }
    for name, answer in answers.items():
        fakes[1].on(name, answer)
    made: Cluster = connect(fakes[0].bootstrap)
    return made


def one(cluster: Cluster, name: str, **how: bool) -> GroupDescription:
    found = describe_groups(cluster, [name], **how)[name]
    assert isinstance(found, GroupDescription)
    return found


def test_a_share_group_is_found_with_what_its_members_share(cluster: Cluster) -> None:
    group = one(cluster, "shared", every_kind=True)
    assert (group.type, group.state, group.coordinator) == (SHARE, "Stable", 1)
    assert [m.assigned for m in group.members] == [(("orders", 0), ("orders", 1))]


def test_a_streams_group_is_found_with_its_topology_and_tasks(cluster: Cluster) -> None:
    group = one(cluster, "counting", every_kind=True)
    assert (group.type, group.topology) == (STREAMS, (
        Subtopology("0", ("few", "words"), (), ("by-word",), ()),
        Subtopology("1", (), ("by-word",), (), ("counts",)),
    ))  # fmt: skip
    assert [str(t) for m in group.members for t in m.tasks] == ["0_1", "standby 1_0"]


def test_an_active_task_reads_its_partition_of_each_topic_that_has_so_many(
    cluster: Cluster,
) -> None:
    group = one(cluster, "counting", every_kind=True)
    assert group.members[0].assigned == (("words", 1),)
    reads = [("by-word", 0), ("by-word", 1), ("by-word", 2), ("few", 0), ("words", 0), ("words", 1)]
    assert list(group.reads) == reads


def test_who_asks_for_consumer_groups_gets_no_others(cluster: Cluster, fakes: Fakes) -> None:
    assert [one(cluster, n).state for n in ("shared", "counting")] == [DEAD, DEAD]
    assert not fakes[1].asked("ShareGroupDescribe") + fakes[1].asked("StreamsGroupDescribe")


def test_a_group_that_nobody_knows_is_dead(cluster: Cluster) -> None:
    assert one(cluster, "nowhere", every_kind=True).state == DEAD


def test_brokers_without_share_and_streams_groups_have_none(cluster: Cluster, fakes: Fakes) -> None:
    unsupported = ErrorCode.UNSUPPORTED_VERSION
    fakes[1].on("ShareGroupDescribe", answering(
        share.ShareGroupDescribeResponse, share.DescribedGroup, code=unsupported
    ))  # fmt: skip
    del fakes[1].ranges[89]
    assert one(cluster, "shared", every_kind=True).state == DEAD


def test_a_refusal_is_told_and_not_taken_for_a_missing_group(
    cluster: Cluster, fakes: Fakes
) -> None:
    fakes[1].on("ShareGroupDescribe", answering(
        share.ShareGroupDescribeResponse, share.DescribedGroup,
        code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    ))  # fmt: skip
    found = describe_groups(cluster, ["shared"], every_kind=True)["shared"]
    assert isinstance(found, KafkaError)
    assert found.code == ErrorCode.TOPIC_AUTHORIZATION_FAILED
