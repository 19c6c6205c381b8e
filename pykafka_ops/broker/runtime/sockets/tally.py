"""Counts and times requests by API (``RequestMetrics``), where the broker serves metrics.

It counts every request, and every error code in answers. It times a sample: after one request of an
API the next one is timed :data:`TICK_MS` later at the earliest. So each of a few requests is timed,
and of many some hundred a second. A timed request stands for those of its API since the timed one
before; which of them is timed next is random. A request that takes :data:`SLOW_MS` because it has
to wait, or whose client is throttled, is always timed and stands for itself.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from pykafka_ops.broker.hot.serving import CountHead
from pykafka_ops.broker.runtime.sockets.dispatch import Dispatch
from pykafka_ops.metrics.spread import BYTES, Spread
from pykafka_ops.wire.apis import APIS, ApiKey
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.division import GatheredAnswer
from pykafka_ops.wire.error_counts import counter

TICK_MS: Final = 5
SLOW_MS: Final = 100
GRAIN_MS: Final = 1
"""Timers of the loop are late by up to this, however idle it is."""
FRESH_MS: Final = 50
"""How long a measured delay of the loop counts."""
FURTHEST: Final = 64
"""Among how many requests of an API, at most, the next one to time is drawn."""

PARTS: Final = ("total", "queue", "local", "remote", "send", "throttle", "sizes")

CallLater = Callable[[float, Callable[[], None]], object]


class RequestTime(NamedTuple):
    """One request: ms of each part, and its bytes. ``local`` ends when it has to wait, ``remote``
    when its answer is there."""

    total: float
    queue: float
    local: float
    remote: float
    send: float
    throttle: int
    size: int


class ApiTimes:
    """Times and sizes of the requests called ``name``; ``counts`` are those of its versions."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.counts: list[ApiCount] = []
        self.timed = 0
        """Requests that were timed; those in the spreads stand for more."""
        self.stood_for = 0
        self.local_ms = 0.0
        """The time of the last request that was timed from its beginning."""
        self.total, self.queue, self.local = Spread(), Spread(), Spread()
        self.remote, self.send, self.throttle = Spread(), Spread(), Spread()
        self.sizes = Spread(BYTES)

    @property
    def number(self) -> int:
        """How many requests there were."""
        return sum(count.requests for count in self.counts)

    def add(self, taken: RequestTime, now: float) -> None:
        """Add a timed request."""
        slow = taken.total - taken.queue >= SLOW_MS or taken.throttle
        weight = 1 if slow else max(self.number - self.stood_for, 1)
        self.timed += 1
        self.stood_for += weight
        for spread, value in (
            (self.total, taken.total),
            (self.queue, taken.queue),
            (self.local, taken.local),
            (self.remote, taken.remote),
            (self.send, taken.send),
            (self.throttle, taken.throttle),
            (self.sizes, taken.size),
        ):
            spread.turn(now)
            spread.add(value, weight)

    def take_in(self, other: ApiTimes) -> None:
        """Add the times of another."""
        self.timed += other.timed
        for name in PARTS:
            getattr(self, name).take_in(getattr(other, name))


class ApiCount(CountHead):
    """Requests of one API in one version, and the error codes of their answers; ``sure`` counts
    answers that are known to have NONE alone. ``walk(answer, codes)`` counts the codes of a
    message, which is of class ``kind``."""

    __slots__ = ("codes", "key", "kind", "times", "version", "walk")

    def __init__(self, key: int, version: int, times: ApiTimes) -> None:
        self.key = key
        self.version = version
        self.times = times
        self.requests = 0
        self.sure = 0
        self.codes: dict[int, int] = {}
        self.kind = APIS[key].response
        self.walk = counter(self.kind, version)


class RequestTally:
    """One per broker that serves metrics. ``due[key]`` is not 0 where a request of the API may be
    timed: :meth:`is_chosen` says which."""

    def __init__(self, dispatch: Dispatch, call_later: CallLater) -> None:
        self.timer = dispatch.timer
        self.due = bytearray([1] * 256)
        self._call_later = call_later
        self._counts: dict[tuple[int, int, bool], ApiCount] = {}
        self._times: dict[str, ApiTimes] = {}
        self._spent: dict[int, int] = {}
        self._armed: float | None = None
        self._late: tuple[float, float] = (0.0, 0.0)
        self._followers = dispatch.services.followers = set()
        GatheredAnswer.are_codes_counted = True

    # -- counts ------------------------------------------------------------------------------------

    def count(self, key: int, version: int, connection: int) -> ApiCount:
        """The count of one API and version; Fetch has one for consumers and one for followers."""
        follows = connection in self._followers
        found = self._counts.get((key, version, follows))
        if found is None:
            name = APIS[key].name
            if key == ApiKey.FETCH:
                name += "Follower" if follows else "Consumer"
            times = self._times.get(name)
            if times is None:
                times = self._times[name] = ApiTimes(name)
            found = self._counts[key, version, follows] = ApiCount(key, version, times)
            times.counts.append(found)
        return found

    def __iter__(self) -> Iterator[ApiCount]:
        """All counts, by API and version."""
        return iter(list(self._counts.values()))

    @property
    def times(self) -> list[ApiTimes]:
        """The times of all requests since the start, by name."""
        return list(self._times.values())

    def forget(self, connection: int) -> None:
        """Forget a closed connection."""
        self._followers.discard(connection)

    # -- times -------------------------------------------------------------------------------------

    def is_chosen(self, key: int) -> bool:
        """Whether to time this request, of an API that is due."""
        left = self.due[key] - 1
        self.due[key] = left
        if left:
            return False
        self._spent[key] = self._number(key)
        if self._armed is None:
            self._armed = self.timer()
            self._call_later(TICK_MS / 1000, self._tick)
        return True

    def queue_ms(self, now: float) -> float:
        """How long a request waits for the loop now: estimated by the delay of the timer."""
        late, at = self._late
        return late if now - at < FRESH_MS else 0.0

    def _tick(self) -> None:
        now = self.timer()
        assert self._armed is not None
        self._late = (max(now - self._armed - TICK_MS - GRAIN_MS, 0.0), now)
        self._armed = None
        for key, before in self._spent.items():
            came = min(self._number(key) - before, FURTHEST)
            self.due[key] = random.randint(1, came) if came > 1 else 1
        self._spent.clear()

    def _number(self, key: int) -> int:
        return sum(count.requests for count in self._counts.values() if count.key == key)


def error_name(code: int) -> str:
    """The name of a code, as in Kafka's ``Errors``."""
    return ErrorCode.of(code).name
