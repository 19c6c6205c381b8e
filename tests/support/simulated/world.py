"""A whole cluster in one process: brokers as they are, a virtual clock, and everything that fails.

The brokers are those of the product, from their sockets' protocol down to the files they write:
only clocks, sockets, threads, the disk and ZooKeeper's server are the simulation's
(``surroundings``). All that happens is drawn from one seed: a seed that fails is a test case.
Rules are those of invariants I1-I11; see ``ledger`` and ``watching``.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from pykafka_ops.broker.metadata.znodes.brokers import Brokers
from tests.support.simulated.compacted import NAMES, Compacted
from tests.support.simulated.dark import Dark
from tests.support.simulated.ensemble import Ensemble
from tests.support.simulated.ledger import BrokenError, Ledger
from tests.support.simulated.loop import Clock, SimLoop
from tests.support.simulated.network import Network
from tests.support.simulated.nodes import Node
from tests.support.simulated.watching import Watcher

TROUBLE_S = 25.0
HEAL_S = 120.0
"""How long all has to be well again after the last misfortune."""


class GivenUpError(Exception):
    """The run is over, or it takes too long."""


class World:
    """What there is in one run (``course``). ``seconds`` is how long things go wrong."""

    def __init__(self, seed: int, seconds: float = TROUBLE_S) -> None:
        self.draw = draw = random.Random(seed)
        self.seconds = seconds
        self.loop = SimLoop(draw)  # type: ignore[abstract]
        self.network = Network(self.loop, draw)
        self.ensemble = Ensemble(self.loop, self.network)
        self.ledger = Ledger()
        self.dark = Dark()
        self.watcher = Watcher(self.loop, self.ensemble, self.ledger, self.dark)
        self.history: list[str] = []
        self.partitions: dict[str, int] = {}
        self.busy: set[str] = set()
        self.quiet = False
        """Whether clients have to come to an end."""
        self.end_at = float("inf")
        self.durable = draw.random() < 0.4
        self.brokers = draw.choice((3, 3, 4))
        self._broken: list[BaseException] = []
        self.ensemble.written = self._guarded(self.watcher.written)
        self.loop.moment = self.watcher.look
        self.tidies = random.Random(f"tidy {seed}").random() < 0.5
        """Whether compacted logs are cleaned."""
        self.cleaned = 0
        """Segments that were."""
        if self.tidies:
            self.ledger.kinds.update(dict.fromkeys(NAMES, Compacted))
        settings = self._settings()
        self.nodes = [
            Node(id_, self.loop, self.network, settings, self.failed) for id_ in range(self.brokers)
        ]
        self.watcher.nodes = self.nodes
        self.resting = False
        """Whether no broker starts by itself."""

    def _settings(self) -> dict[str, str]:
        draw = self.draw
        return {
            "zookeeper.connect": "zk:2181",
            "zookeeper.session.timeout.ms": "6000",
            "min.insync.replicas": draw.choice(("1", "2", "2")),
            "log.flush.interval.messages": "1" if self.durable else str(2**63 - 1),
            "log.segment.bytes": draw.choice(("1000", "4000", "1048576")),
            "log.index.interval.bytes": draw.choice(("0", "200", "4096")),
            **self._cleaning(),
            "auto.create.topics.enable": "false",
            "offsets.topic.num.partitions": "2",
            "offsets.topic.replication.factor": "3",
            "transaction.state.log.num.partitions": "2",
            "transaction.state.log.replication.factor": "3",
            "transaction.state.log.min.isr": "2",
            "transaction.abort.timed.out.transaction.cleanup.interval.ms": "1000",
            "group.initial.rebalance.delay.ms": "0",
            "replica.lag.time.max.ms": draw.choice(("2000", "5000")),
            "replica.socket.timeout.ms": "4000",
            "replica.fetch.wait.max.ms": "500",
            "replica.high.watermark.checkpoint.interval.ms": draw.choice(("300", "5000")),
            "log.flush.offset.checkpoint.interval.ms": draw.choice(("1000", "60000")),
            "controller.socket.timeout.ms": "3000",
            "request.timeout.ms": "3000",
            "leader.imbalance.check.interval.seconds": "5",
            "log.segment.delete.delay.ms": "2000",
            "num.replica.fetchers": draw.choice(("1", "2")),
        }

    def _cleaning(self) -> dict[str, str]:
        if not self.tidies:
            return {"log.cleaner.enable": "false"}
        draw = self.draw
        return {
            "log.cleaner.backoff.ms": draw.choice(("100", "1000")),
            "log.cleaner.min.cleanable.ratio": draw.choice(("0", "0.3")),
            "offsets.topic.segment.bytes": draw.choice(("1000", "4000")),
            "transaction.state.log.segment.bytes": draw.choice(("1000", "4000")),
        }

    def now_ms(self) -> int:
        """The wall clock."""
        return Clock(self.loop).time_ns() // 1_000_000

    def say(self, text: str) -> None:
        """Remember what happens."""
        self.history.append(f"{self.loop.time() - 1000:.2f} {text}")

    # -- what goes wrong with the product

    def failed(self, text: str) -> None:
        """Something that must not happen did."""
        self.broken(BrokenError(f"I11: {text}"))

    def broken(self, error: BaseException) -> None:
        """A rule is broken: the run ends."""
        self._broken.append(error)

    def _guarded(self, look: Callable[[Any], None]) -> Callable[[Any], None]:
        def guarded(what: Any) -> None:
            try:
                look(what)
            except BrokenError as error:
                self.broken(error)

        return guarded

    def check_patience(self) -> None:
        """Raise GivenUpError once clients should have come to an end."""
        if self.quiet and self.loop.time() > self.end_at + HEAL_S:
            raise GivenUpError

    def is_spare(self, broker: int) -> bool:
        """Whether every partition has another replica in sync that is well and registered, and
        no leader has asked for a change of that."""
        for node in self.nodes:
            for partition in node.parts.replicas.all() if node.parts is not None else ():
                if partition.in_sync is not None and partition.in_sync.pending is not None:
                    return False
        well = {int(name) for name in self.ensemble.tree.children(Brokers.path)} - {broker}
        states = self.watcher.states.values()
        return all(set(s.isr) & well for s in states)

    # -- going on

    def go_on(self, seconds: float, done: Callable[[], bool] = lambda: False) -> bool:
        """Go on for so long, or until ``done``; whether it is."""
        until = self.loop.time() + seconds
        found = False

        def stop() -> bool:
            nonlocal found
            found = done()
            return found or bool(self._broken)

        self.loop.run(until, stop)
        if self._broken:
            raise self._broken[0]
        if self.loop.failures:
            failure = self.loop.failures[0]
            raise BrokenError(f"I11: {failure.get('message')}") from failure.get("exception")
        return found

    def demand(self, done: Callable[[], bool], seconds: float, what: str) -> None:
        """Go on until it is so (I10)."""
        if not self.go_on(seconds, done):
            raise BrokenError(f"I10: {what}: not within {seconds:g} s")
