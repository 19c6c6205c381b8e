"""What one request counts for in its client's quotas, and how long the client is left alone for it.

Counterpart of ``RequestHandlerHelper`` and of the parts of ``KafkaApis`` about quotas. Answers are
sent at once (KIP-219): the answer tells the client how long it is, and the broker reads nothing
from the connection meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pykafka_ops.broker.state.controller.topic_requests import Charge
from pykafka_ops.broker.state.quotas.clients import PERCENT_PER_MS, ClientQuotas
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.codes import ErrorCode

EXEMPT: Final = frozenset(
    {
        ApiKey.LEADER_AND_ISR,
        ApiKey.STOP_REPLICA,
        ApiKey.UPDATE_METADATA,
        ApiKey.CONTROLLED_SHUTDOWN,
        ApiKey.WRITE_TXN_MARKERS,
        ApiKey.ALTER_PARTITION,
    }
)
"""What brokers ask of each other; so is the Fetch of a follower (:meth:`Meter.exempt`)."""

NOT_RECORDS: Final = 1024
"""Bytes of a fetch answer beside the records, of few partitions."""


@dataclass(slots=True, eq=False)
class Meter:
    """The measuring of one request, of ``size`` bytes without the length in front.

    ``client`` is its user and client id, ``timer()`` a monotonic clock in ms, ``started`` a time
    of it.
    """

    quotas: ClientQuotas
    client: tuple[str, str]
    key: int
    size: int
    timer: Callable[[], float]
    started: float
    _used_ms: float | None = None
    _exempt: bool = False
    _throttle_ms: int | None = None
    _mutations_until: float = 0.0

    def __post_init__(self) -> None:
        self._exempt = self.key in EXEMPT

    def exempt(self) -> None:
        """The request counts for nothing: a follower's."""
        self._exempt = True

    def handled(self) -> None:
        """The handler has returned: what comes later is waiting, not work."""
        if self._used_ms is None:
            self._used_ms = self.timer() - self.started

    def worked(self, ms: float) -> None:
        """Work went on after the handler had returned."""
        self._used_ms = (self._used_ms or 0.0) + ms

    def settle(self, *, answered: bool) -> int:
        """The request is done: count it; how long to leave its client alone, in ms.

        ``answered`` is false where there is no answer, as for Produce with acks=0.
        """
        self.handled()
        if self._throttle_ms is None:
            self._throttle_ms = self._settle(answered)
        self._exempt |= not answered
        self.started = self.timer()
        return self._throttle_ms

    def _settle(self, answered: bool) -> int:
        if self._exempt:
            return 0
        now = self.timer()
        throttle = 0.0
        if self.key == ApiKey.PRODUCE:
            throttle = self.quotas.produce.charge(*self.client, self.size, now)
        if answered:
            throttle = max(throttle, self._charge_time(now))
        return int(max(throttle, self._mutations_until - now) + 0.5)

    def _charge_time(self, now: float) -> int:
        self.handled()
        percent = (self._used_ms or 0.0) * PERCENT_PER_MS
        return self.quotas.request.charge(*self.client, percent, now)

    def sent(self) -> None:
        """The answer was encoded and written since :meth:`settle`, which is work as well."""
        if not self._exempt:
            now = self.timer()
            percent = (now - self.started) * PERCENT_PER_MS
            self.quotas.request.record(*self.client, percent, now)

    # -- Fetch

    def most_to_fetch(self) -> float:
        """Bytes of records that may be answered at once.

        With more, the client would have to wait for certain, whatever it had before. Some room is
        left for what is not records: Kafka leaves none and holds back the answers it cuts.
        """
        most = self.quotas.fetch.most_at_once(*self.client, self.timer())
        return most - min(most / 10, NOT_RECORDS)

    def fetched(self, size: int) -> int:
        """An answer with records is about to be sent, of ``size`` bytes; 0 if it may be.

        Else the client gets an empty one and comes back after so many ms.
        """
        if self._exempt:
            return 0
        now, who = self.timer(), self.client
        throttle = self._charge_time(now)
        if self.quotas.fetch.measured.find(*who, now) is not None:
            throttle = max(throttle, self.quotas.fetch.charge(*who, size, now))
            if throttle:
                self.quotas.fetch.record(*who, -size, now)
        self._throttle_ms = throttle
        return throttle

    # -- topics

    def mutations(self, *, strict: bool) -> Charge:
        """What counts partitions of this request; only in ``strict`` mode it raises."""

        def charge(partitions: int) -> None:
            now = self.timer()
            over = self.quotas.mutation.take(*self.client, partitions, now, strict=strict)
            self._mutations_until = now + over if over else self._mutations_until
            if over and strict:
                raise KafkaError(ErrorCode.THROTTLING_QUOTA_EXCEEDED)

        return charge
