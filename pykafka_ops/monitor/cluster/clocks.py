"""The clocks of brokers beside the one of this machine, by the commits that they wrote. Pure.

A coordinator stamps a commit when it appends it. So its clock shows at least the time of the
commit and what has passed since that was read. Of commits that are read soon after they were
written that is its time, whatever this machine's clock shows.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from pykafka_ops.monitor.cluster.answers import NotAsked

SKEW_MS: Final = 30_000
"""Clocks that are apart by less are taken for the same, where nothing better is known."""
KEPT_MS: Final = 300_000
"""How long the best that was heard counts, once or twice: a clock may be set."""


class BrokerTime(NamedTuple):
    """The time of a broker in ms, at least; ``sure``: no later, but for the age of a commit."""

    ms: int
    sure: bool


class _Heard:
    """How far a broker's clock is ahead of ours, at least: now, and in the span before."""

    def __init__(self, at: int) -> None:
        self.since = at
        self.now = self.before = -(1 << 62)
        self.is_live = False

    def add(self, at: int, ahead: int, live: bool) -> None:
        if not 0 <= at - self.since < KEPT_MS:
            self.since, self.before, self.now = at, self.now, -(1 << 62)
        self.now = max(self.now, ahead)
        self.is_live = self.is_live or live

    @property
    def ahead(self) -> int:
        return max(self.now, self.before)


class BrokerClocks:
    """All brokers of a cluster; times in ms."""

    def __init__(self) -> None:
        self._heard: dict[int, _Heard] = {}

    def hear(self, broker: int, stamp: int, at: int, *, live: bool) -> None:
        """At ``at`` a commit was read that ``broker`` wrote at ``stamp``; ``live``: since the round
        before."""
        self._heard.setdefault(broker, _Heard(at)).add(at, stamp - at, live)

    def time(self, broker: int, at: int) -> BrokerTime:
        """What the clock of a broker shows at ``at``: by its own commits, else by those of others,
        whose clocks are mostly right."""
        own = self._heard.get(broker)
        if own is not None and (own.is_live or own.ahead >= -SKEW_MS):
            return BrokerTime(at + own.ahead, sure=True)
        others = [h.ahead for h in list(self._heard.values()) if h.is_live or h.ahead >= -SKEW_MS]
        if others:
            return BrokerTime(at + max(others), sure=True)
        return BrokerTime(at, sure=True) if own is None else BrokerTime(at + own.ahead, sure=False)

    def skew(self, broker: int) -> int:
        """How far the clock of a broker is ahead of ours, negative: behind; 0 where that is not
        known, or less than a round may take."""
        heard = self._heard.get(broker)
        if heard is None or not (heard.is_live or heard.ahead > 0) or abs(heard.ahead) < SKEW_MS:
            return 0
        return heard.ahead

    def skews(self) -> dict[int, int]:
        """Those of all brokers that have one."""
        return {broker: skew for broker in sorted(self._heard) if (skew := self.skew(broker))}

    def notes(self) -> list[NotAsked]:
        """That the clocks of brokers and of this machine are apart."""
        found = []
        for broker, skew in self.skews().items():
            way = "ahead of" if skew > 0 else "behind"
            text = (
                f"{abs(skew) / 1000:.0f} s {way} the clock of this machine; groups are judged by "
                "its own"
            )
            found.append(NotAsked(f"clock of broker {broker}", "ClockSkew", text))
        return found
