"""Who may connect: how many at once, and how many new ones per second (KIP-402, 612).

Counterpart of ``ConnectionQuotas`` in ``SocketServer.scala``. Times in ms of a monotonic clock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pykafka_ops.broker.state.quotas.entities import QuotaEntities
from pykafka_ops.broker.state.quotas.sampled import Rate, Windows
from pykafka_ops.settings.broker import BROKER
from pykafka_ops.settings.check import connections_per_ip_overrides

NO_LIMIT: Final = 2**31 - 1
CONNECTIONS: Final = "max.connections"
CREATION_RATE: Final = "max.connection.creation.rate"


@dataclass(slots=True)
class _Listener:
    """One listener: connections open or about to be, its own limits, its rate."""

    rate: Rate
    connections: int = 0
    most: int = NO_LIMIT
    most_per_second: int = NO_LIMIT


@dataclass(slots=True)
class _Limits:
    """Those of the broker."""

    connections: int = NO_LIMIT
    per_second: int = NO_LIMIT
    per_ip: int = NO_LIMIT
    overrides: Mapping[str, int] = field(default_factory=dict)


class ConnectionQuotas:
    """The connections of one broker.

    The listener for brokers, ``protected``, does not count for the limits of the whole broker if
    there are others: brokers are let in however many clients there are.
    """

    def __init__(self, windows: Windows, entities: QuotaEntities, protected: str) -> None:
        self._windows = windows
        self._entities = entities
        self._protected = protected
        self._listeners: dict[str, _Listener] = {}
        self._rate = Rate(windows)
        self._limits = _Limits()
        self._per_ip: Counter[str] = Counter()
        self._ip_rates: dict[str, Rate] = {}
        self._sweep_at = 0.0

    def add_listener(self, name: str) -> None:
        """Clients may connect to this one, too."""
        self._listeners.setdefault(name, _Listener(Rate(self._windows)))

    def configure(self, get: Callable[[str], Any], text: Callable[[str], str | None]) -> None:
        """Take over limits; ``get(name)`` is a setting's value, ``text(name)`` its text.

        Raises SettingError.
        """
        self._limits = _Limits(
            get(CONNECTIONS),
            get(CREATION_RATE),
            get("max.connections.per.ip"),
            connections_per_ip_overrides(get),
        )
        for name, listener in self._listeners.items():
            prefix = f"listener.name.{name.lower()}."
            own, rate = text(prefix + CONNECTIONS), text(prefix + CREATION_RATE)
            listener.most = _number(CONNECTIONS, own, self._limits.connections)
            listener.most_per_second = _number(CREATION_RATE, rate, self._limits.per_second)

    @property
    def total(self) -> int:
        """Connections on all listeners."""
        return sum(listener.connections for listener in self._listeners.values())

    def is_protected(self, name: str) -> bool:
        """Whether a listener is the one for brokers, and not the only one."""
        return name == self._protected and len(self._listeners) > 1

    # -- coming

    def arrival_ms(self, name: str, now: float) -> float:
        """Somebody wants to connect: how long to let them wait, for the rates to be kept."""
        listener, wait = self._listeners[name], 0.0
        if self._limits.per_second < NO_LIMIT and not self.is_protected(name):
            wait = self._record(self._rate, self._limits.per_second, now)
        if listener.most_per_second < NO_LIMIT:
            wait = max(wait, self._record(listener.rate, listener.most_per_second, now))
        return wait

    def _record(self, rate: Rate, limit: float, now: float) -> float:
        rate.record(1, now)
        return min(rate.over_ms(limit, now), self._windows.ms)

    def has_room(self, name: str) -> bool:
        """Whether one more connection may be open."""
        listener = self._listeners[name]
        if listener.connections >= listener.most:
            return False
        return self.is_protected(name) or self.total < self._limits.connections

    def refusal_ms(self, name: str, ip: str, now: float) -> float:
        """0 if an address may connect once more; else how long to let it wait before its
        connection is closed. A refused one counts for no rate."""
        limit = self._entities.connection_rate(ip)
        if limit is None:
            return 0.0
        self._sweep(now)
        rate = self._ip_rates.get(ip)
        if rate is None:
            rate = self._ip_rates[ip] = Rate(self._windows)
        wait = self._record(rate, limit, now)
        if wait > 0:
            rate.record(-1, now)
            self._take_back(name, now)
        return wait

    def _take_back(self, name: str, now: float) -> None:
        listener = self._listeners[name]
        if self._limits.per_second < NO_LIMIT and not self.is_protected(name):
            self._rate.record(-1, now)
        if listener.most_per_second < NO_LIMIT:
            listener.rate.record(-1, now)

    def _sweep(self, now: float) -> None:
        """Forget addresses nobody has connected from lately."""
        if now >= self._sweep_at:
            self._sweep_at = now + self._windows.span_ms
            self._ip_rates = {
                ip: rate for ip, rate in self._ip_rates.items() if not rate.is_blank(now)
            }

    def enter(self, name: str, ip: str) -> bool:
        """Count one in; False if the address has as many as it may."""
        if self._per_ip[ip] >= self._limits.overrides.get(ip, self._limits.per_ip):
            return False
        self._per_ip[ip] += 1
        self._listeners[name].connections += 1
        return True

    def leave(self, name: str, ip: str) -> None:
        """Count one out that was counted in."""
        self._listeners[name].connections -= 1
        self._per_ip[ip] -= 1
        if not self._per_ip[ip]:
            del self._per_ip[ip]

    def is_crowded(self) -> bool:
        """Whether there are more than the broker may have, for brokers were let in."""
        return self.total > self._limits.connections


def _number(name: str, own: str | None, default: int) -> int:
    """A setting of one listener, of the whole broker where it has none of its own."""
    if own is None:
        return default
    found = BROKER[name].parse(own)
    assert isinstance(found, int)
    return found
