"""Random transactions of two producers, timeouts, rivals, and kills between any two writes."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from pykafka_ops.broker.state.transactions.metadata import PREPARED
from tests.support.memory.transaction_desk import KilledError, TransactionDesk

NONE = 0
PARTITIONS = 2
RETRIABLE = {14, 16, 51}
OPEN, COMMITTED, ABORTED, UNSURE = "open", "committed", "aborted", "unsure"


class Txn:
    """What a client knows of a transaction: the values it was told are written, and its fate."""

    def __init__(self) -> None:
        self.sent: list[tuple[int, bytes]] = []
        self.tried: list[tuple[int, bytes]] = []
        self.fate = OPEN


class Client:
    """One producer instance. ``alive`` until it was told that it is fenced, or lost its way."""

    def __init__(self, tid: str, producer: tuple[int, int]) -> None:
        self.tid = tid
        self.producer = producer
        self.sequences = [0] * PARTITIONS
        self.txn: Txn | None = None
        self.alive = True


TIDS = st.sampled_from(["a", "b"])


class TransactionMachine(RuleBasedStateMachine):
    """Every value is unique; ``txns`` are all transactions ever begun, of whatever fate."""

    @initialize()
    def begin(self) -> None:
        self.desk = TransactionDesk(PARTITIONS)
        self.clients: dict[str, Client] = {}
        self.old: list[Client] = []
        self.txns: list[Txn] = []
        self.count = 0
        self.stable = [0] * PARTITIONS
        self.dead = False

    # -- being killed ------------------------------------------------------------------------------

    def attempt(self, act: Callable[[], Any]) -> Any:
        """What ``act`` gives, None if the broker was killed meanwhile."""
        try:
            return act()
        except KilledError:
            self.dead = True
            return None

    def revive(self) -> None:
        while self.dead:
            self.dead = False
            self.attempt(self.desk.restart)

    @rule(writes=st.integers(0, 8))
    def plan_a_kill(self, writes: int) -> None:
        self.desk.kill_in = writes

    @rule()
    def kill(self) -> None:
        self.dead = True
        self.revive()

    # -- producers ---------------------------------------------------------------------------------

    @rule(tid=TIDS, timeout=st.sampled_from([2000, 60_000]))
    def new_producer(self, tid: str, timeout: int) -> None:
        given = self.attempt(lambda: self.desk.init(tid, timeout=timeout))
        before = self.clients.pop(tid, None)
        if before is not None:
            self.old.append(before)
            if before.txn is not None and before.txn.fate is OPEN:
                before.txn.fate = UNSURE
        self.revive()
        if given is not None and given.code == NONE:
            assert (given.producer_id, given.epoch) not in [c.producer for c in self.old]
            self.clients[tid] = Client(tid, given[1:])
        else:
            assert given is None or given.code in RETRIABLE

    @rule(tid=TIDS, index=st.integers(0, PARTITIONS - 1), number=st.integers(1, 3))
    def send(self, tid: str, index: int, number: int) -> None:
        client = self.clients.get(tid)
        if client is not None and client.alive:
            self._send(client, index, number)

    def _send(self, client: Client, index: int, number: int) -> None:
        codes = self.attempt(lambda: self.desk.add(client.tid, client.producer, index))
        if codes is None:
            self.lost(client)
            return
        if codes != [NONE]:
            self.refused(client, codes[0])
            return
        if client.txn is None:
            client.txn = Txn()
            self.txns.append(client.txn)
        values = [b"%d" % (self.count + n) for n in range(number)]
        self.count += number
        client.txn.tried += [(index, value) for value in values]
        code = self.attempt(
            lambda: self.desk.produce(
                client.tid, client.producer, index, client.sequences[index], *values
            )
        )
        if code == NONE:
            client.sequences[index] += number
            client.txn.sent += [(index, value) for value in values]
        elif code is None:
            self.lost(client)
        else:
            self.refused(client, code)

    @rule(tid=TIDS, commit=st.booleans())
    def end(self, tid: str, commit: bool) -> None:
        client = self.clients.get(tid)
        if client is None or not client.alive or client.txn is None:
            return
        code = self.attempt(lambda: self.desk.end(tid, client.producer, commit=commit))
        if code == NONE:
            client.txn.fate = COMMITTED if commit else ABORTED
            client.txn = None
        elif code is None:
            client.txn.fate = UNSURE if commit else ABORTED
            self.lost(client)
        else:
            self.refused(client, code)
        self.revive()

    def lost(self, client: Client) -> None:
        """The broker died under a request: the client gives up, its transaction hangs open."""
        if client.txn is not None and client.txn.fate is OPEN:
            client.txn.fate = ABORTED
        client.alive = False
        self.revive()

    def refused(self, client: Client, code: int) -> None:
        if code not in RETRIABLE:
            client.alive = False
            if client.txn is not None and client.txn.fate is OPEN:
                client.txn.fate = ABORTED

    @precondition(lambda self: self.old)
    @rule(which=st.integers(0, 100), commit=st.booleans(), index=st.integers(0, PARTITIONS - 1))
    def zombie(self, which: int, commit: bool, index: int) -> None:
        """A producer that was replaced goes on: nothing it does may count."""
        client = self.old[which % len(self.old)]
        if client.tid not in self.clients:
            return
        value = b"zombie %d" % self.count
        self.count += 1
        sequence = client.sequences[index]
        acts: list[Callable[[], Any]] = [
            lambda: self.desk.add(client.tid, client.producer, index)[0],
            lambda: self.desk.produce(client.tid, client.producer, index, sequence, value),
            lambda: self.desk.end(client.tid, client.producer, commit=commit),
        ]
        for act in acts:
            assert self.attempt(act) != NONE
        self.revive()

    @rule(ms=st.sampled_from([10, 100, 1000, 10_000]))
    def pass_time(self, ms: int) -> None:
        self.attempt(lambda: self.desk.pass_time(ms))
        self.revive()

    # -- what must hold ----------------------------------------------------------------------------

    @invariant()
    def committed_readers_see_no_other_records(self) -> None:
        if not hasattr(self, "desk"):
            return
        shown = {(n, value) for n in range(PARTITIONS) for value in self.desk.committed(n)}
        for txn in self.txns:
            if txn.fate in (ABORTED, OPEN):
                assert not shown & set(txn.tried)
        assert not any(value.startswith(b"zombie") for _, value in shown)

    @invariant()
    def the_last_stable_offset_never_goes_back(self) -> None:
        if hasattr(self, "desk"):
            now = [self.desk.lso(n) for n in range(PARTITIONS)]
            assert all(a <= b for a, b in zip(self.stable, now, strict=True))
            self.stable = now

    @invariant()
    def what_is_decided_is_completed(self) -> None:
        if hasattr(self, "desk"):
            coordinator = self.desk.site.services.transactions.coordinator
            for slot in coordinator.slots():
                assert not any(t.state in PREPARED for t in slot.shard.transactions.values())

    def teardown(self) -> None:
        """Let every transaction come to its end: committed ones are whole, others are not there."""
        if not hasattr(self, "desk"):
            return
        self.desk.restart()
        for client in self.clients.values():
            if client.txn is not None and client.txn.fate is OPEN:
                client.txn.fate = ABORTED
        for tid in ("a", "b"):
            for _ in range(2):
                code = self.desk.init(tid).code
            assert code == NONE
        shown = [(n, value) for n in range(PARTITIONS) for value in self.desk.committed(n)]
        assert len(shown) == len(set(shown))
        left = set(shown)
        for txn in self.txns:
            mine = left & set(txn.tried)
            left -= mine
            if txn.fate is COMMITTED:
                assert mine == set(txn.tried) == set(txn.sent)
            elif txn.fate is UNSURE:
                assert not mine or mine == set(txn.sent)
            else:
                assert not mine
        assert not left
        for n in range(PARTITIONS):
            assert self.desk.lso(n) == self.desk.log(n).log_end_offset
        for n in range(PARTITIONS):
            values = [value for index, value in shown if index == n]
            assert values == sorted(values, key=int), "in the order they were sent"


TestTransactions = TransactionMachine.TestCase
TestTransactions.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)


def test_a_long_random_history() -> None:
    """The same rules, many more steps of one seed than Hypothesis would shrink."""
    machine = TransactionMachine()
    machine.begin()
    draw = random.Random(7)
    for _ in range(1500):
        tid, index = draw.choice("ab"), draw.randrange(PARTITIONS)
        if not machine.clients.get(tid) or not machine.clients[tid].alive:
            machine.new_producer(tid, draw.choice([2000, 60_000]))
        match draw.randrange(10):
            case 0 if draw.random() < 0.2:
                machine.new_producer(tid, draw.choice([2000, 60_000]))
            case 1:
                machine.plan_a_kill(draw.randrange(30))
            case 2:
                machine.pass_time(draw.choice([10, 1000]))
            case 3 if machine.old:
                machine.zombie(draw.randrange(100), draw.random() < 0.5, index)
            case 4 | 5 | 6:
                machine.end(tid, draw.random() < 0.7)
            case _:
                machine.send(tid, index, draw.randint(1, 3))
        machine.the_last_stable_offset_never_goes_back()
        machine.what_is_decided_is_completed()
    machine.committed_readers_see_no_other_records()
    assert sum(txn.fate is COMMITTED for txn in machine.txns) > 50
    machine.teardown()
