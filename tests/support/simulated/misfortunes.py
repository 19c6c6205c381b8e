"""What goes wrong in the simulation, drawn from the seed: machines, disks, network, ZooKeeper."""

from __future__ import annotations

import errno
from collections.abc import Callable

from tests.support.simulated.client import Client
from tests.support.simulated.ensemble import HOST
from tests.support.simulated.network import NOBODY
from tests.support.simulated.nodes import DIRS, Node, State
from tests.support.simulated.world import World


class Misfortunes:
    """Something happens every now and then, until :meth:`end`."""

    def __init__(self, world: World, clients: list[Client]) -> None:
        self.world = world
        self._clients = clients
        self.draw = world.draw
        self._loop = world.loop
        self._over = False
        table: list[tuple[Callable[[], None], float]] = [
            (self.kill, 3),
            (self.stop, 1.5),
            (self.start, 6),
            (self.freeze, 2),
            (self.cut_brokers, 2),
            (self.cut_ensemble, 1.5),
            (self.cut_client, 1),
            (self.expire, 1.5),
            (self.break_connections, 2),
            (self.slow_down, 1),
            (self.lose_power, 2),
            (self.lose_all_power, 0.4),
            (self.fail_disk, 1),
            (self.end_ensemble, 0.4),
        ]
        # Each run has its own kinds: some things only happen while others do not.
        share = self.draw.choice((0.3, 0.6, 1))
        self._table = [row for row in table if self.draw.random() < share]
        self._table.append((self.start, 4))
        self._pace = self.draw.choice((0.4, 1.2, 3.0))

    def begin(self) -> None:
        """From now on."""
        self._loop.call_later(self.draw.random() * self._pace, self._next, context=NOBODY)

    def _next(self) -> None:
        if self._over:
            return
        self.begin()
        if self.world.dark:
            return
        actions, weights = zip(*self._table, strict=True)
        action = self.draw.choices(actions, weights)[0]
        action()

    def end(self) -> None:
        """All is mended; brokers that are down start."""
        self._over = True
        self.mend()
        self.world.network.slow = 0.0
        for node in self.world.nodes:
            if node.doomed:  # a directory that failed is used again after a start
                node.kill()
        self._revive()

    def _revive(self) -> None:
        """Until everybody is there again."""
        for node in self.world.nodes:
            if node.state is State.DOWN and not self.world.resting:
                node.start()
            elif node.life.paused:
                self._loop.wake(node.life)
        self._loop.call_later(1.0, self._revive, context=NOBODY)

    def mend(self) -> None:
        """The network is whole."""
        if self.world.network.cuts:
            self._say("mend")
            self.world.network.mend()

    def _say(self, text: str) -> None:
        self.world.say(text)

    def _some(self, *states: State) -> Node | None:
        found = [n for n in self.world.nodes if n.state in (states or (State.UP,))]
        return self.draw.choice(found) if found else None

    # -- machines

    def kill(self) -> None:
        node = self._some(State.UP, State.STARTING, State.STOPPING)
        if node is not None:
            self._say(f"kill {node.id}")
            node.kill()

    def stop(self) -> None:
        node = self._some()
        if node is not None and not node.life.paused:
            self._say(f"stop {node.id}")
            node.stop()

    def start(self) -> None:
        node = self._some(State.DOWN)
        if node is not None:
            self._say(f"start {node.id}")
            node.start()

    def freeze(self) -> None:
        """SIGSTOP, and SIGCONT some time later, maybe after the session's end."""
        node = self._some()
        if node is None or node.life.paused:
            return
        self._say(f"freeze {node.id}")
        life = node.life
        life.paused = True
        seconds = self.draw.choice((0.5, 3, 9, 15))
        self._loop.call_later(seconds, lambda: self._loop.wake(life), context=NOBODY)

    def lose_power(self) -> None:
        """Of one machine. Unless all is synced, only while everybody else is well."""
        node = self._some()
        if node is None:
            return
        world = self.world
        if not world.durable:
            others = [n for n in world.nodes if n is not node]
            well = all(n.state is State.UP and not (n.life.paused or n.doomed) for n in others)
            quick = not world.network.cuts and not world.network.slow
            if not well or not quick or not world.is_spare(node.id):
                return
            world.dark.add(
                node.id, {place for place, s in world.watcher.states.items() if node.id in s.isr}
            )
        self._say(f"no power {node.id}")
        node.lose_power(self.draw)

    def lose_all_power(self) -> None:
        """Of all machines at once, if all is synced."""
        if self.world.durable:
            self._say("no power anywhere")
            for node in self.world.nodes:
                node.lose_power(self.draw)

    def fail_disk(self) -> None:
        """One directory of a broker fails, or is full for a moment."""
        node = self._some()
        if node is None:
            return
        path = self.draw.choice(DIRS)
        kind = self.draw.choice(("append", "sync", "append", "full"))
        self._say(f"disk {node.id} {path} {kind}")
        short = self.draw.choice((0, 0, 30))
        node.doomed = True
        if kind == "full":
            node.files.fail("append", error=errno.ENOSPC, match=path, short=short)
            return
        node.files.fail(
            kind, match=path, times=1_000_000, short=short if kind == "append" else None
        )

    # -- network

    def cut_brokers(self) -> None:
        one, other = self.draw.sample(self.world.nodes, 2)
        both = self.draw.random() < 0.7
        self._cut(one.host, other.host, both=both)

    def cut_ensemble(self) -> None:
        self._cut(self.draw.choice(self.world.nodes).host, HOST)

    def end_ensemble(self) -> None:
        """ZooKeeper is away for all."""
        for node in self.world.nodes:
            self._cut(node.host, HOST)

    def cut_client(self) -> None:
        client = self.draw.choice(self._clients)
        self._cut(client.life.host, self.draw.choice(self.world.nodes).host)

    def _cut(self, one: str, other: str, *, both: bool = True) -> None:
        self._say(f"cut {one} {other}{'' if both else ' one way'}")
        self.world.network.cut(one, other, both=both)
        seconds = self.draw.choice((0.3, 2, 5, 10))
        self._loop.call_later(seconds, self.mend, context=NOBODY)

    def break_connections(self) -> None:
        """Some connections are reset."""
        self._say("break connections")
        for end in self.world.network.in_order():
            if self.draw.random() < 0.2:
                self.world.network.reset(end)

    def slow_down(self) -> None:
        """Everything takes long for a while."""
        self._say("slow")
        self.world.network.slow = self.draw.choice((0.05, 0.5, 2.0))
        self._loop.call_later(3.0, self._speed_up, context=NOBODY)

    def _speed_up(self) -> None:
        self.world.network.slow = 0.0

    # -- ZooKeeper

    def expire(self) -> None:
        """A session ends, though its broker is well."""
        sessions = list(self.world.ensemble.sessions)
        if sessions:
            session = self.draw.choice(sessions)
            self._say(f"expire {self.world.ensemble.sessions[session].life.host}")
            self.world.ensemble.end(session)
