"""Three brokers in memory replicate one partition while everything goes wrong that may.

Real handlers, logs, fetchers and ``LocalReplicas``; controller and network are the model's. What
happens is drawn from one seed, so a seed that fails is a test case. Invariants are checked after
every step.
"""

from __future__ import annotations

import random
from typing import Any

from pykafka_ops.broker.state.in_sync import Proposal, Verdict
from pykafka_ops.broker.state.leadership import LeaderAndIsr
from tests.support.copying import contents
from tests.support.handler_site import Later, batch
from tests.support.replication_node import IDS, Node, Order

NONE, INVALID_VERSION, INELIGIBLE = 0, 95, 107


class World:
    """Brokers 0, 1 and 2, and the controller's view of them."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.now = 1_000_000
        self.min_isr = self.draw.choice([1, 1, 2])
        self.state = LeaderAndIsr(0, 0, IDS, 1, 0)
        self.nodes = [Node(id_, self) for id_ in IDS]
        self.live = set(IDS)
        self.count = 0
        self.acknowledged: dict[int, bytes] = {}
        self.committed: dict[int, bytes] = {}
        self._watermarks: dict[tuple[int, int], int] = {}
        self._seen: dict[int, tuple[Any, dict[int, bytes]]] = {}
        self.announce()

    # -- the controller

    def announce(self, *, news: bool = True) -> None:
        """Tell every broker that lives, of the partition only if there are ``news``."""
        live = tuple(sorted(self.live))
        for id_ in live:
            self.nodes[id_].orders.append(Order(self.state if news else None, live))

    def _elect(self) -> None:
        """Let the leader, or the first live one of the ISR, lead; out of the ISR with who is
        gone, but for the last."""
        in_sync = [id_ for id_ in self.state.isr if id_ in self.live]
        leader = self.state.leader
        if leader not in in_sync:
            leader = in_sync[0] if in_sync else -1
        self.state = self.state.elect(leader, in_sync or self.state.isr, 1).written()
        self.announce()

    def lose(self, id_: int) -> None:
        """The session of a broker ended, whether it runs or not."""
        self.live.discard(id_)
        self.announce(news=False)
        if id_ in self.state.isr and self.state.leader != -1:
            self._elect()

    def gain(self, id_: int) -> None:
        """A broker registers."""
        self.live.add(id_)
        self.announce(news=False)
        self.nodes[id_].orders.append(Order(self.state, tuple(sorted(self.live))))
        if self.state.leader == -1 and id_ in self.state.isr:
            self._elect()

    def change_isr(self, node: Node, proposal: Proposal) -> None:
        """AlterPartition arrives."""
        state = self.state
        code = NONE
        if state.leader != node.id or state.leader_epoch != proposal.leader_epoch:
            code = 74
        elif state.partition_epoch != proposal.partition_epoch:
            code = INVALID_VERSION
        elif not set(proposal.isr) <= self.live:
            code = INELIGIBLE
        if code == NONE:
            self.state = state._replace(isr=proposal.isr, partition_epoch=state.partition_epoch + 1)
        node.answers.append((proposal, code, self.state))

    # -- what may happen

    def step(self) -> None:
        """One thing happens."""
        node = self.draw.choice(self.nodes)
        actions = [
            (self._produce, 6),
            (self._ask, 12),
            (self._take, 12),
            (self._obey, 8),
            (self._propose, 3),
            (self._settle, 3),
            (self._pass_time, 2),
            (self._checkpoint, 1),
            (self._crash, 0.2),
            (self._expire, 0.15),
            (self._come_back, 2.5),
            (self._move_lead, 0.3),
        ]
        action = self.draw.choices([a for a, _ in actions], [w for _, w in actions])[0]
        action(node)
        self.check()

    def _produce(self, node: Node) -> None:
        if not node.running or self.count > 60:
            return
        self.count += 1
        value = b"v%d" % self.count
        answer = node.site.produce(batch(value), acks=-1)
        node.site.run_soon()
        if isinstance(answer, Later):
            node.waiting.append((value, answer))
        elif answer.error_code == NONE:
            self._acknowledge(answer.base_offset, value)

    def _acknowledge(self, offset: int, value: bytes) -> None:
        assert self.acknowledged.setdefault(offset, value) == value, "one offset, two records"

    def _ask(self, node: Node) -> None:
        if node.running and node.asked is None:
            node.ask()

    def _take(self, node: Node) -> None:
        if node.running:
            node.take()

    def _obey(self, node: Node) -> None:
        if node.running and node.orders:
            node.obey(node.orders.pop(0))

    def _propose(self, node: Node) -> None:
        if node.running and node.proposals:
            self.change_isr(node, node.proposals.pop(0))

    def _settle(self, node: Node) -> None:
        partition = node.partition
        if not node.running or not node.answers or partition is None:
            return
        proposal, code, state = node.answers.pop(0)
        verdict = partition.settle(
            proposal,
            code,
            isr=state.isr,
            leader_epoch=state.leader_epoch,
            partition_epoch=state.partition_epoch,
        )
        node.site.run_soon()
        if verdict is Verdict.RETRY:
            node.proposals.append(proposal)

    def _pass_time(self, node: Node) -> None:
        self._move_clocks(self.draw.choice([10, 1000, 40_000]))
        if node.running and node.partition is not None:
            node.partition.drop_late()

    def _move_clocks(self, ms: int) -> None:
        self.now += ms
        for each in self.nodes:
            each.site.now = self.now
            each.site.time += ms

    @staticmethod
    def _checkpoint(node: Node) -> None:
        if node.running:
            node.saved_watermark = node.log.high_watermark

    def _crash(self, node: Node) -> None:
        node.crash()
        if self.draw.random() < 0.5:
            self.lose(node.id)

    def _expire(self, node: Node) -> None:
        if node.id in self.live:
            self.lose(node.id)

    def _come_back(self, node: Node) -> None:
        if node.running and node.id in self.live:
            return
        if node.id in self.live:
            self.lose(node.id)  # it is seen to have restarted
        if not node.running:
            node.boot()
        self.gain(node.id)

    def _move_lead(self, node: Node) -> None:
        if node.id in self.state.isr and node.id in self.live and self.state.leader in self.live:
            self.state = self.state.elect(node.id, self.state.isr, 1).written()
            self.announce()

    # -- what must hold

    def records(self, node: Node) -> dict[int, bytes]:
        """What a broker's log holds."""
        log = node.log
        stamp = id(log), log.log_end_offset, log.generation
        if node.id not in self._seen or self._seen[node.id][0] != stamp:
            self._seen[node.id] = stamp, contents(log)
        return self._seen[node.id][1]

    def check(self) -> None:
        """The invariants."""
        for node in self.nodes:
            self._take_acknowledgements(node)
            if node.running:
                self._check_watermark(node)
        for id_ in self.state.isr:
            held = self.records(self.nodes[id_])
            for offset, value in (self.committed | self.acknowledged).items():
                assert held.get(offset) == value, f"broker {id_} in sync lacks {offset}"

    def _take_acknowledgements(self, node: Node) -> None:
        for item in list(node.waiting):
            value, later = item
            if later.done:
                node.waiting.remove(item)
                answer = later.answer.responses[0].partition_responses[0]
                if answer.error_code == NONE:
                    self._acknowledge(answer.base_offset, value)

    def _check_watermark(self, node: Node) -> None:
        partition, log = node.partition, node.log
        assert log.high_watermark <= log.log_end_offset
        if partition is not None and partition.is_leader:
            place = node.id, partition.leader_epoch
            assert log.high_watermark >= self._watermarks.get(place, 0), "it went back"
            self._watermarks[place] = log.high_watermark
        held = self.records(node)
        for offset in range(log.high_watermark):
            known = self.committed.setdefault(offset, held[offset])
            assert known == held[offset], f"broker {node.id} has committed another {offset}"

    def recover(self) -> None:
        """Everybody comes back, nothing goes wrong any more: all logs must become equal."""
        for node in self.nodes:
            self._come_back(node)
        self.draw.random = lambda: 1.0  # type: ignore[method-assign]
        self._run_well()
        self.count = 0
        self._produce(self.nodes[self.state.leader])
        self._run_well(4)
        first, *others = (self.records(node) for node in self.nodes)
        assert all(other == first for other in others)
        assert set(self.state.isr) == set(IDS)
        assert {node.log.high_watermark for node in self.nodes} == {len(first)}
        assert max(self.acknowledged) == len(first) - 1, "nothing is acknowledged any more"

    def _run_well(self, rounds: int = 60) -> None:
        for _ in range(rounds):
            self._move_clocks(1000)
            for node in self.nodes:
                while node.orders:
                    self._obey(node)
                node.ask()
                node.take()
                self._propose(node)
                self._settle(node)
            self.check()
