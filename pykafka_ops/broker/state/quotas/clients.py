"""What clients use of their quotas, and how long they are to be left alone (KIP-13, 124, 599).

Counterpart of ``ClientQuotaManager``, ``ClientRequestQuotaManager`` and
``ControllerMutationQuotaManager``. Who has which quota is for ``QuotaEntities`` to say; here it is
measured. Nothing is measured of clients without a quota, and what is measured of a client is
forgotten once it makes no difference any more. Times in ms of a monotonic clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, Generic, TypeVar

from pykafka_ops.broker.state.names import SHORT
from pykafka_ops.broker.state.quotas.entities import (
    FETCH,
    MUTATION,
    PRODUCE,
    REQUEST,
    QuotaEntities,
)
from pykafka_ops.broker.state.quotas.sampled import Rate, TokenBucket, Windows

KINDS: Final = (PRODUCE, FETCH, REQUEST, MUTATION)
PERCENT_PER_MS: Final = 100 / 1000
"""A thread at work for one ms in a second is at work for so many percent of it."""
MOST_KNOWN: Final = 10_000
"""Clients whose quota is remembered; beyond it is looked up again."""
MOST_MEASURED: Final = 50_000
"""Clients of which it is known what they used; those that came first make room for others."""
MAX_INT: Final = 2**31 - 1

Measure = TypeVar("Measure")


class Measured(Generic[Measure]):
    """The quota of one kind of each client, and what it has used of it.

    ``make()`` begins to measure somebody; ``is_blank(measure, limit, now)`` says whether that would
    be the same as going on. Clients are named by their user (without ``User:``) and client id.
    """

    def __init__(
        self,
        entities: QuotaEntities,
        kind: str,
        windows: Windows,
        make: Callable[[Windows], Measure],
        is_blank: Callable[[Measure, float, float], bool],
    ) -> None:
        self._entities = entities
        self._kind = kind
        self._windows = windows
        self._make = make
        self._is_blank = is_blank
        self._version = -1
        self._sweep_at = 0.0
        self._known: dict[tuple[str, str], tuple[Measure, float] | None] = {}
        self._shared: dict[tuple[str, str], tuple[Measure, float]] = {}
        """By who shares a quota, with its limit when it was last looked up."""

    def __len__(self) -> int:
        """How many are measured."""
        return len(self._shared)

    def __iter__(self) -> Iterator[tuple[tuple[str, str], Measure, float]]:
        """User and client id that share a quota, what they have used of it, and its limit."""
        return iter([(who, *found) for who, found in list(self._shared.items())])

    def find(self, user: str, client_id: str, now: float) -> tuple[Measure, float] | None:
        """What a client has used, and its limit; None if it has none."""
        if self._version != self._entities.version or now >= self._sweep_at:
            self._sweep(now)
        client = (user, client_id)
        try:
            return self._known[client]
        except KeyError:
            found = self._look_up(user, client_id)
            if len(client_id) <= SHORT:
                if len(self._known) >= MOST_KNOWN:
                    self._known.clear()
                self._known[client] = found
            return found

    def _look_up(self, user: str, client_id: str) -> tuple[Measure, float] | None:
        limit = self._entities.limit(self._kind, user, client_id)
        if limit.value is None:
            return None
        key = (limit.user, limit.client_id[:SHORT])
        old = self._shared.get(key)
        if old is None and len(self._shared) >= MOST_MEASURED:
            del self._shared[next(iter(self._shared))]
        measure = self._make(self._windows) if old is None else old[0]
        self._shared[key] = measure, limit.value
        return measure, limit.value

    def _sweep(self, now: float) -> None:
        """Forget who has been idle; look up again what everybody may."""
        self._version = self._entities.version
        self._sweep_at = now + self._windows.span_ms
        self._known.clear()
        self._shared = {
            key: (measure, limit)
            for key, (measure, limit) in self._shared.items()
            if not self._is_blank(measure, limit, now)
        }


class RateQuota:
    """A quota on a rate: bytes per second, or percent of a thread.

    ``longest_ms`` bounds how long a client is left alone.
    """

    def __init__(
        self, entities: QuotaEntities, kind: str, windows: Windows, longest_ms: float = MAX_INT
    ) -> None:
        self._windows = windows
        self._longest_ms = longest_ms
        self.measured = Measured[Rate](
            entities, kind, windows, Rate, lambda rate, _, now: rate.is_blank(now)
        )

    def charge(self, user: str, client_id: str, amount: float, now: float) -> int:
        """Record; how long the client is to be left alone, in ms."""
        found = self.measured.find(user, client_id, now)
        if found is None:
            return 0
        rate, limit = found
        rate.record(amount, now)
        return self.pause_ms(rate, limit, now)

    def pause_ms(self, rate: Rate, limit: float, now: float) -> int:
        """How long who has used so much is to be left alone."""
        return _round(min(rate.over_ms(limit, now), self._longest_ms))

    def record(self, user: str, client_id: str, amount: float, now: float) -> None:
        """Record without asking; take back what was recorded, with a negative amount."""
        found = self.measured.find(user, client_id, now)
        if found is not None:
            found[0].record(amount, now)

    def most_at_once(self, user: str, client_id: str, now: float) -> float:
        """The most that can be recorded at once without a break after it for certain."""
        found = self.measured.find(user, client_id, now)
        if found is None:
            return float("inf")
        return found[1] * (self._windows.number - 1) * self._windows.ms / 1000


class MutationQuota:
    """A quota on partitions created and deleted per second."""

    def __init__(self, entities: QuotaEntities, windows: Windows) -> None:
        self.measured = Measured[TokenBucket](
            entities, MUTATION, windows, TokenBucket, TokenBucket.is_blank
        )

    def take(self, user: str, client_id: str, partitions: int, now: float, *, strict: bool) -> int:
        """How long the client is to be left alone, in ms.

        In ``strict`` mode more than 0 means that it is refused and nothing was recorded: it has
        used up its quota before. Otherwise it is recorded, and using it up counts already.
        """
        found = self.measured.find(user, client_id, now)
        if found is None:
            return 0
        bucket, limit = found
        if not strict:
            bucket.take(partitions, limit, now)
        over = _round(bucket.over_ms(limit, now))
        if strict and not over:
            bucket.take(partitions, limit, now)
        return over


def is_concerned(entities: QuotaEntities, user: str, client_id: str) -> bool:
    """Whether a client has any quota."""
    return any(entities.limit(kind, user, client_id).value is not None for kind in KINDS)


class ClientQuotas:
    """All quotas of clients at one broker; ``value(name)`` gives its settings."""

    def __init__(self, entities: QuotaEntities, value: Callable[[str], Any]) -> None:
        self.entities = entities
        self.windows = windows = Windows.of(value, "quota.window")
        self.produce = RateQuota(entities, PRODUCE, windows)
        self.fetch = RateQuota(entities, FETCH, windows)
        self.request = RateQuota(entities, REQUEST, windows, longest_ms=windows.ms)
        self.mutation = MutationQuota(entities, Windows.of(value, "controller.quota.window"))
        self._version = -1
        self._concerned: dict[tuple[str, str], bool] = {}

    def concern(self, user: str, client_id: str) -> bool:
        """Whether a client has any."""
        if self._version != self.entities.version or len(self._concerned) >= MOST_KNOWN:
            self._version = self.entities.version
            self._concerned.clear()
        client = (user, client_id)
        try:
            return self._concerned[client]
        except KeyError:
            found = is_concerned(self.entities, user, client_id)
            if len(client_id) <= SHORT:
                self._concerned[client] = found
            return found


def _round(ms: float) -> int:
    """As Java's ``Math.round``, within an INT32."""
    return min(int(ms + 0.5), MAX_INT)
