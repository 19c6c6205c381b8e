"""A Fetch of a known shape that waits for records, and is answered straight when they are there.

What is unusual by then is read by the ordinary code, and answered by it.
"""

from __future__ import annotations

import logging
from typing import cast

from pykafka_ops.broker.handlers.fetch_answer import answer, failed
from pykafka_ops.broker.handlers.fetch_reader import WHOLE, FetchReader
from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.hot.fetch import Read
from pykafka_ops.broker.partitions.fetches import enough
from pykafka_ops.broker.partitions.partition_read import PartitionRead
from pykafka_ops.broker.state.purgatory import Waiter
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.fetch_partitions import Asked
from pykafka_ops.wire.frame import Framed
from pykafka_ops.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic

log = logging.getLogger("kafka.server.ReplicaManager")


class FetchWait(Waiter):
    """Keeps ``promise``, of an answer, when ``missing`` bytes are there, something changes, or the
    time of the request is over. It names the partitions ``asked``."""

    __slots__ = (
        "_asked",
        "_careful",
        "_correlation_id",
        "_missing",
        "_reader",
        "_reads",
        "promise",
    )

    def __init__(
        self, reader: FetchReader, correlation_id: int, missing: int, asked: list[Asked]
    ) -> None:
        replicas = reader.context.services.replicas
        wait_ms = replicas.awaited.wait_ms(reader.follower, reader.request.max_wait_ms)
        super().__init__(
            reader.watched(),
            replicas.timer() + wait_ms,
            self._is_ready,
            self._finish,
            self._fail,
        )
        self._reader = reader
        self._correlation_id = correlation_id
        self._missing = missing
        self._asked = asked
        self._reads: list[Read] = []
        self._careful: list[PartitionRead] | None = None
        self.promise = promise = Deferred()
        promise.on_abandon = self._drop
        replicas.wait(replicas.fetches, self)

    def _look(self) -> bool:
        """Read again; whether that is enough."""
        reader = self._reader
        reads = reader.look(reader.to_read(), reader.limit)
        if reads is not None:
            self._careful = None
            self._reads = reader.note(reads, first=False)
            return sum([read[7] for read in reads]) >= self._missing
        terms, fetch = reader.terms(), reader.fetch()
        self._careful = reader.context.services.fetches.read_all(terms, fetch)
        return enough(fetch, self._careful, self._missing)

    def _is_ready(self) -> bool:
        reader = self._reader
        return self._look() or reader.context.services.replicas.awaited.is_awaited(reader.follower)

    def _finish(self, expired: bool) -> None:
        if expired:
            self._look()
        reader, context = self._reader, self._reader.context
        if self._careful is None:
            parts, size = reader.conclude(self._correlation_id, self._reads)
            if size <= WHOLE and reader.count is None:
                self._keep(b"".join(cast(list[bytes], parts)))
            else:
                self._keep(Framed(parts, reader.codes))
        else:
            found = context.services.fetches.found(reader.fetch(), self._careful)
            self._keep(answer(context, found))

    def _fail(self, error: Exception) -> None:
        log.error("a waiting fetch failed", exc_info=error)
        version = self._reader.context.version
        error = KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
        self._keep(failed(_request(self._asked), version, error))

    def _keep(self, found: object) -> None:
        promise = self.promise
        promise.on_abandon = None
        promise.resolve(found)

    def _drop(self) -> None:
        """Its client has gone."""
        self.promise.on_abandon = None
        self._reader.context.services.replicas.fetches.drop(self)


def _request(asked: list[Asked]) -> FetchRequest:
    """A request that names these partitions, for an answer that refuses them all."""
    topics: dict[object, FetchTopic] = {}
    for (name, index), _ in asked:
        topic = topics.setdefault(name, FetchTopic(topic=name if type(name) is str else ""))
        topic.partitions.append(FetchPartition(partition=index))
    return FetchRequest(topics=list(topics.values()))
