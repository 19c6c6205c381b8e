"""Whole batches of a partition from its leader, from one offset to another."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, cast

from pykafka_ops.client import offsets as o
from pykafka_ops.client.answers import error_of
from pykafka_ops.client.cluster import Cluster, Question
from pykafka_ops.client.fetch import BY_NAME
from pykafka_ops.client.leaders import Answers, Partition, ask_leaders
from pykafka_ops.errors import ConnectError, KafkaError, PkoError
from pykafka_ops.spark.sources.live._cluster import offsets_at
from pykafka_ops.spark.sources.live.records.offsets import DataLossError, OffsetRange
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic

PAGE: Final = 8 << 20
"""Bytes asked for at a time; a larger batch comes as a whole."""
_WAIT_MS: Final = 500


class FetchedPage(NamedTuple):
    """Bytes of batches, the first of which may begin before the offset asked for.

    ``aborted``: (producer id, first offset) of the transactions in them that were aborted, known
    only with read_committed.
    """

    data: bytes
    aborted: Sequence[tuple[int, int]]


def fetch_page(
    cluster: Cluster, partition: Partition, offset: int, *, committed: bool, most: int = PAGE
) -> FetchedPage:
    """Read about ``most`` bytes from ``offset`` on; what the leader says no to is raised."""

    def ask(node: int, part: dict[Partition, int]) -> Question:
        request = FetchRequest(
            max_wait_ms=_WAIT_MS,
            min_bytes=1,
            max_bytes=most,
            isolation_level=int(committed),
            session_epoch=-1,
            topics=[
                FetchTopic(
                    topic=partition[0],
                    partitions=[
                        FetchPartition(
                            partition=partition[1], fetch_offset=offset, partition_max_bytes=most
                        )
                    ],
                )
            ],
        )
        return Question(node, request, FetchResponse, lowest=4, highest=BY_NAME)

    found = ask_leaders(cluster, {partition: offset}, ask, _read, name="fetch")[partition]
    if isinstance(found, PkoError):
        raise found
    return found


def _read(answer: FetchResponse) -> Answers[FetchedPage]:
    for topic in answer.responses:
        for p in topic.partitions:
            data = bytes(cast("bytes", p.records)) if p.records is not None else b""
            aborted = [(a.producer_id, a.first_offset) for a in p.aborted_transactions or ()]
            page = FetchedPage(data, aborted)
            yield (topic.topic, p.partition_index), error_of(p), page


class Pages:
    """The pages of ``span``; ``at`` is the next offset, moved on by whoever reads them."""

    def __init__(
        self, cluster: Cluster, span: OffsetRange, *, committed: bool, strict: bool
    ) -> None:
        self.cluster, self.span, self.at = cluster, span, span.start
        self.committed, self.strict = committed, strict

    def __iter__(self) -> Iterator[FetchedPage]:
        """Until ``at`` is the span's end.

        Raises DataLossError where records are gone (unless not ``strict``: then goes on behind
        them), ConnectError where the leader has not what it had when the span was planned.
        """
        where = self.span.topic, self.span.partition
        deadline = time.monotonic() + self.cluster.config.api_timeout
        while self.at < self.span.end:
            try:
                page = fetch_page(self.cluster, where, self.at, committed=self.committed)
            except KafkaError as error:
                if error.code != ErrorCode.OFFSET_OUT_OF_RANGE:
                    raise _named(where, error) from None
                if not self._skip():
                    return
                continue
            before = self.at
            if page.data:
                yield page
            if self.at > before:
                deadline = time.monotonic() + self.cluster.config.api_timeout
            elif time.monotonic() > deadline:
                raise ConnectError(
                    f"partition {where[0]}-{where[1]}: no records at offset {self.at}, though the "
                    f"log ended at {self.span.end} when the read was planned"
                )

    def _skip(self) -> bool:
        """Go to where the log begins now; False where nothing of the span is left."""
        where = self.span.topic, self.span.partition
        found = offsets_at(self.cluster, [where], o.EARLIEST).get(where)
        start = found.offset if found is not None else self.span.end
        if self.strict:
            raise DataLossError(
                f"partition {where[0]}-{where[1]} lost its offsets from {self.at} on while they "
                f"were read; it begins at {start} now: failOnDataLoss=false reads what is there"
            )
        if start <= self.at:  # the log was cut: it ends before
            return False
        self.at = start
        return self.at < self.span.end


def _named(where: Partition, error: KafkaError) -> PkoError:
    text = error.message or ErrorCode(error.code).name
    return KafkaError(error.code, f"partition {where[0]}-{where[1]}: {text}")
