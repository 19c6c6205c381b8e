"""Followers on this broker (``ReplicaFetcherManager``, ``FetcherStats``)."""

from __future__ import annotations

from pykafka_ops.broker.runtime.parts import Parts
from pykafka_ops.broker.state.steps import STEP, Steps
from pykafka_ops.metrics.family import Book, Labels

_TYPE = "kafka.server:ReplicaFetcherManager"
_OF = Labels(clientId="Replica")


def collect(parts: Parts, book: Book) -> Steps[None]:
    """The lag of each follower whose lag is known, and the largest lag."""
    lags = book.bean(
        "kafka.server:FetcherLagMetrics:ConsumerLag",
        "How many offsets a follower on this broker is behind",
    )
    largest = failed = number = 0
    for fetcher in parts.fetchers:
        failed += len(fetcher.partitions.failed)
        client = f"ReplicaFetcherThread-{fetcher.number}-{fetcher.leader}"
        for (topic, index), state in list(fetcher.partitions.states.items()):
            number += 1
            if not number % STEP:
                yield None
            if state.lag >= 0:
                largest = max(largest, state.lag)
                lags.add(state.lag, Labels(clientId=client, topic=topic, partition=index))
    book.bean(f"{_TYPE}:MaxLag", "The largest lag of a follower on this broker, in offsets").add(
        largest, _OF
    )
    book.bean(f"{_TYPE}:FailedPartitionsCount", "Followers that an error has stopped").add(
        failed, _OF
    )
