"""The session with ZooKeeper (``SessionExpireListener``), and how fast it answers."""

from __future__ import annotations

from collections import Counter

from pykafka_ops.broker.metadata.store import SessionState
from pykafka_ops.broker.runtime.parts import Parts
from pykafka_ops.metrics.family import Book, MetricKind
from pykafka_ops.metrics.spread import Spread

_TYPE = "kafka.server:SessionExpireListener"
OF_STATES = {
    SessionState.CONNECTED: ("ZooKeeperSyncConnectsPerSec", "Reconnections to ZooKeeper"),
    SessionState.SUSPENDED: ("ZooKeeperDisconnectsPerSec", "Connections to ZooKeeper that broke"),
    SessionState.EXPIRED: ("ZooKeeperExpiresPerSec", "Sessions with ZooKeeper that ended"),
}


class SessionCollector:
    """Counts changes of the session from its creation on; none without ZooKeeper."""

    def __init__(self, parts: Parts) -> None:
        self._changes: Counter[SessionState] = Counter()
        self._has_zookeeper = bool(parts.configs.value("zookeeper.connect"))
        self._replies = Spread()
        self._timer = parts.services.timer
        self.stop = parts.membership.store.on_session(self._note)
        parts.membership.store.on_reply = self._replied

    def _replied(self, ms: float) -> None:
        self._replies.turn(self._timer())
        self._replies.add(ms)

    def _note(self, state: SessionState) -> None:
        self._changes[state] += 1

    def collect(self, book: Book) -> None:
        """The counts since the start."""
        if self._has_zookeeper:
            self._replies.turn(self._timer())
            book.bean(
                "kafka.server:ZooKeeperClientMetrics:ZooKeeperRequestLatencyMs",
                "Time until ZooKeeper answered a request, in ms",
                MetricKind.SUMMARY,
            ).add(self._replies.times())
            for state, (name, what) in OF_STATES.items():
                family = book.bean(f"{_TYPE}:{name}", what, MetricKind.COUNTER)
                family.add(self._changes[state])
