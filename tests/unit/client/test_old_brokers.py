"""Every admin call can be said to a Kafka 2.1 broker, and to one of 4.x."""

from collections.abc import Callable
from typing import Any

import pytest

from pykafka_ops.client import configs, offsets, records, topic_changes, topics
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.coordinators import find_coordinators
from pykafka_ops.client.groups import list_groups
from pykafka_ops.client.log_dirs import describe_log_dirs
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.apis import APIS
from tests.support.memory.fake_broker import FakeBroker

Connect = Callable[..., Cluster]
KAFKA_2_1 = {
    2: (0, 4), 3: (0, 7), 10: (0, 2), 16: (0, 2), 18: (0, 2), 19: (0, 3), 20: (0, 3), 21: (0, 1),
    32: (0, 2), 33: (0, 1), 35: (0, 1), 37: (0, 1),
}  # fmt: skip
KAFKA_4 = {
    2: (1, 11), 3: (0, 13), 10: (0, 6), 16: (0, 5), 18: (0, 4), 19: (2, 7), 20: (1, 6), 21: (0, 2),
    32: (1, 4), 33: (0, 2), 35: (1, 5), 37: (0, 3), 44: (0, 1),
}  # fmt: skip
RESOURCE = configs.ConfigResource(configs.TOPIC, "a")
CALLS: dict[str, Callable[[Cluster], Any]] = {
    "Metadata": topics.all_topics,
    "CreateTopics": lambda c: topic_changes.create_topics(c, [topic_changes.NewTopic("a", 1, 1)]),
    "CreatePartitions": lambda c: topic_changes.create_partitions(c, {"a": (2, None)}),
    "DeleteTopics": lambda c: topic_changes.delete_topics(c, ["a"]),
    "DescribeConfigs": lambda c: configs.describe_configs(c, [RESOURCE]),
    "AlterConfigs": lambda c: configs.replace_configs(c, {RESOURCE: {"k": "v"}}),
    "ListOffsets": lambda c: offsets.list_offsets(c, {("a", 0): offsets.EARLIEST}),
    "DeleteRecords": lambda c: records.delete_records(c, {("a", 0): 5}),
    "DescribeLogDirs": lambda c: describe_log_dirs(c, [0]),
    "ListGroups": list_groups,
    "FindCoordinator": lambda c: find_coordinators(c, ["g"]),
}


@pytest.mark.parametrize("api", CALLS)
@pytest.mark.parametrize(("release", "ranges"), [("2.1", KAFKA_2_1), ("4.x", KAFKA_4)])
def test_a_call_is_said_in_a_version_the_broker_knows(
    api: str, release: str, ranges: dict[int, tuple[int, int]], connect: Connect
) -> None:
    broker = FakeBroker()
    broker.ranges, broker.topics = ranges, {"a": [0]}
    for spec in APIS.values():
        if spec.key in ranges and spec.name not in ("ApiVersions", "Metadata"):
            broker.on(spec.name, lambda request, spec=spec: spec.response())
    try:
        CALLS[api](connect(broker.bootstrap))
        version, _ = broker.asked(api)[-1]
        spec = next(s for s in APIS.values() if s.name == api)
        assert ranges[spec.key][0] <= version <= ranges[spec.key][1]
    finally:
        broker.close()


def test_what_an_old_broker_cannot_do_is_an_unsupported_version(connect: Connect) -> None:
    broker = FakeBroker()
    broker.ranges, broker.topics = KAFKA_2_1, {"a": [0]}
    try:
        change = [(configs.AlterOp.SET, "k", "v")]
        (error,) = configs.alter_configs(connect(broker.bootstrap), {RESOURCE: change}).values()
        assert isinstance(error, KafkaError)
        assert error.code == 35
    finally:
        broker.close()
