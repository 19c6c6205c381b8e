"""How many partitions topics have, in pages where brokers give them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.topic_sizes import topic_sizes
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.messages import describe_topic_partitions as dtp
from tests.support.by_rule.answers import RuledAnswers
from tests.support.by_rule.rules import ClusterRules
from tests.support.memory.fake_broker import FakeBroker

Fakes = tuple[FakeBroker, FakeBroker]
Connect = Callable[..., Cluster]
RULES = ClusterRules(now=0, brokers=2, partitions=107, per_topic=20)


def paged(fake: FakeBroker, answer: Callable[[Any], Any]) -> FakeBroker:
    fake.ranges[int(ApiKey.DESCRIBE_TOPIC_PARTITIONS)] = (0, 0)
    return fake.on("DescribeTopicPartitions", answer)


def test_pages_are_put_together_where_topics_are_cut(fakes: Fakes, connect: Connect) -> None:
    answers = RuledAnswers(RULES, (0, 0))
    paged(fakes[0], lambda r: answers.answer(0, "DescribeTopicPartitions", r))
    found = topic_sizes(connect(fakes[0].bootstrap), page=7)
    assert found == {f"topic-{n:07d}": 20 if n < 5 else 7 for n in range(6)}
    assert len(fakes[0].asked("DescribeTopicPartitions")) == 16
    assert not [r for _, r in fakes[0].asked("Metadata") if r.topics is None]


def test_brokers_without_pages_are_asked_for_all_at_once(fakes: Fakes, connect: Connect) -> None:
    fakes[0].topics = {"b": [0, 1], "a": [0]}
    assert topic_sizes(connect(fakes[0].bootstrap)) == {"a": 1, "b": 2}


def test_pages_that_do_not_advance_are_an_error(fakes: Fakes, connect: Connect) -> None:
    cursor = dtp.Cursor(topic_name="a", partition_index=1)
    paged(fakes[0], lambda _: dtp.DescribeTopicPartitionsResponse(topics=[], next_cursor=cursor))
    with pytest.raises(KafkaError, match="do not advance"):
        topic_sizes(connect(fakes[0].bootstrap))
