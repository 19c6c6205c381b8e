"""Copies partitions record by record, as plainly as can be: what tests of offsets need of a mirror.

Each copy is one transaction at the target, with the records of the offset map in it.
"""

from __future__ import annotations

import time

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.fetch import FetchedBatches, committed_from, end_of, fetch
from pykafka_ops.client.group_offsets import commit_offsets
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.topic_changes import NewTopic, create_topics
from pykafka_ops.client.transactional import TransactionalProducer
from pykafka_ops.mirror.copy.tasks import CommitNote, committed
from pykafka_ops.mirror.naming import Naming, link_id, map_topic
from pykafka_ops.mirror.offsets.records import map_records
from pykafka_ops.mirror.offsets.seeding import ensure_map
from pykafka_ops.mirror.settings.model import LinkSettings


def cluster_of(bootstrap: str) -> Cluster:
    """A cluster by where it listens."""
    return Cluster(ClientConfig.of({"bootstrap.servers": bootstrap}))


def make_topics(cluster: Cluster, **partitions: int) -> None:
    """Topics with one replica, ``_`` for a dot in their names."""
    wanted = [NewTopic(name.replace("_", "."), n, 1) for name, n in partitions.items()]
    for name, made in create_topics(cluster, wanted).items():
        assert not isinstance(made, Exception), f"{name}: {made}"


class HandMirror:
    """A mirror without its daemon; ``positions`` are the next offsets of the source."""

    def __init__(self, source: Cluster, target: Cluster, link: LinkSettings) -> None:
        self.source, self.target, self.link = source, target, link
        self.positions: dict[Partition, int] = {}
        self.producer = TransactionalProducer(target, link_id(link.source, link.target), 60_000)
        self.life = 0
        ensure_map(target, link)

    def copy(self, partition: Partition, most: int = 1 << 30) -> int:
        """Copy up to ``most`` records that are committed; how many."""
        at = self.positions.get(partition, 0)
        got = fetch(self.source, {partition: at}, read_committed=True)[partition]
        assert isinstance(got, FetchedBatches), got
        records = list(committed_from(got.records, at, got.aborted))
        end = records[most].offset if len(records) > most else end_of(got.records, at)
        records = records[:most]
        target = Naming.of(self.link).target_topic(partition[0]), partition[1]
        if records:
            self.producer.add([target])
            first = self.producer.send(
                target, [r._replace(offset=n) for n, r in enumerate(records)]
            )
            runs = [(record.offset, first + n, 1) for n, record in enumerate(records)]
            place, noted = map_records(target, runs, int(time.time() * 1000), life=self.life)
            there = map_topic(self.link.source), place
            self.producer.add([there])
            self.producer.send(there, noted)
            self.producer.end(commit=True)
        self.positions[partition] = end
        group = link_id(self.link.source, self.link.target)
        topic_id = self.source.metadata([partition[0]]).topics[0].topic_id
        position = committed(end, CommitNote(topic_id, life=self.life))
        done = commit_offsets(self.target, group, {target: position})
        assert done == {target: None}
        return len(records)

    def copy_all(self, partition: Partition) -> int:
        """Copy until there is nothing more."""
        total = 0
        while count := self.copy(partition):
            total += count
        return total
