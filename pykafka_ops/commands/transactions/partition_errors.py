"""What is wrong with a partition that our tongue names."""

from __future__ import annotations

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.topics import all_topics
from pykafka_ops.commands.framework.topic_filter import missing_topic
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode


def named(cluster: Cluster, partition: Partition, error: PkoError) -> PkoError:
    """``error``, or that the topic does not exist, with the name that is near."""
    if not isinstance(error, KafkaError) or error.code != ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
        return error
    topic, _ = partition
    known = [t.name for t in all_topics(cluster)]
    if topic in known:
        return error
    return KafkaError(error.code, missing_topic(topic, known).message)
