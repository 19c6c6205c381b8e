"""The end of a run: everybody is well, so everything that was promised must be there."""

from __future__ import annotations

from tests.support.simulated.client import Client
from tests.support.simulated.compacted import Compacted
from tests.support.simulated.groups import TOPIC, Member, fetch_offset
from tests.support.simulated.ledger import Outcome, demand
from tests.support.simulated.nodes import State
from tests.support.simulated.producers import NONE, Producer
from tests.support.simulated.readers import COMMITTED, UNCOMMITTED, Reader
from tests.support.simulated.transactions import Transactional
from tests.support.simulated.watching import read_between
from tests.support.simulated.world import World

PATIENCE_S = 60.0
MOST_TASKS = 60
"""Of one broker at rest."""


class Accounts:
    """Reads and asks for everything once more."""

    def __init__(self, world: World, clients: list[Client]) -> None:
        self.world = world
        self._clients = clients
        self._readers = [
            Reader(world, "last-0", UNCOMMITTED),
            Reader(world, "last-1", COMMITTED),
        ]

    def settle(self) -> None:
        """Raise BrokenError if anything is missing."""
        self._work(_Probe(self.world), "every partition can be written to")
        for reader in self._readers:
            self._work(_ReadAll(self.world, reader), f"{reader.name} reads everything")
        self._work(_Groups(self.world, self._clients), "offsets of groups are there")
        self._replicas()
        self._check()
        if self.world.draw.random() < 0.3:
            self._once_more()

    def _work(self, client: Client, what: str) -> None:
        client.run()
        world = self.world
        world.end_at = world.loop.time()
        world.demand(lambda: client.name not in world.busy, PATIENCE_S, what)

    def _replicas(self) -> None:
        """All replicas end where the others do."""
        self.world.demand(lambda: not self._unequal(), PATIENCE_S, "all replicas are alike")

    def _unequal(self) -> bool:
        ends: dict[tuple[str, int], set[tuple[int, int]]] = {}
        for node in self.world.nodes:
            parts = node.parts
            for partition in parts.replicas.all() if parts is not None else ():
                state = self.world.watcher.states.get(partition.key)
                if state is None or node.id not in state.isr:
                    continue  # as in Kafka, a log stays on who was away when it was to go
                log = partition.log
                found = log.log_end_offset, log.high_watermark
                ends.setdefault(partition.key, set()).add(found)
        return any(len(f) > 1 or len(set(*f)) > 1 for f in ends.values())

    def _check(self) -> None:
        world, ledger = self.world, self.world.ledger
        world.watcher.look_now()
        ledger.check_acknowledged(finally_=True)
        ledger.check_order()
        ledger.check_transactions(self._readers[1].seen)
        for place, values in self._readers[0].seen.items():
            held = ledger.of(*place).values
            demand(values.items() <= held.items(), "I3", f"{place}: read what is not committed")
            for value in ledger.acknowledged.get(place, {}).items():
                demand(value in values.items(), "I1", f"{place}: nobody can read {value}")
        self._check_compacted()
        for node in world.nodes:
            tasks = len(node.life.tasks)
            demand(tasks <= MOST_TASKS, "I11", f"broker {node.id} has {tasks} tasks left")
        world.demand(self._images, PATIENCE_S, "every broker knows what the tree says")

    def _check_compacted(self) -> None:
        """Every replica in sync has what each key was written last, though logs are cleaned."""
        world = self.world
        demand(world.cleaned > 0 or not world.tidies, "I10", "no segment was cleaned")
        for node in world.nodes:
            for partition in node.parts.replicas.all() if node.parts is not None else ():
                state = world.watcher.states.get(partition.key)
                held = world.ledger.held(partition.key[0], (partition.topic_id, partition.index))
                if isinstance(held, Compacted) and state is not None and node.id in state.isr:
                    data = read_between(partition.log, 0, partition.log.log_end_offset)
                    held.check_whole(f"{partition.key} on broker {node.id}", data)

    def _images(self) -> bool:
        for node in self.world.nodes:
            for (topic, index), state in self.world.watcher.states.items():
                known = None if node.parts is None else node.parts.image.partition(topic, index)
                heard = None if known is None else (known.leader, known.leader_epoch)
                if heard != (state.leader, state.leader_epoch):
                    return False
        return True

    def _once_more(self) -> None:
        """Stop all brokers well, cut the power, start: nothing is lost or to be recovered (I9)."""
        world = self.world
        world.say("stop everybody")
        world.resting = True
        for node in world.nodes:
            node.stop()
        stopped = lambda: all(n.state is State.DOWN for n in world.nodes)  # noqa: E731
        world.demand(stopped, PATIENCE_S, "all brokers stop")
        for node in world.nodes:
            node.files.lose_unsynced()
        world.resting = False
        world.demand(
            lambda: all(n.state is State.UP for n in world.nodes), PATIENCE_S, "all start again"
        )
        reader = Reader(world, "again", UNCOMMITTED)
        self._work(_ReadAll(world, reader), "everything is read again")
        before = self._readers[0].seen
        for place, values in before.items():
            found = reader.seen.get(place, {})
            demand(values.items() <= found.items(), "I9", f"{place} is not what it was")


class _Probe(Producer):
    """Writes to every partition of every topic that stays."""

    def __init__(self, world: World) -> None:
        super().__init__(world, "probe")

    async def work(self) -> None:
        for topic, count in self.world.partitions.items():
            for index in range(count):
                values = [b"probe-%s-%d" % (topic.encode(), index)]
                self.world.ledger.write(topic, index, values)
                while True:
                    answer = await self.send(topic, index, self.batch(values))
                    if answer is not None and answer.error_code == NONE:
                        break
                    await self.pause()
                self.world.ledger.acknowledge(topic, index, answer.base_offset, values)


class _ReadAll(Client):
    """Reads all partitions to the end, which is the same for both isolation levels by now."""

    def __init__(self, world: World, reader: Reader) -> None:
        super().__init__(world, reader.name)
        self._reader = reader

    async def work(self) -> None:
        reader = self._reader
        for topic, count in self.world.partitions.items():
            for index in range(count):
                held = self.world.ledger.of(topic, index)
                while reader.positions.get((topic, index), 0) < held.end:
                    if not await reader.step(topic, index):
                        await self.pause()
                while await reader.check_end(topic, index) < held.end:  # I7: the LSO comes up
                    await self.pause()


class _Groups(Client):
    """Fetches the offsets that were committed, in transactions and else."""

    def __init__(self, world: World, clients: list[Client]) -> None:
        super().__init__(world, "offsets")
        self._clients = clients

    async def work(self) -> None:
        commits = self.world.ledger.commits
        for index in range(self.world.partitions[TOPIC]):
            floor = commits.floor(Member.group, index)
            commits.fetched(
                Member.group, index, await fetch_offset(self, Member.group, index), floor
            )
        for client in self._clients:
            if isinstance(client, Transactional):
                found = await fetch_offset(self, client.group, 0)
                allowed = self._allowed(client)
                said = f"{client.group} is at {found}, not at one of {allowed}"
                demand(found in allowed, "I7", said)

    @staticmethod
    def _allowed(client: Transactional) -> set[int]:
        """The offset of the last transaction that was committed, or may have been later."""
        found = set()
        for one in reversed(client.last):
            assert one.offset is not None
            if one.outcome in (Outcome.ENDING, Outcome.COMMITTED):
                found.add(one.offset)
            if one.outcome is Outcome.COMMITTED:
                return found
        return {*found, -1}
