"""Batches that were not appended: what clients hear, and what counts as failed."""

from __future__ import annotations

import logging
from typing import Any, NamedTuple

from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.storage.validate import TakesLongError
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

log = logging.getLogger("kafka.server.ReplicaManager")

WITHOUT_LOG_START = frozenset(
    {
        ErrorCode.CORRUPT_MESSAGE,
        ErrorCode.MESSAGE_TOO_LARGE,
        ErrorCode.RECORD_LIST_TOO_LARGE,
        ErrorCode.KAFKA_STORAGE_ERROR,
    }
)
"""Errors of an append whose answer leaves out the log start offset."""

TOO_LARGE = frozenset({ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.RECORD_LIST_TOO_LARGE})
EXPECTED = frozenset({ErrorCode.CORRUPT_MESSAGE, ErrorCode.KAFKA_STORAGE_ERROR})
"""Errors of an append that do not count as failed requests, too large ones aside."""


class Refused(NamedTuple):
    """Why a batch was not appended, or not committed in time."""

    error: KafkaError
    log_start_offset: int = -1


def count_refused(partition: Partition, error: KafkaError, records: Any) -> None:
    """As Kafka: a client's mistake that is to be expected is no failure of the broker."""
    if isinstance(error, TakesLongError):
        return  # it is still to be appended
    meter = partition.meter
    meter.produces += 1
    if error.code in TOO_LARGE:
        meter.bytes_rejected += len(records)
    elif error.code not in EXPECTED:
        meter.failed_produces += 1


def refused(partition: Partition, error: KafkaError) -> Refused:
    """The answer for one batch of a partition led here."""
    with_start = error.code not in WITHOUT_LOG_START
    return Refused(error, partition.log.log_start_offset if with_start else -1)


def failed(topic: str, index: int, error: BaseException) -> Refused:
    """The answer after something that nobody expected, which is logged."""
    log.error("appending to %s-%d failed", topic, index, exc_info=error)
    return Refused(KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR))
