"""Random lives of consumer groups: members come, go, fall silent; topics grow; brokers crash.

At any time: nobody has a partition that another one has; epochs only grow; the log says what the
broker knows. When everybody has had time, all partitions are assigned, and evenly.
"""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from pykafka_ops.broker.state.groups.consumer.group import ConsumerGroup, ConsumerGroupState
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.consumer_world import SESSION, Consumer, ConsumerWorld, topic_id
from tests.support.memory.group_world import GROUP

NAMES = [("t",), ("t", "u"), ("u",), ()]
REGEXES = [None, "t|u", "u.*"]


def picture(group: ConsumerGroup | None) -> object:
    """All that the log says of a group."""
    if group is None:
        return None
    return (
        group.epoch,
        group.topics_hash,
        group.target_epoch,
        group.members,
        group.targets,
        group.resolved,
        group.static_members,
        group.owners,
    )


class ConsumerLife(RuleBasedStateMachine):
    """A handful of clients, one group, two topics."""

    @initialize(assignor=st.sampled_from(["uniform", "range"]))
    def begin(self, assignor: str) -> None:
        self.assignor = assignor
        self.world = ConsumerWorld({"t": 3, "u": 2})
        self.clients: dict[int, Consumer] = {}
        self.epoch = 0
        self.joins = 0

    def _group(self) -> ConsumerGroup | None:
        return self.world.consumers.get(GROUP)

    @rule(n=st.integers(0, 4), names=st.sampled_from(NAMES), regex=st.sampled_from(REGEXES))
    def join(self, n: int, names: tuple[str, ...], regex: str | None) -> None:
        if n in self.clients:
            return
        self.joins += 1
        of = (
            {"instance_id": f"i{n}", "assignor": self.assignor}
            if n > 2
            else {"assignor": self.assignor}
        )
        client = Consumer(self.world, f"m{n}-{self.joins}", names, {**of, "regex": regex})
        client.join()
        if client.code is ErrorCode.NONE:
            self.clients[n] = client
        else:
            assert client.code is ErrorCode.UNRELEASED_INSTANCE_ID

    @rule(n=st.integers(0, 4))
    def beat(self, n: int) -> None:
        client = self.clients.get(n)
        if client is not None:
            before = client.epoch
            client.beat()
            if client.code is ErrorCode.NONE:
                assert client.epoch >= before
            else:
                assert client.code in _GONE
                del self.clients[n]

    @rule(n=st.integers(0, 4), back=st.booleans())
    def leave(self, n: int, back: bool) -> None:
        client = self.clients.pop(n, None)
        if client is None:
            return
        static = n > 2
        instance = {"instance_id": f"i{n}"} if static else {}
        found = self.world.beat(client.id, -2 if static and back else -1, **instance)
        assert found.code in (ErrorCode.NONE, *_GONE)

    @rule(n=st.integers(0, 4))
    def fall_silent(self, n: int) -> None:
        """The client is gone; the broker hears of it when its session is over."""
        self.clients.pop(n, None)

    @rule(ms=st.sampled_from([1, 500, 11_000, 30_000]))
    def wait(self, ms: int) -> None:
        self.world.pass_time(ms)

    @rule(topic=st.sampled_from(["t", "u"]), count=st.integers(1, 6))
    def grow(self, topic: str, count: int) -> None:
        known = self.world.image.topics.get(topic)
        if known is None or len(known.partitions) < count:
            self.world.grow(topic, count)

    @rule(topic=st.sampled_from(["u"]))
    def drop(self, topic: str) -> None:
        if topic in self.world.image.topics:
            self.world.drop(topic)

    @rule()
    def crash(self) -> None:
        before = picture(self._group())
        self.world.start()
        assert picture(self._group()) == before, "the log says something else"

    @rule(client=st.integers(0, 4))
    def fail_to_write(self, client: int) -> None:
        self.world.fail = ErrorCode.NOT_ENOUGH_REPLICAS
        before = picture(self._group())
        found = self.clients.get(client)
        if found is not None:
            more = {"instance_id": f"i{client}"} if client > 2 else {}
            self.world.beat(found.id, found.epoch, names=["t"], **more)
        self.world.fail = ErrorCode.NONE
        assert picture(self._group()) == before, "changed without a record"

    @rule()
    def settle(self) -> None:
        """Everybody lives on for a while: all is assigned then."""
        for _ in range(12):
            self.world.pass_time(11_000)
            for n, client in list(self.clients.items()):
                client.beat()
                if client.code is not ErrorCode.NONE:
                    client.join()
                    if client.code is not ErrorCode.NONE:
                        del self.clients[n]
        group = self._group()
        if (
            group is None
            or not self.clients
            or any(each.epoch < 0 for each in group.members.values())
        ):
            return
        assert group.state is ConsumerGroupState.STABLE
        wanted = {
            (topic_id(name), index)
            for name in group.subscribed(group.members.values())
            if name in self.world.image.topics
            for index in self.world.image.topics[name].partitions
        }
        assert set(group.owners) == wanted, "not all is assigned, or too much"
        self._check_balance(group)

    def _check_balance(self, group: ConsumerGroup) -> None:
        members = list(group.members.values())
        if self.assignor != "uniform" or any(m.assignor == "range" for m in members):
            return
        loads = {m.id: sum(map(len, m.assigned.values())) for m in members}
        for giver in members:
            for taker in members:
                shared = {
                    name for name in group.topics_of(taker) if giver.assigned.get(topic_id(name))
                }
                if shared:
                    assert loads[giver.id] - loads[taker.id] <= 1

    @invariant()
    def nobody_shares_a_partition(self) -> None:
        if not hasattr(self, "world"):
            return
        seen: dict[tuple[bytes, int], str] = {}
        group = self._group()
        for client in self.clients.values():
            if group is None or client.id not in group.members:
                continue
            for place in client.owned:
                assert seen.setdefault(place, client.id) == client.id
                assert group.owners.get(place) == client.id

    @invariant()
    def epochs_grow(self) -> None:
        group = self._group() if hasattr(self, "world") else None
        if group is None:
            return
        assert group.epoch >= self.epoch
        self.epoch = group.epoch
        assert group.target_epoch <= group.epoch
        for member in group.members.values():
            assert member.epoch <= group.target_epoch or member.epoch == group.epoch


_GONE = (
    ErrorCode.UNKNOWN_MEMBER_ID,
    ErrorCode.FENCED_MEMBER_EPOCH,
    ErrorCode.FENCED_INSTANCE_ID,
)
assert SESSION > 30_000
TestConsumerLife = ConsumerLife.TestCase
TestConsumerLife.settings = settings(max_examples=40, stateful_step_count=50)
