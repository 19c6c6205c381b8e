"""How Kafka 4's kafka-consumer-groups and kafka-streams-groups tell which offsets they deleted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pykafka_ops.client.leaders import Partition
from pykafka_ops.commands.framework.failures import java_text
from pykafka_ops.commands.groups.kafka4_text import table
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode

_PLAIN = (ErrorCode.INVALID_GROUP_ID, ErrorCode.GROUP_ID_NOT_FOUND,
          ErrorCode.GROUP_AUTHORIZATION_FAILED, ErrorCode.NON_EMPTY_GROUP)  # fmt: skip
_OF_PARTITIONS = (ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC, ErrorCode.TOPIC_AUTHORIZATION_FAILED,
                  ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)  # fmt: skip


def deleted_text(
    name: str, whole: PkoError | None, results: Mapping[Partition, PkoError | None]
) -> Iterator[str]:
    """What the tools of Kafka 4 print of offsets that were to be deleted: ``whole`` is what kept
    all of them, or the first error of a partition (-1: a topic that is not there)."""
    code = ErrorCode.of(whole.code) if isinstance(whole, KafkaError) else None
    if whole is None:
        yield f"Request succeeded for deleting offsets from group {name}.\n"
    elif code in _PLAIN and code is not None:
        yield f"\nError: {code.text}\n"
    elif code in _OF_PARTITIONS:
        yield "\nError: Encountered some partition-level error, see the follow-up details.\n"
    else:
        yield f"\nError: Encountered some unknown error: {code.name if code else whole}\n"
    width = max([15, *(len(topic) for topic, _ in results)])
    found = sorted(results.items(), key=lambda r: f"{r[0][0]}{r[0][1]}")
    rows = [
        (topic, None if index < 0 else index, f"Error: {java_text(e)}" if e else "Successful")
        for (topic, index), e in found
    ]
    yield from table((width, 10, 15), ("TOPIC", "PARTITION", "STATUS"), rows)
