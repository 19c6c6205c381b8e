"""What a round asks: many groups of every kind in a request, and ends behind what was committed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.monitor.cluster.poller import RARE_MS, Poller
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.wire.messages import describe_cluster as dc
from pykafka_ops.wire.messages import describe_share_group_offsets as dso
from pykafka_ops.wire.messages import find_coordinator as fc
from pykafka_ops.wire.messages import list_groups as lg
from pykafka_ops.wire.messages import list_offsets as lo
from pykafka_ops.wire.messages import offset_fetch as of
from pykafka_ops.wire.messages import share_group_describe as sgd
from pykafka_ops.wire.messages import streams_group_describe as stg
from pykafka_ops.wire.messages.describe_configs import (
    DescribeConfigsResponse,
    DescribeConfigsResult,
)
from pykafka_ops.wire.messages.describe_groups import DescribedGroup, DescribeGroupsResponse
from pykafka_ops.wire.messages.describe_log_dirs import DescribeLogDirsResponse
from pykafka_ops.wire.messages.list_partition_reassignments import (
    ListPartitionReassignmentsResponse,
)
from tests.support.memory.fake_broker import FakeBroker

TYPES = {"Share": "share", "Streams": "streams", "Classic": "consumer"}
GROUPS = {f"{kind}-{n}": kind for kind in TYPES for n in range(40)}
OF_GROUPS = (
    "ListGroups", "DescribeGroups", "ShareGroupDescribe", "StreamsGroupDescribe", "OffsetFetch",
    "DescribeShareGroupOffsets",
)  # fmt: skip


class World:
    """A broker whose log grows with every record read of it; ``refused``: groups that may not be
    asked for their offsets."""

    def __init__(self, fake: FakeBroker) -> None:
        self.fake, self.end, self.refused = fake, 100, set[str]()
        fake.in_kraft(leader=100)
        fake.topics["orders"] = [0]
        for api, answer in {
            "ListGroups": self._listed,
            "DescribeGroups": self._classic,
            "ShareGroupDescribe": self._share,
            "StreamsGroupDescribe": self._streams,
            "DescribeShareGroupOffsets": self._starts,
            "OffsetFetch": self._committed,
            "FindCoordinator": self._coordinator,
            "ListOffsets": self._offsets,
            "DescribeConfigs": lambda r: DescribeConfigsResponse(
                results=[DescribeConfigsResult(resource_type=2, resource_name="orders")]
            ),
            "DescribeLogDirs": lambda r: DescribeLogDirsResponse(),
            "ListPartitionReassignments": lambda r: ListPartitionReassignmentsResponse(),
            "DescribeCluster": lambda r: dc.DescribeClusterResponse(
                brokers=[dc.DescribeClusterBroker(broker_id=n, is_fenced=n > 0) for n in (0, 3)]
            ),
        }.items():
            fake.on(api, answer)

    def asked(self) -> Counter[str]:
        found = Counter(name for name, _, _ in self.fake.seen)
        self.fake.seen.clear()
        return found

    def _listed(self, request: Any) -> Any:
        return lg.ListGroupsResponse(
            groups=[
                lg.ListedGroup(
                    group_id=g, group_type=k, protocol_type=TYPES[k], group_state="Stable"
                )
                for g, k in GROUPS.items()
            ]
        )

    def _classic(self, request: Any) -> Any:
        found = [DescribedGroup(group_id=g, group_state="Stable") for g in request.groups]
        return DescribeGroupsResponse(groups=found)

    def _share(self, request: Any) -> Any:
        part = sgd.TopicPartitions(topic_name="orders", partitions=[0])
        member = sgd.Member(client_id="c", assignment=sgd.Assignment(topic_partitions=[part]))
        return sgd.ShareGroupDescribeResponse(
            groups=[sgd.DescribedGroup(group_id=g, members=[member]) for g in request.group_ids]
        )

    def _streams(self, request: Any) -> Any:
        parts = [stg.Subtopology(subtopology_id="0", source_topics=["orders"])]
        topology = stg.Topology(epoch=1, subtopologies=parts)
        return stg.StreamsGroupDescribeResponse(
            groups=[stg.DescribedGroup(group_id=g, topology=topology) for g in request.group_ids]
        )

    def _starts(self, request: Any) -> Any:
        part = dso.DescribeShareGroupOffsetsResponsePartition(start_offset=40, lag=7)
        topic = dso.DescribeShareGroupOffsetsResponseTopic(topic_name="orders", partitions=[part])
        return dso.DescribeShareGroupOffsetsResponse(
            groups=[
                dso.DescribeShareGroupOffsetsResponseGroup(
                    group_id=g.group_id,
                    topics=[topic],
                    error_code=30 if g.group_id in self.refused else 0,
                )
                for g in request.groups
            ]
        )

    def _committed(self, request: Any) -> Any:
        self.end += 10  # what is written and read at once
        part = of.OffsetFetchResponsePartition(partition_index=0, committed_offset=self.end)
        topic = of.OffsetFetchResponseTopic(name="orders", partitions=[part])
        groups = [of.OffsetFetchResponseGroup(group_id=g.group_id, topics=[topic])
                  for g in request.groups]  # fmt: skip
        return of.OffsetFetchResponse(groups=groups)

    def _coordinator(self, request: Any) -> Any:
        return fc.FindCoordinatorResponse(
            coordinators=[fc.Coordinator(key=k, node_id=0) for k in request.coordinator_keys]
        )

    def _offsets(self, request: Any) -> Any:
        answer = []
        for topic in request.topics:
            first = topic.partitions[0].timestamp == -2
            part = lo.ListOffsetsPartitionResponse(offset=0 if first else self.end)
            answer.append(lo.ListOffsetsTopicResponse(name=topic.name, partitions=[part]))
        return lo.ListOffsetsResponse(topics=answer)


@pytest.fixture
def world() -> Iterator[World]:
    fake = FakeBroker()
    yield World(fake)
    fake.close()


class Clock:
    now = 1_000_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def poller(world: World) -> Iterator[Poller]:
    cluster = Cluster(ClientConfig.of({"bootstrap.servers": world.fake.bootstrap}))
    yield Poller(cluster, Clock())
    cluster.close()


def test_groups_of_a_kind_are_asked_for_together(world: World, poller: Poller) -> None:
    view = WatchedCluster("c").take(poller.ask())
    asked = world.asked()
    assert {api: asked[api] for api in OF_GROUPS} == dict.fromkeys(OF_GROUPS, 1)
    groups = view.groups or {}
    assert Counter(g.type for g in groups.values()) == dict.fromkeys(TYPES, 40)
    assert {g.row.lag for g in groups.values() if g.type == "Share"} == {7}
    assert {g.row.unknown_partitions for g in groups.values() if g.type == "Streams"} == {0}
    assert list(view.not_asked) == []
    assert (view.is_kraft, view.controller, view.fenced) == (True, 100, [3])


def test_the_next_round_asks_anew_only_for_what_changes(world: World, poller: Poller) -> None:
    first = poller.ask()
    world.asked()
    poller._shares_ms = RARE_MS  # as after an answer that took three seconds
    second = poller.ask()
    asked = world.asked()
    assert [asked[api] for api in OF_GROUPS] == [1, 0, 0, 0, 0, 0]
    assert (second.shares, second.shares_at) == (first.shares, first.shares_at)


def test_nobody_that_keeps_up_is_beyond_the_end(world: World, poller: Poller) -> None:
    groups = WatchedCluster("c").take(poller.ask()).groups or {}
    assert {g.row.status for n, g in groups.items() if GROUPS[n] != "Share"} == {"OK"}


def test_without_a_controller_nobody_is_asked_what_only_it_knows(
    world: World, poller: Poller
) -> None:
    world.fake.in_kraft(leader=-1)
    view = WatchedCluster("c").take(poller.ask())
    assert world.asked()["ListPartitionReassignments"] == 0
    assert (view.facts or {})["quorum_lost"] == 1
    assert [missing.what for missing in view.not_asked] == ["moves"]


def test_a_share_group_that_may_not_be_asked_is_named_and_unknown(
    world: World, poller: Poller
) -> None:
    world.refused.add("Share-7")
    view = WatchedCluster("c").take(poller.ask())
    (missing,) = view.not_asked
    assert missing.what == "offsets of share group Share-7"
    assert missing.error == "GROUP_AUTHORIZATION_FAILED"
    row = (view.groups or {})["Share-7"].row
    assert (row.status, row.lag, row.unknown_partitions) == ("UNKNOWN", None, 1)
