"""Samples that several exporters have under names of their own: one walk over groups and topics for
all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from pykafka_ops.client.topics import PartitionDescription
from pykafka_ops.monitor.cluster.view import WatchedTopic
from pykafka_ops.monitor.metrics.lines import Samples, Scope, known

Figure = Callable[[WatchedTopic, PartitionDescription], "int | None"]
OfCommit = Callable[[Scope, str, int, int], "int | None"]
"""Of a topic, a partition and the offset that a group committed there."""


class LabelNames(NamedTuple):
    """What an exporter calls a group, a topic and a partition."""

    group: str
    topic: str
    partition: str

    def of_partitions(self, figure: Figure) -> Callable[[Scope], Samples]:
        """A sample for each partition."""

        def samples(scope: Scope) -> Samples:
            for name, topic in scope.topics.items():
                head = scope.head(**{self.topic: name})
                for p in topic.description.partitions:
                    yield f'{head},{self.partition}="{p.number}"{scope.tail}', figure(topic, p)

        return samples

    def of_commits(self, figure: OfCommit) -> Callable[[Scope], Samples]:
        """A sample for each partition in which a group has committed something."""

        def samples(scope: Scope) -> Samples:
            for group in scope.groups:
                for topic, offsets in scope.committed(group):
                    head = scope.head(**{self.group: group, self.topic: topic})
                    for n, offset in enumerate(offsets):
                        if offset >= 0:
                            labels = f'{head},{self.partition}="{n}"{scope.tail}'
                            yield labels, figure(scope, topic, n, offset)

        return samples

    def offset_sums(self, scope: Scope) -> Samples:
        """Of each topic of a group the sum of its offsets."""
        for group in scope.groups:
            for topic, offsets, _ in _sums(scope, group):
                yield scope.labels(**{self.group: group, self.topic: topic}), offsets

    def lag_sums(self, scope: Scope) -> Samples:
        """Of each topic of a group the sum of its lags."""
        for group in scope.groups:
            for topic, _, lags in _sums(scope, group):
                yield scope.labels(**{self.group: group, self.topic: topic}), lags

    def members(self, scope: Scope) -> Samples:
        """How many members each group has."""
        for name, group in scope.groups.items():
            yield scope.labels(**{self.group: name}), group.member_count


def lag(scope: Scope, topic: str, partition: int, offset: int) -> int | None:
    """Records behind the end; None where that is not known."""
    end = scope.end(topic, partition)
    return None if end is None else max(0, end - offset)


def end(topic: WatchedTopic, partition: PartitionDescription) -> int | None:
    """Where a log ends; None where that is not known."""
    return known(topic.ends, partition.number)


def start(topic: WatchedTopic, partition: PartitionDescription) -> int | None:
    """Where a log begins; None where that is not known."""
    return known(topic.starts, partition.number)


def _sums(scope: Scope, group: str) -> Iterator[tuple[str, int, int | None]]:
    """Of each topic of a group the sum of its offsets and of its lags, None where a lag is not
    known."""
    for topic, offsets in scope.committed(group):
        read = [(n, offset) for n, offset in enumerate(offsets) if offset >= 0]
        lags = [lag(scope, topic, n, offset) for n, offset in read]
        known = [one for one in lags if one is not None]
        whole = bool(known) and len(known) == len(lags)
        yield topic, sum(offset for _, offset in read), sum(known) if whole else None


KAFKA_EXPORTER: Final = LabelNames("consumergroup", "topic", "partition")
KMINION: Final = LabelNames("group_id", "topic_name", "partition_id")
