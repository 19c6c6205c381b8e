"""Three fake brokers whose replicas move, so that whole runs can be watched: who is asked to do
what, in which order, and what is left at the end."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import alter_partition_reassignments as apr
from pykafka_ops.wire.messages import describe_configs as dc
from pykafka_ops.wire.messages import describe_log_dirs as ld
from pykafka_ops.wire.messages import elect_leaders as el
from pykafka_ops.wire.messages import incremental_alter_configs as iac
from pykafka_ops.wire.messages import list_partition_reassignments as lpr
from pykafka_ops.wire.messages.metadata import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from tests.support.memory.fake_broker import FakeBroker, Silence

Key = tuple[str, int]
Place = tuple[int, str, str]
"""Type and name of a resource, name of a setting."""


class MovingWorld:
    """``replicas`` of partitions, ``moving`` to others for as many looks as ``looks`` says;
    ``settings`` that were set; ``log``: what was changed, in order."""

    def __init__(self, brokers: int = 3, looks: int = 2) -> None:
        self.brokers = [FakeBroker(i) for i in range(brokers)]
        self.looks = looks
        self.replicas: dict[Key, list[int]] = {}
        self.sizes: dict[Key, int] = {}
        self.ids: dict[str, bytes] = {}
        """Of topics that were made anew."""
        self.behind: set[Key] = set()
        self.gone: set[int] = set()
        self.silent: set[int] = set()
        self.unanswered = 0
        """Questions for log directories that a silent broker did not answer."""
        self.moving: dict[Key, tuple[list[int], int]] = {}
        self.refused: dict[Key, int] = {}
        self.settings: dict[Place, str] = {}
        self.refuse_configs: set[str] = set()
        self.log: list[str] = []
        self.on_look: Callable[[], None] | None = None
        self.most_moving = 0
        for broker in self.brokers:
            broker.on("Metadata", self._metadata)
            broker.on("ListPartitionReassignments", self._list)
            broker.on("AlterPartitionReassignments", self._alter)
            broker.on("DescribeConfigs", self._describe)
            broker.on("IncrementalAlterConfigs", self._configs)
            broker.on("ElectLeaders", self._elect)
            broker.on("DescribeLogDirs", lambda r, b=broker: self._dirs(b.node_id))

    def close(self) -> None:
        for broker in self.brokers:
            broker.close()

    def put(self, topic: str, replicas: list[list[int]], size: int = 1000) -> None:
        """A topic."""
        for number, ids in enumerate(replicas):
            self.replicas[topic, number] = ids
            self.sizes[topic, number] = size

    def throttles(self) -> dict[Place, str]:
        return {place: v for place, v in self.settings.items() if "throttled" in place[2]}

    def _now(self, key: Key) -> list[int]:
        if key not in self.moving:
            return self.replicas[key]
        target = self.moving[key][0]
        return [*target, *(i for i in self.replicas[key] if i not in target)]

    def _metadata(self, request: Any) -> Any:
        topics: dict[str, list[Any]] = {}
        for topic, number in sorted(self.replicas):
            ids = self._now((topic, number))
            behind = (topic, number) in self.behind
            topics.setdefault(topic, []).append(
                MetadataResponsePartition(
                    partition_index=number,
                    leader_id=self.replicas[topic, number][0],
                    replica_nodes=ids,
                    isr_nodes=ids[:1] if behind else ids,
                )
            )
        names = topics if request.topics is None else [t.name for t in request.topics]
        return MetadataResponse(
            brokers=[
                MetadataResponseBroker(node_id=b.node_id, host="127.0.0.1", port=b.port)
                for b in self.brokers
                if b.node_id not in self.gone
            ],
            cluster_id="fake",
            controller_id=0,
            topics=[
                MetadataResponseTopic(
                    name=n,
                    topic_id=self.ids.get(n, n.encode()).ljust(16),
                    partitions=topics[n],
                )
                if n in topics
                else MetadataResponseTopic(name=n, error_code=3)
                for n in names
            ],
        )

    def _list(self, request: Any) -> Any:
        if self.on_look is not None:
            self.on_look()
        wanted = None
        if request.topics is not None:
            wanted = {(t.name, p) for t in request.topics for p in t.partition_indexes}
        found = []
        for key, (target, left) in list(self.moving.items()):
            if left <= 0:
                self.log.append(f"done {key[0]}-{key[1]}")
                self.replicas[key] = target
                del self.moving[key]
                continue
            self.moving[key] = target, left - 1
            if wanted is not None and key not in wanted:
                continue
            old = self.replicas[key]
            part = lpr.OngoingPartitionReassignment(
                partition_index=key[1],
                replicas=self._now(key),
                adding_replicas=[i for i in target if i not in old],
                removing_replicas=[i for i in old if i not in target],
            )
            found.append(lpr.OngoingTopicReassignment(name=key[0], partitions=[part]))
        return lpr.ListPartitionReassignmentsResponse(topics=found)

    def _alter(self, request: Any) -> Any:
        responses = []
        for t in request.topics:
            parts = []
            for p in t.partitions:
                code = self._moved((t.name, p.partition_index), p.replicas)
                parts.append(
                    apr.ReassignablePartitionResponse(
                        partition_index=p.partition_index, error_code=code
                    )
                )
            responses.append(apr.ReassignableTopicResponse(name=t.name, partitions=parts))
        return apr.AlterPartitionReassignmentsResponse(responses=responses)

    def _moved(self, key: Key, target: list[int] | None) -> int:
        if key in self.refused:
            return self.refused[key]
        words = "cancel" if target is None else ",".join(map(str, target))
        self.log.append(f"move {key[0]}-{key[1]} {words}")
        old = self.replicas[key]
        if target is None or set(target) <= set(old):
            self.moving.pop(key, None)
            self.replicas[key] = target or old
        else:
            self.moving[key] = target, self.looks
            self.most_moving = max(self.most_moving, len(self.moving))
        return 0

    def _describe(self, request: Any) -> Any:
        source = {2: 1, 4: 2}
        return dc.DescribeConfigsResponse(
            results=[
                dc.DescribeConfigsResult(
                    resource_type=r.resource_type,
                    resource_name=r.resource_name,
                    configs=[
                        dc.DescribeConfigsResourceResult(
                            name=name, value=value, config_source=source[kind]
                        )
                        for (kind, owner, name), value in self.settings.items()
                        if (kind, owner) == (r.resource_type, r.resource_name)
                    ],
                )
                for r in request.resources
            ]
        )

    def _configs(self, request: Any) -> Any:
        responses = []
        for r in request.resources:
            code = 0
            if r.resource_name in self.refuse_configs:
                code = int(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
            for c in r.configs if not code else ():
                place = r.resource_type, r.resource_name, c.name
                self.log.append(f"{'unset' if c.value is None else 'set'} {r.resource_name}")
                if c.value is None:
                    self.settings.pop(place, None)
                else:
                    self.settings[place] = c.value
            responses.append(
                iac.AlterConfigsResourceResponse(
                    resource_type=r.resource_type, resource_name=r.resource_name, error_code=code
                )
            )
        return iac.IncrementalAlterConfigsResponse(responses=responses)

    def _elect(self, request: Any) -> Any:
        results = []
        for t in request.topic_partitions:
            self.log.append(f"elect {t.topic} {','.join(map(str, t.partitions))}")
            parts = [el.PartitionResult(partition_id=p) for p in t.partitions]
            results.append(el.ReplicaElectionResult(topic=t.topic, partition_result=parts))
        return el.ElectLeadersResponse(replica_election_results=results)

    def _dirs(self, broker: int) -> Any:
        if broker in self.silent:
            self.unanswered += 1
            return Silence()
        topics = [
            ld.DescribeLogDirsTopic(
                name=key[0],
                partitions=[
                    ld.DescribeLogDirsPartition(partition_index=key[1], partition_size=size)
                ],
            )
            for key, size in self.sizes.items()
            if broker in self._now(key)
        ]
        total, usable = 1 << 40, 1 << 39
        return ld.DescribeLogDirsResponse(
            results=[
                ld.DescribeLogDirsResult(
                    log_dir="/d", topics=topics, total_bytes=total, usable_bytes=usable
                )
            ]
        )


def write_plan(path: str, after: dict[int, list[int]], **fields: object) -> None:
    """A file that moves partitions of the topic t."""
    items = [{"topic": "t", "partition": n, "replicas": ids} for n, ids in after.items()]
    Path(path).write_text(json.dumps({"version": 1, "partitions": items, **fields}))
