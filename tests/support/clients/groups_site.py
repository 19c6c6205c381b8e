"""A topic, and groups that commit in every way there is: plainly, in transactions, deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from confluent_kafka import Consumer, Producer, TopicPartition

from tests.support.process.commands import pko

if TYPE_CHECKING:
    from tests.conftest import Broker

STAMP = 1_700_000_000_000


class GroupsSite:
    """Twenty records in each of two partitions, by turns a second apart from ``STAMP`` on."""

    def __init__(self, broker: Broker, topic: str) -> None:
        self.bootstrap, self.data_dir, self.topic = broker.bootstrap, broker.data_dir, topic
        self.groups = [f"{name}-of-{topic}" for name in ("plain", "txn", "gone")]
        said = pko("topics", "create", topic, "-p", "2", "-b", self.bootstrap, "-c",
                   "retention.ms=-1")  # fmt: skip
        assert said.code == 0, said
        producer = Producer({"bootstrap.servers": self.bootstrap})
        for n in range(40):
            producer.produce(topic, b"%d" % n, partition=n % 2, timestamp=STAMP + n * 1000)
        assert producer.flush(120) == 0

    def commit_all(self) -> None:
        """Of the transactions the second and the fourth are aborted; ``gone`` is deleted."""
        plain, txn, gone = self.groups
        for offset in (3, 5, 8):
            self.commit(plain, offset, offset + 1)
        for offset, good in ((2, True), (4, False), (6, True), (7, False)):
            self.commit_in_transaction(txn, offset, good=good)
        self.commit(gone, 1, 1)
        said = pko("groups", "delete", gone, "--yes", "-b", self.bootstrap)
        assert said.code == 0, said

    def commit(self, group: str, *offsets: int) -> None:
        """For the partitions in their order."""
        consumer = Consumer({"bootstrap.servers": self.bootstrap, "group.id": group})
        places = [TopicPartition(self.topic, p, o) for p, o in enumerate(offsets)]
        consumer.commit(offsets=places, asynchronous=False)
        consumer.close()

    def begin(self, group: str, offset: int) -> Producer:
        """A transaction that commits for partition 0, left open."""
        consumer = Consumer({"bootstrap.servers": self.bootstrap, "group.id": group})
        producer = Producer({"bootstrap.servers": self.bootstrap, "transactional.id": group})
        producer.init_transactions(120)
        producer.begin_transaction()
        producer.send_offsets_to_transaction(
            [TopicPartition(self.topic, 0, offset)], consumer.consumer_group_metadata(), 30
        )
        consumer.close()
        return producer

    def commit_in_transaction(self, group: str, offset: int, *, good: bool) -> None:
        """For partition 0, committed or aborted."""
        producer = self.begin(group, offset)
        if good:
            producer.commit_transaction(120)
        else:
            producer.abort_transaction(120)
