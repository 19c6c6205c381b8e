"""What a cluster by rule answers about its groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from pykafka_ops.disk.internal import ConsumerProtocolAssignment, TopicPartitions, encode
from pykafka_ops.wire.messages import describe_groups as dg
from pykafka_ops.wire.messages import find_coordinator as fc
from pykafka_ops.wire.messages import list_groups as lg
from pykafka_ops.wire.messages import offset_fetch as of
from tests.support.by_rule.rules import ClusterRules, group_name, number_of, topic_name

HOST: Final = "127.0.0.1"


class GroupAnswers:
    """``ports`` are those of the brokers, by id."""

    def __init__(self, rules: ClusterRules, ports: Sequence[int]) -> None:
        self.rules, self._ports = rules, ports

    def _group(self, name: str) -> int | None:
        number = number_of(name) if name.startswith("group-") else -1
        return number if 0 <= number < self.rules.groups and group_name(number) == name else None

    def listed(self, broker: int, request: lg.ListGroupsRequest) -> lg.ListGroupsResponse:
        return lg.ListGroupsResponse(
            groups=[
                lg.ListedGroup(
                    group_id=group_name(g), protocol_type="consumer", group_state=self._state(g),
                    group_type="classic",
                )
                for g in range(broker, self.rules.groups, self.rules.brokers)
            ]
        )  # fmt: skip

    def _state(self, group: int) -> str:
        return "Stable" if self.rules.members(group) else "Empty"

    def coordinators(self, broker: int, request: fc.FindCoordinatorRequest) -> Any:
        found = []
        for key in request.coordinator_keys:
            group = self._group(key)
            node = 0 if group is None else group % self.rules.brokers
            found.append(fc.Coordinator(key=key, node_id=node, host=HOST, port=self._ports[node]))
        return fc.FindCoordinatorResponse(coordinators=found)

    def described(self, broker: int, request: dg.DescribeGroupsRequest) -> Any:
        return dg.DescribeGroupsResponse(groups=[self._members(name) for name in request.groups])

    def _members(self, name: str) -> dg.DescribedGroup:
        group = self._group(name)
        if group is None:
            return dg.DescribedGroup(group_id=name, group_state="Dead")
        count = self.rules.members(group)
        members = [
            dg.DescribedGroupMember(
                member_id=f"{name}-member-{m}", client_id=f"client-{m}",
                client_host=f"/10.0.0.{m}", member_assignment=self._assigned(group, m, count),
            )
            for m in range(count)
        ]  # fmt: skip
        return dg.DescribedGroup(
            group_id=name, group_state=self._state(group), protocol_type="consumer",
            protocol_data="range" if count else "", members=members,
        )  # fmt: skip

    def _assigned(self, group: int, member: int, members: int) -> bytes:
        places = [
            TopicPartitions(topic=topic_name(t), partitions=own)
            for t in self.rules.reads(group)
            if (own := list(range(member, len(self.rules.partitions_of(t)), members)))
        ]
        return encode(ConsumerProtocolAssignment(assigned_partitions=places, user_data=None), 0)

    def committed(self, broker: int, request: of.OffsetFetchRequest) -> of.OffsetFetchResponse:
        return of.OffsetFetchResponse(groups=[self._offsets_of(g) for g in request.groups])

    def _offsets_of(self, asked: of.OffsetFetchRequestGroup) -> of.OffsetFetchResponseGroup:
        group = self._group(asked.group_id)
        reads = () if group is None else self.rules.reads(group)
        topics = []
        for topic in reads:
            offsets = self.rules.committed(np.array(self.rules.partitions_of(topic))).tolist()
            topics.append(
                of.OffsetFetchResponseTopic(
                    name=topic_name(topic),
                    partitions=[
                        of.OffsetFetchResponsePartition(
                            partition_index=p, committed_offset=offset, metadata="", error_code=0
                        )
                        for p, offset in enumerate(offsets)
                    ],
                )
            )
        return of.OffsetFetchResponseGroup(group_id=asked.group_id, topics=topics)
