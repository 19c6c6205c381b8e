"""Random lives of a group: members join, sync, commit, fall silent; the broker crashes.

At any time: a generation has one leader and one set of assignments; committed offsets are the last
acknowledged ones; and when time goes on, nobody waits for ever.
"""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.groups.answers import Joined, Leaving, Synced
from pykafka_ops.broker.state.groups.group import GroupState
from pykafka_ops.broker.state.groups.offsets import TopicPartition
from pykafka_ops.broker.state.outcome import TxnProducer
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.group_world import GROUP, RANGE, World, subscription

NONE = ErrorCode.NONE
SESSION, REBALANCE = 10_000, 20_000
LONGEST_WAIT = 300_000
OTHER = (("sticky", b"s"), ("range", subscription("t", "u")))


class Client:
    """A consumer as the broker sees it. Static ones keep ``instance``."""

    def __init__(self, name: str, *, static: bool) -> None:
        self.name = name
        self.instance = name if static else None
        self.id = ""
        self.joined: Joined | None = None
        self.ticket: Deferred | None = None
        self.since = 0


class GroupLife(RuleBasedStateMachine):
    """A handful of clients and one group."""

    @initialize(delay=st.sampled_from([0, 3000]), size=st.sampled_from([2, 100]))
    def begin(self, delay: int, size: int) -> None:
        self.world = World(initial_delay_ms=delay, max_size=size)
        self.clients = [Client(f"c{n}", static=n >= 3) for n in range(5)]
        self.leaders: dict[int, set[str]] = {}
        self.given: dict[int, dict[str, bytes]] = {}
        self.acknowledged: dict[TopicPartition, int] = {}
        self.offset = 0
        self.generation = 0

    # -- what clients do -----------------------------------------------------------------------

    def _take(self, client: Client) -> None:
        """Look at an answer that has come."""
        ticket = client.ticket
        if ticket is None or not ticket.done:
            return
        client.ticket = None
        found = ticket.answer
        if isinstance(found, Joined):
            if found.code is NONE:
                self._joined(client, found)
            else:
                client.joined = None
                keeps = found.code in (ErrorCode.MEMBER_ID_REQUIRED, _REBALANCE)
                client.id = found.member_id if keeps else ""
        elif isinstance(found, Synced) and client.joined is not None:
            if found.code is NONE:
                given = self.given.setdefault(client.joined.generation, {})
                before = given.setdefault(client.joined.member_id, found.assignment)
                assert before == found.assignment, "two assignments in one generation"
            else:
                client.joined = None

    def _joined(self, client: Client, found: Joined) -> None:
        client.joined, client.id = found, found.member_id
        if found.members and not found.skip_assignment:
            leaders = self.leaders.setdefault(found.generation, set())
            leaders.add(client.name)
            assert len(leaders) == 1, f"two leaders of generation {found.generation}"

    @rule(n=st.integers(0, 4), protocols=st.sampled_from([RANGE, OTHER]), known=st.booleans())
    def join(self, n: int, protocols: tuple[tuple[str, bytes], ...], known: bool) -> None:
        client = self.clients[n]
        self._take(client)
        if client.ticket is not None:
            return
        client.ticket = self.world.ask_join(
            client.id,
            client_id=client.name,
            instance_id=client.instance,
            session_timeout=SESSION,
            rebalance_timeout=REBALANCE,
            protocols=protocols,
            known_id=known and client.instance is None,
            may_skip=True,
        )
        client.since = self.world.ms
        self._take(client)

    @rule(n=st.integers(0, 4))
    def sync(self, n: int) -> None:
        client = self.clients[n]
        self._take(client)
        joined = client.joined
        if client.ticket is not None or joined is None:
            return
        given = {m.id: f"{joined.generation}-{m.id}".encode() for m in joined.members}
        client.ticket = self.world.ask_sync(joined, given, instance_id=client.instance)
        client.since = self.world.ms
        self._take(client)

    @rule(n=st.integers(0, 4))
    def heartbeat(self, n: int) -> None:
        client = self.clients[n]
        if client.joined is not None:
            code = self.world.heartbeat(client.joined, client.instance)
            if code not in (NONE, _REBALANCE):
                client.joined, client.id = None, ""

    @rule(n=st.integers(0, 4), index=st.integers(0, 2), fails=st.booleans())
    def commit(self, n: int, index: int, fails: bool) -> None:
        joined = self.clients[n].joined
        if joined is None:
            return
        self.offset += 1
        who = (joined.member_id, self.clients[n].instance, joined.generation)
        self.world.fail = ErrorCode.NOT_ENOUGH_REPLICAS if fails else NONE
        code = self.world.commit({("t", index): self.offset}, who)
        self.world.fail = NONE
        if code is NONE:
            self.acknowledged["t", index] = self.offset

    @rule(index=st.integers(0, 2), committed=st.booleans())
    def transaction(self, index: int, committed: bool) -> None:
        self.offset += 1
        if self.world.commit({("t", index): self.offset}, producer=TxnProducer(5, 0)) is not NONE:
            return
        assert self.world.committed().get(("t", index)) == self.acknowledged.get(("t", index))
        self.world.shard.apply_marker(5, len(self.world.log), committed=committed)
        self.world.log_marker(5, committed=committed)
        if committed:
            self.acknowledged["t", index] = self.offset

    @rule(n=st.integers(0, 4))
    def leave(self, n: int) -> None:
        client = self.clients[n]
        if client.id:
            self.world.leave(Leaving(client.id, client.instance))
            client.joined, client.id = None, ""

    @rule(n=st.integers(0, 4))
    def lose(self, n: int) -> None:
        """The client dies: nobody reads its answers any more."""
        client = self.clients[n]
        client.ticket, client.joined, client.id = None, None, ""

    @rule(who=st.sets(st.integers(0, 4), min_size=1, max_size=3), rounds=st.integers(1, 6))
    def go_on_politely(self, who: set[int], rounds: int) -> None:
        """Some clients do what a client does: heartbeat, join again when told to, sync."""
        for _ in range(rounds):
            for n in sorted(who):
                client = self.clients[n]
                self._take(client)
                if client.ticket is None and client.joined is None:
                    self.join(n, RANGE, known=False)
                elif client.ticket is None and client.joined is not None:
                    self._go_on(n, client.joined)
            self.world.pass_time(500)
            for client in self.clients:
                self._take(client)

    def _go_on(self, n: int, joined: Joined) -> None:
        code = self.world.heartbeat(joined, self.clients[n].instance)
        if code is _REBALANCE:
            self.join(n, RANGE, known=False)
        elif code is not NONE:
            self.clients[n].joined, self.clients[n].id = None, ""
        elif joined.member_id not in self.given.get(joined.generation, {}):
            self.sync(n)

    # -- what happens to the broker ------------------------------------------------------------

    @rule(ms=st.sampled_from([0, 1, 3000, 9999, 20_000]))
    def time_passes(self, ms: int) -> None:
        self.world.pass_time(ms)
        for client in self.clients:
            self._take(client)

    @rule()
    def crash(self) -> None:
        self.world.start()
        for client in self.clients:
            client.ticket = None
        # What was not written may be decided again, by another leader.
        last = self.world.shard.groups.get(GROUP)
        written = last.generation if last is not None else 0
        for generation in [g for g in self.leaders if g > written]:
            del self.leaders[generation]
            self.given.pop(generation, None)
        for client in self.clients:
            if client.joined is not None and client.joined.generation > written:
                client.joined = None
        self.generation = written

    @rule()
    @precondition(lambda self: self.world.log)
    def assignments_cannot_be_written(self) -> None:
        self.world.fail = ErrorCode.NOT_LEADER_OR_FOLLOWER
        for n in range(5):
            self.sync(n)
        self.world.fail = NONE

    # -- what always holds ---------------------------------------------------------------------

    @invariant()
    def offsets_are_the_last_acknowledged_ones(self) -> None:
        if hasattr(self, "world"):
            assert self.world.committed() == self.acknowledged

    @invariant()
    def the_group_is_sound(self) -> None:
        group = self.world.shard.groups.get(GROUP) if hasattr(self, "world") else None
        if group is None:
            return
        assert group.generation >= self.generation, "a generation came back"
        self.generation = group.generation
        assert group.awaiting_join == sum(m.join is not None for m in group.members.values())
        assert group.leader is None or group.leader in group.members
        assert set(group.static_members.values()) <= set(group.members)
        if group.state is GroupState.EMPTY:
            assert not group.members
        if group.state in (GroupState.STABLE, GroupState.EMPTY):
            assert all(m.sync is None for m in group.members.values())
        for member in group.members.values():
            assert member.timer is not None or member.join is not None or member.sync is not None

    @invariant()
    def nobody_waits_for_ever(self) -> None:
        for client in self.clients if hasattr(self, "world") else ():
            if client.ticket is not None and not client.ticket.done:
                assert self.world.ms - client.since <= LONGEST_WAIT + REBALANCE

    def teardown(self) -> None:
        if not hasattr(self, "world"):
            return
        self.world.pass_time(LONGEST_WAIT + REBALANCE)
        for client in self.clients:
            assert client.ticket is None or client.ticket.done, f"{client.name} waits for ever"
        group = self.world.shard.groups.get(GROUP)
        assert group is None or group.state is GroupState.EMPTY, "silent members are still in"


_REBALANCE = ErrorCode.REBALANCE_IN_PROGRESS
TestGroupLife = GroupLife.TestCase
TestGroupLife.settings = settings(max_examples=50, stateful_step_count=50, deadline=None)
