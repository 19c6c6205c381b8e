"""Topic names: which are allowed, which collide, which are internal.

Counterpart of ``org.apache.kafka.common.internals.Topic``, with its texts.
"""

from __future__ import annotations

import re

from pykafka_ops.disk.names import MAX_NAME, partition_dir
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

GROUP_METADATA_TOPIC = "__consumer_offsets"
TRANSACTION_STATE_TOPIC = "__transaction_state"
CLUSTER_METADATA_TOPIC = "__cluster_metadata"
INTERNAL_TOPICS = frozenset({GROUP_METADATA_TOPIC, TRANSACTION_STATE_TOPIC})
MAX_NAME_LENGTH = 249
SHORT = 256
"""Characters of what clients name, above which nothing is remembered only to save time."""

_LEGAL = re.compile(r"[a-zA-Z0-9._-]+\Z")


def name_problem(name: str) -> str | None:
    """What is wrong with a topic name, in Kafka's words; None if it is fine."""
    if not name:
        return "the empty string is not allowed"
    if name == ".":
        return "'.' is not allowed"
    if name == "..":
        return "'..' is not allowed"
    if len(name) > MAX_NAME_LENGTH:
        return f"the length of '{name}' is longer than the max allowed length {MAX_NAME_LENGTH}"
    if not _LEGAL.match(name):
        return (
            f"'{name}' contains one or more characters other than ASCII alphanumerics,"
            " '.', '_' and '-'"
        )
    return None


def check_name(name: str) -> None:
    """Raise KafkaError INVALID_TOPIC_EXCEPTION if the name is not allowed."""
    problem = name_problem(name)
    if problem is not None:
        raise KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION, f"Topic name is invalid: {problem}")


def check_place(topic: str, partition: int) -> None:
    """Raise KafkaError INVALID_TOPIC_EXCEPTION unless a partition's directory can be named so."""
    check_name(topic)
    if partition < 0 or len(partition_dir(topic, partition)) > MAX_NAME:
        text = f"no partition of {topic} can have the number {partition}"
        raise KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION, text)


def absence(name: str) -> ErrorCode:
    """What Metadata says of a topic that is not there."""
    if name_problem(name) is None:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return ErrorCode.INVALID_TOPIC_EXCEPTION


def is_internal(name: str) -> bool:
    """Whether the topic is the broker's own (``isInternal`` in Metadata)."""
    return name in INTERNAL_TOPICS


def has_collision_chars(name: str) -> bool:
    """Whether the name holds '.' or '_', which metric names do not tell apart."""
    return "." in name or "_" in name


def metric_name(name: str) -> str:
    """The name as metrics show it; two topics with one metric name collide."""
    return name.replace(".", "_")
