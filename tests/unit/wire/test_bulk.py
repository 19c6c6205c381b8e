"""How much stands in a message."""

from __future__ import annotations

import pytest

from pykafka_ops.wire.bulk import long_array
from pykafka_ops.wire.messages.list_transactions import ListTransactionsResponse
from pykafka_ops.wire.messages.metadata import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)


def of(brokers: int = 0, topics: int = 0, partitions: int = 0) -> MetadataResponse:
    return MetadataResponse(
        brokers=[MetadataResponseBroker() for _ in range(brokers)],
        topics=[
            MetadataResponseTopic(
                partitions=[MetadataResponsePartition() for _ in range(partitions)]
            )
            for _ in range(topics)
        ],
    )


@pytest.mark.parametrize(
    ("message", "name"),
    [
        (of(brokers=9, topics=3, partitions=2), None),
        (of(brokers=10), "brokers"),
        (of(topics=10), "topics"),
        (of(brokers=9, topics=1, partitions=9), "topics"),
        (of(topics=5, partitions=1), "topics"),
        (ListTransactionsResponse(unknown_state_filters=["no struct"] * 10), None),
    ],
)
def test_an_array_is_long_with_what_stands_in_its_items(message: object, name: str | None) -> None:
    assert long_array(message, 9) == name
