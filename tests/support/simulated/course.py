"""One run of the simulation: start, go through misfortunes, heal, settle accounts."""

from __future__ import annotations

import logging

from tests.support.simulated.accounts import Accounts
from tests.support.simulated.admin import Administrator, create_topics
from tests.support.simulated.cleaning import Keyed, Steady
from tests.support.simulated.client import Client
from tests.support.simulated.groups import Member
from tests.support.simulated.ledger import BrokenError
from tests.support.simulated.misfortunes import Misfortunes
from tests.support.simulated.nodes import State
from tests.support.simulated.producers import Idempotent, Producer
from tests.support.simulated.readers import COMMITTED, UNCOMMITTED, Hostile, Reader
from tests.support.simulated.surroundings import installed
from tests.support.simulated.transactions import Transactional
from tests.support.simulated.world import HEAL_S, World

STAYING = {"plain": 3, "once": 2, "whole": 3}
"""Topics that are there in every run, with their partitions."""


class Course:
    """What happens to one world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.clients: list[Client] = []
        self.admin = Administrator(world, "admin")

    def run(self) -> None:
        """Start, go through misfortunes, heal, settle accounts. Raises BrokenError."""
        handler = _Listener(self.world)
        root = logging.getLogger()
        level, handlers = root.level, root.handlers[:]
        root.setLevel(logging.ERROR)
        root.handlers[:] = [handler]
        try:
            with installed(self.world):
                self._begin()
                self._go_through()
                self._heal()
        finally:
            self.world.loop.over = True
            root.setLevel(level)
            root.handlers[:] = handlers

    def _begin(self) -> None:
        world = self.world
        for node in world.nodes:
            node.start()
        world.demand(lambda: all(n.state is State.UP for n in world.nodes), 20, "brokers start")
        create_topics(world, STAYING)
        made = lambda: len(world.ledger.topic_ids) == len(STAYING) + world.tidies  # noqa: E731
        world.demand(made, 30, "topics are made")
        self.clients += [
            Producer(world, "p0"),
            Producer(world, "p1"),
            Idempotent(world, "i0"),
            Idempotent(world, "i1"),
            Transactional(world, "t0"),
            Transactional(world, "t1"),
            Reader(world, "r0", UNCOMMITTED),
            Reader(world, "r1", COMMITTED),
            Member(world, "m0"),
            Member(world, "m1"),
            Member(world, "m2"),
            Hostile(world, "h0"),
            self.admin,
            *(self._tidiers() if world.tidies else []),
        ]
        for client in self.clients:
            client.run()
        world.go_on(3.0)

    def _tidiers(self) -> list[Client]:
        world = self.world
        return [Keyed(world, "k0"), Keyed(world, "k1"), Steady(world, "s0")]

    def _go_through(self) -> None:
        self._misfortunes = Misfortunes(self.world, self.clients)
        self._misfortunes.begin()
        self.world.go_on(self.world.seconds)

    def _heal(self) -> None:
        world = self.world
        world.say("heal")
        world.end_at = world.loop.time()
        self._misfortunes.end()
        up = lambda: all(n.state is State.UP for n in world.nodes)  # noqa: E731
        world.demand(up, 40, "all brokers are back")
        world.go_on(5.0)
        world.quiet = True
        if not world.go_on(HEAL_S - 20, lambda: not world.busy):
            raise BrokenError(f"I10: clients do not get on: {sorted(world.busy)}")
        world.demand(up, 20, "all brokers stay")
        whole = lambda: not self.admin.what_is_missing()  # noqa: E731
        if not world.go_on(HEAL_S, whole):
            raise BrokenError(f"I10: the cluster does not heal: {self.admin.what_is_missing()}")
        Accounts(world, self.clients).settle()


class _Listener(logging.Handler):
    """Errors with a traceback are bugs (I11)."""

    def __init__(self, world: World) -> None:
        super().__init__(logging.ERROR)
        self._world = world

    def emit(self, record: logging.LogRecord) -> None:
        """Take down what is logged."""
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and not isinstance(error, BrokenError):
            broken = BrokenError(f"I11: {record.name}: {record.getMessage()}: {error!r}")
            broken.__cause__ = error
            self._world.broken(broken)
