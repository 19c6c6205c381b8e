"""AddPartitionsToTxn (24): partitions join a transaction (KIP-98).

To version 3 from producers; from 4, between brokers, for several transactions, and able to verify
only (KIP-890).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.shared import NamedPartitions
from pykafka_ops.wire.types import BOOL, INT16, INT32, INT64, STRING

AddPartitionsToTxnTopic = NamedPartitions


@struct
class AddPartitionsToTxnTransaction:
    """One transaction and its partitions."""

    transactional_id: str = wire(STRING, "4+")
    producer_id: int = wire(INT64, "4+")
    producer_epoch: int = wire(INT16, "4+")
    verify_only: bool = wire(BOOL, "4+")
    topics: list[AddPartitionsToTxnTopic] = wire([AddPartitionsToTxnTopic], "4+")


@message(ApiKey.ADD_PARTITIONS_TO_TXN)
class AddPartitionsToTxnRequest:
    """The ``v3_and_below`` fields are for producers, ``transactions`` for brokers."""

    transactions: list[AddPartitionsToTxnTransaction] = wire([AddPartitionsToTxnTransaction], "4+")
    v3_and_below_transactional_id: str = wire(STRING, "0-3")
    v3_and_below_producer_id: int = wire(INT64, "0-3")
    v3_and_below_producer_epoch: int = wire(INT16, "0-3")
    v3_and_below_topics: list[AddPartitionsToTxnTopic] = wire([AddPartitionsToTxnTopic], "0-3")


@struct
class AddPartitionsToTxnPartitionResult:
    """The outcome for one partition."""

    partition_index: int = wire(INT32)
    partition_error_code: int = wire(INT16)


@struct
class AddPartitionsToTxnTopicResult:
    """The partitions of one topic."""

    name: str = wire(STRING)
    results_by_partition: list[AddPartitionsToTxnPartitionResult] = wire(
        [AddPartitionsToTxnPartitionResult]
    )


@struct
class AddPartitionsToTxnResult:
    """The outcome for one transaction."""

    transactional_id: str = wire(STRING, "4+")
    topic_results: list[AddPartitionsToTxnTopicResult] = wire([AddPartitionsToTxnTopicResult], "4+")


@message(ApiKey.ADD_PARTITIONS_TO_TXN)
class AddPartitionsToTxnResponse:
    """One list by topic to version 3, by transaction from 4."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16, "4+", ignorable=True)
    results_by_transaction: list[AddPartitionsToTxnResult] = wire([AddPartitionsToTxnResult], "4+")
    results_by_topic_v3_and_below: list[AddPartitionsToTxnTopicResult] = wire(
        [AddPartitionsToTxnTopicResult], "0-3"
    )
