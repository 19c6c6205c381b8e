"""A Fetch of very many partitions, from before it reads them until it is answered."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.partitions.replicas import Replicas
from pykafka_ops.broker.state.purgatory import Waiter
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

log = logging.getLogger("kafka.server.ReplicaManager")

AGAIN_MS = 100
"""How long a request that waits for several bytes of very many partitions is not read again."""


class LongWait:
    """Reading takes several steps: ``stirred`` says whether something happened to a partition since
    they began, ``over`` that the time (ms of the replicas' timer) has come."""

    def __init__(self, replicas: Replicas, keys: Iterable[Any], until: float) -> None:
        self.stirred = False
        self._replicas = replicas
        self._until = until
        self._deferred: Deferred | None = None
        self._go_on: Callable[[], object] | None = None
        self._not_before = 0.0
        self._waiter: Waiter | None = None
        if not self.over:
            self._waiter = Waiter(keys, until, self._ready, self._finish, self._fail)
            replicas.wait(replicas.fetches, self._waiter)

    @property
    def over(self) -> bool:
        """Whether the request waits no longer."""
        return self._replicas.timer() >= self._until

    def then(self, go_on: Callable[[], object], *, several: bool) -> Deferred:
        """The promise of what ``go_on`` gives when something happens; not all the time if it waits
        for ``several`` bytes."""
        self._deferred, self._go_on = Deferred(), go_on
        self._deferred.on_abandon = self.drop
        self._not_before = self._replicas.timer() + (AGAIN_MS if several else 0)
        if self.over:
            self._finish(expired=True)
        return self._deferred

    def drop(self) -> None:
        """It is answered, or its client has gone."""
        if self._waiter is not None:
            self._replicas.fetches.drop(self._waiter)

    def _ready(self) -> bool:
        self.stirred = True
        return self._deferred is not None and self._replicas.timer() >= self._not_before

    def _finish(self, expired: bool) -> None:
        if self._deferred is not None and self._go_on is not None:
            self._deferred.resolve(self._go_on())

    def _fail(self, error: Exception) -> None:
        log.error("a waiting fetch failed", exc_info=error)
        if self._deferred is not None:
            self._deferred.resolve(KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR))
