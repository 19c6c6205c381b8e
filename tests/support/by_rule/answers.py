"""What each broker of a cluster by rule answers, made of the wire codecs' messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Any, Final

import numpy as np

from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import api_versions as av
from pykafka_ops.wire.messages import describe_configs as dc
from pykafka_ops.wire.messages import describe_log_dirs as dld
from pykafka_ops.wire.messages import describe_topic_partitions as dtp
from pykafka_ops.wire.messages import fetch as fe
from pykafka_ops.wire.messages import list_offsets as lo
from pykafka_ops.wire.messages import metadata as md
from tests.support.by_rule import commit_logs
from tests.support.by_rule.group_answers import HOST, GroupAnswers
from tests.support.by_rule.rules import (
    DIRS,
    VOLUME,
    ClusterRules,
    number_of,
    topic_name,
)

_TOPIC: Final = 2
_MOST_OF_PAGE: Final = 2_000
_DYNAMIC, _DEFAULT = 1, 5
"""Where a setting comes from: of the topic itself, or Kafka's default."""
_UNKNOWN: Final = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
_DEFAULTS: Final = {
    "cleanup.policy": "delete",
    "retention.bytes": "-1",
    "segment.ms": "604800000",
    "segment.bytes": "1073741824",
    "min.cleanable.dirty.ratio": "0.5",
    "min.compaction.lag.ms": "0",
    "max.compaction.lag.ms": "9223372036854775807",
}
Answer = Callable[[int, Any], Any]
"""From a broker's id and a request."""


