"""Looks at all brokers and at the tree, and tells the ledger what it sees (I1, I3-I6)."""

from __future__ import annotations

from pykafka_ops.broker.metadata.store import Create, Delete, Op, SetData
from pykafka_ops.broker.metadata.znodes.cluster import ControllerEpoch
from pykafka_ops.broker.metadata.znodes.topics import PartitionState, TopicZNode
from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.runtime.parts import Parts
from pykafka_ops.broker.state.controller.leadership import LeaderAndIsr
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.disk.batch import scan
from pykafka_ops.errors import KafkaError
from tests.support.simulated.compacted import Compacted
from tests.support.simulated.dark import Dark
from tests.support.simulated.ensemble import Ensemble
from tests.support.simulated.ledger import Committed, Key, Ledger, demand
from tests.support.simulated.loop import Life, SimLoop
from tests.support.simulated.nodes import Node

EVERY_S = 0.005


class Watcher:
    """What was seen before, to compare with."""

    def __init__(self, loop: SimLoop, ensemble: Ensemble, ledger: Ledger, dark: Dark) -> None:
        self.nodes: list[Node] = []
        """The brokers to look at."""
        self._loop = loop
        self._ensemble = ensemble
        self._ledger = ledger
        self._dark = dark
        self.states: dict[tuple[str, int], LeaderAndIsr] = {}
        """What the tree says of each partition."""
        self.controller_epoch = 0
        self._verified: dict[tuple[int, int, Key], tuple[int, int]] = {}
        self._watermarks: dict[tuple[int, int, Key, int], int] = {}
        self._newest: dict[Key, int] = {}
        self._stamps: dict[tuple[int, int, Key], tuple[object, ...]] = {}
        self._next_look = 0.0

    # -- the tree

    def written(self, op: Op) -> None:
        """An operation on the tree was carried out."""
        if isinstance(op, Delete):
            place = _place(op.path)
            if place is not None:
                self.states.pop(place, None)
            return
        if not isinstance(op, Create | SetData):
            return
        if op.path == ControllerEpoch.path:
            epoch = ControllerEpoch.decode(op.data)
            rises = isinstance(op, Create) or epoch == self.controller_epoch + 1
            demand(rises, "I5", f"controller epoch {epoch} after {self.controller_epoch}")
            self.controller_epoch = epoch
        place = _place(op.path)
        if place is not None:
            self._state_written(place, PartitionState.decode(*place, op.data, 0))

    def _state_written(self, place: tuple[str, int], new: LeaderAndIsr) -> None:
        old = self.states.get(place)
        said = f"{place} {old} -> {new}"
        demand(len(new.isr) > 0 and new.leader in (-1, *new.isr), "I6", said)
        now = self.controller_epoch
        demand(new.controller_epoch == now, "I5", f"{said} by a former controller, it is {now}")
        if old is not None:
            same = new.leader == old.leader or new.leader_epoch > old.leader_epoch
            demand(same and new.leader_epoch >= old.leader_epoch, "I5", said)
            demand(bool(set(new.isr) & set(old.isr)), "I1", f"{said}: an unclean election")
        node = self._ensemble.tree.get(TopicZNode.path(place[0]))
        if node is not None:
            record = TopicZNode.decode(place[0], node.data)
            replicas = record.partitions[place[1]].replicas
            demand(set(new.isr) <= set(replicas), "I6", f"{said}: replicas are {replicas}")
        self.states[place] = new
        self._dark.settled(place, new.isr)

    # -- the brokers

    def look(self) -> None:
        """Called before the clock moves on: everything, if it is time again."""
        now = self._loop.time()
        if now >= self._next_look:
            self._next_look = now + EVERY_S
            self.look_now()

    def look_now(self) -> None:
        """Every replica on every broker."""
        for node in self.nodes:
            if node.parts is not None:
                self._broker(node, node.parts)
        self._ledger.check_acknowledged()

    def before_cleaning(self, life: Life) -> None:
        """Take down what a broker that may be stopping, and is not looked at else, will lose."""
        for node in self.nodes:
            if node.life is life and node.broker is not None:
                self._broker(node, node.broker.parts)

    def _broker(self, node: Node, parts: Parts) -> None:
        for partition in parts.replicas.all():
            if not partition.offline:
                self._replica(node, partition)

    def _replica(self, node: Node, partition: Partition) -> None:
        log = partition.used_log
        if log is None or not log.is_open:
            return
        key = (partition.topic_id, partition.index)
        held = self._ledger.held(partition.key[0], key)
        state = self.states.get(partition.key)
        end, epoch = log.log_end_offset, partition.leader_epoch
        place = (node.id, node.lives, key)
        committed, generation = log.high_watermark, log.durability.generation
        stamp = (end, committed, generation, partition.leader, epoch, held.end, state)
        if self._stamps.get(place) == stamp:
            return  # nothing is new
        self._stamps[place] = stamp
        if partition.is_leader:
            self._leader(node, partition, key, held, log)
        self._content(node, partition, key, held, log)
        if state is None or node.id not in state.isr or self._dark.covers(node.id):
            return
        if epoch == state.leader_epoch:
            said = f"{partition.key}: broker {node.id} in sync ends at {end}"
            demand(end >= held.end, "I6", f"{said}, {held.end} are committed")

    def _leader(
        self, node: Node, partition: Partition, key: Key, held: Committed, log: Log
    ) -> None:
        epoch = partition.leader_epoch
        self._ledger.led(key, epoch, node.id)
        state = self.states.get(partition.key)
        elected = -1 if state is None else state.leader_epoch  # maybe of one that is stopping
        if epoch >= max(elected, self._newest.get(key, -1)):
            self._newest[key] = epoch
            said = f"{partition.key}: broker {node.id} leads in epoch {epoch}"
            end = log.log_end_offset
            demand(end >= held.end, "I1", f"{said} with {end} of {held.end} committed")
        place = (node.id, node.lives, key, epoch)
        before = self._watermarks.get(place, 0)
        now = log.high_watermark
        demand(now >= before, "I4", f"{partition.key}: watermark {before} -> {now}")
        self._watermarks[place] = now

    def _content(
        self, node: Node, partition: Partition, key: Key, held: Committed, log: Log
    ) -> None:
        """What is below its high watermark is what everybody has there (I3)."""
        end = log.high_watermark
        said = f"{partition.key} on broker {node.id}"
        demand(end <= log.log_end_offset, "I6", f"{said}: watermark {end} is above the end")
        place = (node.id, node.lives, key)
        generation, done = self._verified.get(place, (log.durability.generation, 0))
        if generation != log.durability.generation:
            done = 0
        if end > done:
            try:
                data = read_between(log, done, end)
            except (KafkaError, OSError):
                return  # its disk fails
            held.take(said, data)
            if isinstance(held, Compacted) and not done and partition.is_leader:
                self._latest(node, partition, key, held, log)
        self._verified[place] = log.durability.generation, max(done, end)

    def _latest(
        self, node: Node, partition: Partition, key: Key, held: Compacted, log: Log
    ) -> None:
        """The newest leader of a compacted log, which was changed otherwise than by appending,
        still has what was written last."""
        if partition.leader_epoch == self._newest.get(key):
            said = f"{partition.key} on broker {node.id}, its leader"
            held.check_whole(said, read_between(log, 0, log.log_end_offset))


def _place(path: str) -> tuple[str, int] | None:
    """The partition whose state is kept at ``path``."""
    parts = path.split("/")
    if len(parts) == 7 and parts[2] == "topics" and parts[6] == "state":
        return parts[3], int(parts[5])
    return None


def read_between(log: Log, start: int, end: int) -> bytes:
    """The batches of a log from one offset to another."""
    segments = log.segments
    ends = [segment.base_offset for segment in segments[1:]]
    data = b"".join(
        segment.log.read(segment.size, 0)
        for segment, upto in zip(segments, [*ends, end + 1], strict=True)
        if segment.size and upto > start and segment.base_offset < end
    )
    first, last = -1, 0
    for position, header in scan(memoryview(data)):
        if header.next_offset > start and header.base_offset < end:
            first = position if first < 0 else first
            last = position + header.size
    return data[max(first, 0) : last]
