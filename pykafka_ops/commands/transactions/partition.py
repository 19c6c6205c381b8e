"""The topic or partition that our tongue names: whether it exists."""

from __future__ import annotations

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.topics import TopicDescription, all_topics, describe_topics
from pykafka_ops.commands.framework.topic_filter import missing_topic
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode


def check_there(cluster: Cluster, name: str, number: int | None) -> None:
    """Raises KafkaError for a topic that does not exist, with the name that is near, and for a
    partition that it does not have: their leaders would be looked for until time runs out."""
    topic = describe_topics(cluster, [name])[name]
    if not isinstance(topic, TopicDescription):
        if topic.code != ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            raise topic
        error = missing_topic(name, [t.name for t in all_topics(cluster)])
        raise KafkaError(error.code, error.message)
    if number is not None and number not in {p.number for p in topic.partitions}:
        text = f"topic {name} has no partition {number}"
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, text)