class RuledAnswers:
    """``ports`` are those of the brokers, by id; ``asked`` counts requests by API."""

    def __init__(self, rules: ClusterRules, ports: Sequence[int]) -> None:
        self.rules, self._ports = rules, ports
        self.asked: dict[str, int] = {}
        self._commits = commit_logs.CommitLogs(rules)
        self._groups = GroupAnswers(rules, ports)
        self._answers: dict[str, Answer] = {
            "ApiVersions": self._versions,
            "Metadata": self._metadata,
            "DescribeTopicPartitions": self._pages,
            "DescribeLogDirs": self._log_dirs,
            "DescribeConfigs": self._configs,
            "ListOffsets": self._offsets,
            "Fetch": self._fetch,
            "ListGroups": self._groups.listed,
            "DescribeGroups": self._groups.described,
            "FindCoordinator": self._groups.coordinators,
            "OffsetFetch": self._groups.committed,
        }
        self._ranges = [
            av.ApiVersion(api_key=int(api), min_version=api.versions[0], max_version=highest)
            for api, highest in _spoken().items()
        ]
        self.brokers = [
            md.MetadataResponseBroker(node_id=b, host=HOST, port=port, rack=rules.rack(b))
            for b, port in enumerate(ports)
        ]

    def answer(self, broker: int, api: str, request: Any) -> Any:
        """The answer of a broker. KeyError for what it does not speak."""
        self.asked[api] = self.asked.get(api, 0) + 1
        return self._answers[api](broker, request)

    def _topic(self, name: str) -> int | None:
        """The number of a topic that is there."""
        number = number_of(name) if name.startswith("topic-") else -1
        return number if 0 <= number < self.rules.topics and topic_name(number) == name else None

    # --- the cluster

    def _versions(self, broker: int, request: Any) -> av.ApiVersionsResponse:
        return av.ApiVersionsResponse(api_keys=self._ranges)

    def _metadata(self, broker: int, request: md.MetadataRequest) -> md.MetadataResponse:
        if request.topics is None:
            topics = [self._described(number) for number in range(self.rules.topics)]
        else:
            topics = [self._described_by(t.name or "") for t in request.topics]
        return md.MetadataResponse(
            brokers=self.brokers, cluster_id="by-rule", controller_id=0, topics=topics
        )

    def _described_by(self, name: str) -> md.MetadataResponseTopic:
        if name == commit_logs.TOPIC:
            return self._described_commits()
        number = self._topic(name)
        if number is None:
            return md.MetadataResponseTopic(error_code=_UNKNOWN, name=name)
        return self._described(number)

    def _described(self, topic: int) -> md.MetadataResponseTopic:
        rules = self.rules
        made = []
        for i, n in enumerate(rules.partitions_of(topic)):
            replicas = [(n + copy) % rules.brokers for copy in range(rules.copies())]
            made.append(
                md.MetadataResponsePartition(
                    partition_index=i, leader_id=replicas[0], replica_nodes=replicas,
                    isr_nodes=replicas,
                )
            )  # fmt: skip
        id_ = (topic + 1).to_bytes(16, "big")
        return md.MetadataResponseTopic(name=topic_name(topic), topic_id=id_, partitions=made)

    def _described_commits(self) -> md.MetadataResponseTopic:
        """Seen by who names it alone, so that figures of all topics are those of the rule."""
        made = [
            md.MetadataResponsePartition(
                partition_index=p, leader_id=(leader := p % self.rules.brokers),
                replica_nodes=[leader], isr_nodes=[leader],
            )
            for p in range(commit_logs.PARTITIONS)
        ]  # fmt: skip
        return md.MetadataResponseTopic(
            name=commit_logs.TOPIC, topic_id=bytes(15) + b"\xff", is_internal=True, partitions=made
        )

    def _pages(self, broker: int, request: dtp.DescribeTopicPartitionsRequest) -> Any:
        """A page of all topics, from the cursor on."""
        rules = self.rules
        begin = 0
        if request.cursor is not None:
            topic = number_of(request.cursor.topic_name)
            begin = topic * rules.per_topic + request.cursor.partition_index
        end = min(begin + min(request.response_partition_limit, _MOST_OF_PAGE), rules.partitions)
        topics = []
        for topic, mine in groupby(range(begin, end), lambda n: n // rules.per_topic):
            parts = []
            for n in mine:
                replicas = [(n + copy) % rules.brokers for copy in range(rules.copies())]
                parts.append(
                    dtp.DescribeTopicPartitionsResponsePartition(
                        partition_index=n % rules.per_topic, leader_id=replicas[0],
                        replica_nodes=replicas, isr_nodes=replicas,
                    )
                )  # fmt: skip
            topics.append(
                dtp.DescribeTopicPartitionsResponseTopic(name=topic_name(topic), partitions=parts)
            )
        after = None
        if end < rules.partitions:
            name, index = topic_name(end // rules.per_topic), end % rules.per_topic
            after = dtp.Cursor(topic_name=name, partition_index=index)
        return dtp.DescribeTopicPartitionsResponse(topics=topics, next_cursor=after)

    def _configs(self, broker: int, request: dc.DescribeConfigsRequest) -> Any:
        return dc.DescribeConfigsResponse(results=[self._settings(r) for r in request.resources])

    def _settings(self, asked: dc.DescribeConfigsResource) -> dc.DescribeConfigsResult:
        topic = self._topic(asked.resource_name) if asked.resource_type == _TOPIC else None
        who = {"resource_type": asked.resource_type, "resource_name": asked.resource_name}
        if topic is None:
            return dc.DescribeConfigsResult(error_code=_UNKNOWN, **who)
        own = {"retention.ms": str(self.rules.retention_ms(topic))}
        wanted = asked.configuration_keys
        found = [
            dc.DescribeConfigsResourceResult(
                name=key, value=value, config_source=_DYNAMIC if key in own else _DEFAULT
            )
            for key, value in {**own, **_DEFAULTS}.items()
            if wanted is None or key in wanted
        ]
        return dc.DescribeConfigsResult(configs=found, **who)

    # --- logs

    def _log_dirs(self, broker: int, request: dld.DescribeLogDirsRequest) -> Any:
        rules = self.rules
        held = rules.held(broker)
        if request.topics is not None:
            asked = {
                number * rules.per_topic + p
                for t in request.topics
                if (number := self._topic(t.topic)) is not None
                for p in t.partitions
            }
            held = np.array(sorted(asked & set(held.tolist())), dtype=np.int64)
        places = rules.directory(held)
        results = []
        for place, path in enumerate(DIRS):
            mine = held[places == place]
            size = int(rules.bytes(mine).sum())
            results.append(
                dld.DescribeLogDirsResult(
                    log_dir=path, topics=self._replicas(mine), total_bytes=VOLUME,
                    usable_bytes=max(0, VOLUME - size),
                )
            )  # fmt: skip
        return dld.DescribeLogDirsResponse(results=results)

    def _replicas(self, held: Any) -> list[dld.DescribeLogDirsTopic]:
        per_topic = self.rules.per_topic
        pairs = zip(held.tolist(), self.rules.bytes(held).tolist(), strict=True)
        return [
            dld.DescribeLogDirsTopic(
                name=topic_name(topic),
                partitions=[
                    dld.DescribeLogDirsPartition(
                        partition_index=n % per_topic, partition_size=size, offset_lag=0,
                        is_future_key=False,
                    )
                    for n, size in mine
                ],
            )
            for topic, mine in groupby(pairs, lambda pair: pair[0] // per_topic)
        ]  # fmt: skip

    def _led(self, broker: int, topic: str, partitions: Iterable[int]) -> Iterator[int]:
        """The numbers of the partitions that are there, -1 for those that the broker does not
        lead."""
        number, mine = self._topic(topic), range(0)
        if number is not None:
            mine = self.rules.partitions_of(number)
        elif topic == commit_logs.TOPIC:  # its partitions come behind all others
            mine = range(self.rules.partitions, self.rules.partitions + commit_logs.PARTITIONS)
        for p in partitions:
            is_led = 0 <= p < len(mine) and self._leader(mine[p]) == broker
            yield mine[p] if is_led else -1

    def _leader(self, number: int) -> int:
        of_commits = number - self.rules.partitions
        return (of_commits if of_commits >= 0 else number) % self.rules.brokers

    def _offsets(self, broker: int, request: lo.ListOffsetsRequest) -> lo.ListOffsetsResponse:
        asked = [(t.name, p) for t in request.topics for p in t.partitions]
        numbers = np.array(
            [n for t in request.topics
             for n in self._led(broker, t.name, (p.partition_index for p in t.partitions))],
            dtype=np.int64,
        )  # fmt: skip
        moments = np.array([p.timestamp for _, p in asked], dtype=np.int64)
        offsets = np.full(len(asked), -1, dtype=np.int64)
        times = np.full(len(asked), -1, dtype=np.int64)
        for moment in np.unique(moments).tolist():
            is_of_rule = (numbers >= 0) & (numbers < self.rules.partitions)
            rows = np.flatnonzero((moments == moment) & is_of_rule)
            offsets[rows], times[rows] = self._found(numbers[rows], moment)
            for row in np.flatnonzero((moments == moment) & (numbers >= self.rules.partitions)):
                log = int(numbers[row]) - self.rules.partitions
                offsets[row], times[row] = self._commits.found(log, moment)
        found = iter(zip(numbers.tolist(), offsets.tolist(), times.tolist(), strict=True))
        topics = [
            lo.ListOffsetsTopicResponse(
                name=t.name,
                partitions=[
                    lo.ListOffsetsPartitionResponse(
                        partition_index=p.partition_index,
                        error_code=0 if n >= 0 else ErrorCode.NOT_LEADER_OR_FOLLOWER,
                        timestamp=time,
                        offset=offset,
                        leader_epoch=0,
                    )
                    for p, (n, offset, time) in zip(t.partitions, found, strict=False)
                ],
            )
            for t in request.topics
        ]
        return lo.ListOffsetsResponse(topics=topics)

    def _found(self, n: Any, moment: int) -> tuple[Any, Any]:
        """Offsets and times of partitions for a moment or one of Kafka's special times."""
        rules, none = self.rules, np.full(len(n), -1, dtype=np.int64)
        if moment == commit_logs.LATEST:
            return rules.end(n), none
        if moment == commit_logs.EARLIEST:
            return rules.start(n), none
        at = rules.end(n) - 1 if moment == commit_logs.MAX_TIMESTAMP else rules.at(n, moment)
        return at, np.where(at < 0, -1, rules.written(n, at))

    def _fetch(self, broker: int, request: fe.FetchRequest) -> fe.FetchResponse:
        asked = [p for t in request.topics for p in t.partitions]
        numbers: list[int] = []
        for t in request.topics:
            numbers += self._led(broker, t.topic, (p.partition for p in t.partitions))
        logs = self._logs(numbers, [p.fetch_offset for p in asked])
        read = iter(map(self._read, numbers, asked, *logs))
        topics = [
            fe.FetchableTopicResponse(
                topic=t.topic, partitions=list(islice(read, len(t.partitions)))
            )
            for t in request.topics
        ]
        return fe.FetchResponse(responses=topics)

    def _logs(self, numbers: Sequence[int], at: Sequence[int]) -> Sequence[list[int]]:
        """Where each log starts and ends, and when the record at an offset was written; of logs
        that the rule is not about it means nothing."""
        rules, n = self.rules, np.array(numbers, dtype=np.int64)
        found = rules.start(n), rules.end(n), rules.written(n, np.array(at, dtype=np.int64))
        return [values.tolist() for values in found]

    def _read(
        self, n: int, asked: fe.FetchPartition, start: int, end: int, written: int
    ) -> fe.PartitionData:
        """The record at the offset that is asked for; of commits as many as there is room for."""
        index, at = asked.partition, asked.fetch_offset
        if n < 0:
            return fe.PartitionData(
                partition_index=index, error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER,
                high_watermark=-1, records=None,
            )  # fmt: skip
        of_commits = n - self.rules.partitions
        if of_commits >= 0:
            start, end = 0, self._commits.end(of_commits)
        code, data = 0, b""
        if not start <= at <= end:
            code = ErrorCode.OFFSET_OUT_OF_RANGE
        elif at < end and of_commits >= 0:
            data = self._commits.read(of_commits, at, asked.partition_max_bytes)
        elif at < end:
            record = Record(at, written, b"key", b"value", ())
            data = bytes(build_batch([record], base_offset=at))
        return fe.PartitionData(
            partition_index=index, error_code=code, high_watermark=end, last_stable_offset=end,
            log_start_offset=start, records=data,
        )  # fmt: skip


def _spoken() -> dict[ApiKey, int]:
    """The highest version of each API that is answered; Fetch as far as topics have names."""
    apis = (
        ApiKey.API_VERSIONS, ApiKey.METADATA, ApiKey.DESCRIBE_LOG_DIRS, ApiKey.DESCRIBE_CONFIGS,
        ApiKey.LIST_OFFSETS, ApiKey.LIST_GROUPS, ApiKey.DESCRIBE_GROUPS, ApiKey.FIND_COORDINATOR,
        ApiKey.OFFSET_FETCH, ApiKey.DESCRIBE_TOPIC_PARTITIONS,
    )  # fmt: skip
    return {**{api: api.versions[1] for api in apis}, ApiKey.FETCH: 12}
