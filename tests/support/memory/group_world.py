"""One shard of groups on a clock that a test moves, over a log that survives crashes."""

from __future__ import annotations

import itertools
from typing import Any

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.groups.answers import (
    Joined,
    JoinRequest,
    Leaving,
    Synced,
    SyncRequest,
)
from pykafka_ops.broker.state.groups.group import Group
from pykafka_ops.broker.state.groups.logged import ShardParts
from pykafka_ops.broker.state.groups.offsets import TopicPartition
from pykafka_ops.broker.state.groups.records import OffsetAndMetadata
from pykafka_ops.broker.state.groups.settings import GroupSettings
from pykafka_ops.broker.state.groups.shard import GroupShard
from pykafka_ops.broker.state.memory import Account
from pykafka_ops.broker.state.outcome import Instant, Outcome, TxnProducer
from pykafka_ops.broker.state.timers import Timers
from pykafka_ops.disk.batch import read_header
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.internal import ConsumerProtocolSubscription, encode
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import CorruptError
from pykafka_ops.wire.codes import ErrorCode

GROUP = "g"
START = 1_700_000_000_000


def subscription(*topics: str) -> bytes:
    """A consumer's metadata."""
    return encode(ConsumerProtocolSubscription(topics=list(topics)), 0)


RANGE = (("range", subscription("t")),)


def _left_out(offset: int, error: CorruptError) -> None:
    raise AssertionError(f"offset {offset}: {error}")


class World:
    """Groups, with the log they write; ``fail`` makes appends fail with that code, ``hold`` keeps
    them unanswered until :meth:`release`."""

    def __init__(self, **settings: Any) -> None:
        self.settings = GroupSettings(**{"initial_delay_ms": 0, **settings})
        self.ms = 0
        self.log: list[tuple[bytes, bytes | None, int] | tuple[int, bool]] = []
        self.fail = ErrorCode.NONE
        self.hold = False
        self._held: list[Outcome] = []
        self.memory = Account()
        self._ids = itertools.count(1)
        self._client = itertools.count(1)
        self.start()

    # -- the broker ----------------------------------------------------------------------------

    def start(self) -> None:
        """Load what the log holds; whoever waited at the old shard waits for nothing more."""
        self.timers = Timers()
        self._held.clear()
        self.memory = Account(self.memory.limit)
        self.shard = self.make_shard()
        for offset, entry in enumerate(self.log):
            if len(entry) == 2:
                self.shard.apply_marker(entry[0], offset, committed=entry[1])
                continue
            key, value, producer_id = entry
            batch = build_batch(
                [Record(offset, self.now.time, key, value)],
                base_offset=offset,
                producer_id=producer_id,
                transactional=producer_id >= 0,
            )
            whole = bytes(batch)
            if self.shard.skim(whole, 0) is None:
                assert self.shard.replay(whole, 0, read_header(whole), _left_out) == 1
        self.run(self.shard.loaded(self.now))

    def make_shard(self) -> GroupShard:
        """A new one that knows nothing yet."""
        return GroupShard(self.parts)

    @property
    def parts(self) -> ShardParts:
        """What a shard of this world needs."""
        return ShardParts(self.settings, self.timers, self, self._new_id, self.memory)

    def _new_id(self) -> str:
        return f"id{next(self._ids)}"

    @property
    def now(self) -> Instant:
        return Instant(START + self.ms, float(self.ms))

    def run(self, outcome: Outcome | None) -> None:
        """Do what the runtime does with one replica."""
        while outcome is not None:
            for deferred, answer in outcome.replies:
                deferred.resolve(answer)
            code = ErrorCode.NONE
            if outcome.records:
                if self.hold:
                    self._held.append(outcome)
                    return
                code = self.fail
                if code is ErrorCode.NONE:
                    self._write(outcome)
            outcome = None if outcome.then is None else outcome.then(code, self.now)

    def _write(self, outcome: Outcome) -> None:
        producer_id = -1 if outcome.producer is None else outcome.producer.id
        base = len(self.log)
        for record in outcome.records:
            key, value = self.shard.encode(record)
            self.log.append((key, value, producer_id))
            decoded = self.shard.decode(key, value)
            assert decoded is not None
            self.shard.apply(decoded, base, producer_id)

    def log_marker(self, producer_id: int, *, committed: bool) -> None:
        """Have the end of a transaction in the log."""
        self.log.append((producer_id, committed))

    def release(self, code: ErrorCode = ErrorCode.NONE) -> None:
        """Let the appends that are held succeed, or fail with ``code``."""
        held, self._held, self.hold, self.fail = self._held, [], False, code
        for outcome in held:
            self.run(Outcome(records=outcome.records, then=outcome.then, producer=outcome.producer))
        self.fail = ErrorCode.NONE

    def pass_time(self, ms: int) -> None:
        """Let time go on, doing everything at its time."""
        end = self.ms + ms
        while (deadline := self.timers.next_deadline) is not None and deadline <= end:
            self.ms = max(self.ms, int(-(-deadline // 1)))
            timer = self.timers.due(self.ms)
            assert timer is not None
            assert timer.action is not None
            outcome: Any = timer.action(self.now)
            self.run(outcome)
        self.ms = end

    # -- members -------------------------------------------------------------------------------

    @property
    def group(self) -> Group:
        return self.shard.groups[GROUP]

    def ask_join(self, member_id: str = "", **of: Any) -> Deferred:
        """Join without waiting for the answer."""
        fields: dict[str, Any] = {
            "instance_id": None,
            "client_id": "c",
            "client_host": "/h",
            "session_timeout": 10_000,
            "rebalance_timeout": 30_000,
            "protocol_type": "consumer",
            "protocols": RANGE,
            **of,
        }
        group = fields.pop("group", GROUP)
        ticket = Deferred()
        request = JoinRequest(member_id, **fields)
        self.run(self.shard.join(group, request, ticket, self.now))
        return ticket

    def join(self, member_id: str = "", **of: Any) -> Joined:
        """Join and get the answer, which must be there without time passing."""
        ticket = self.ask_join(member_id, **of)
        self.pass_time(0)
        return answer(ticket)

    def ask_sync(
        self, joined: Joined, given: dict[str, bytes] | None = None, **of: Any
    ) -> Deferred:
        """Sync without waiting."""
        ticket = Deferred()
        fields: dict[str, Any] = {
            "instance_id": None,
            "protocol_type": None,
            "protocol": None,
            **of,
        }
        request = SyncRequest(
            joined.member_id, generation=joined.generation, assignments=given or {}, **fields
        )
        self.run(self.shard.sync(GROUP, request, ticket, self.now))
        return ticket

    def sync(self, joined: Joined, given: dict[str, bytes] | None = None, **of: Any) -> Synced:
        """Sync and get the answer."""
        found = self.ask_sync(joined, given, **of)
        assert found.done
        result = found.answer
        assert isinstance(result, Synced)
        return result

    def heartbeat(self, joined: Joined, instance_id: str | None = None) -> ErrorCode:
        return self.shard.heartbeat(
            GROUP, joined.member_id, instance_id, joined.generation, self.now.timer
        )

    def leave(self, *who: Leaving) -> Any:
        ticket = Deferred()
        self.run(self.shard.leave(GROUP, list(who), ticket, self.now))
        return ticket.answer

    def stable(self, count: int = 1, **of: Any) -> list[Joined]:
        """A group with that many members that all have an assignment (their own id)."""
        tickets = [self.ask_join(**of) for _ in range(count)]
        self.pass_time(0)
        while not all(ticket.done for ticket in tickets):
            known = [answer(t) for t in tickets if t.done]
            tickets = [t for t in tickets if not t.done]
            tickets += [self.ask_join(m.member_id, **of) for m in known]
            self.pass_time(0)
        members = [answer(ticket) for ticket in tickets]
        self.assign(members)
        return members

    def assign(self, members: list[Joined]) -> None:
        """Everybody syncs and gets its own id."""
        given = {m.member_id: m.member_id.encode() for m in members}
        for member in sorted(members, key=lambda m: m.member_id == m.leader):
            self.ask_sync(member, given if member.member_id == member.leader else None)

    # -- offsets -------------------------------------------------------------------------------

    def ask_commit(
        self,
        places: dict[TopicPartition, int],
        who: tuple[str, str | None, int] = ("", None, -1),
        *,
        group: str = GROUP,
        producer: TxnProducer | None = None,
        expires: int = -1,
    ) -> Deferred:
        ticket = Deferred()
        commits = [
            (place, OffsetAndMetadata(offset, timestamp=self.now.time, expires=expires))
            for place, offset in places.items()
        ]
        self.run(self.shard.commit(group, who, commits, ticket, self.now, producer))
        return ticket

    def commit(self, places: dict[TopicPartition, int], *more: Any, **of: Any) -> Any:
        """Commit offsets; the code."""
        return self.ask_commit(places, *more, **of).answer

    def committed(self, group: str = GROUP) -> dict[TopicPartition, int]:
        offsets = self.shard.offsets.get(group)
        return {} if offsets is None else {k: v.offset for k, v in offsets.committed.items()}


def answer(ticket: Deferred) -> Joined:
    """The answer to a JoinGroup, which must be there."""
    assert ticket.done
    found = ticket.answer
    assert isinstance(found, Joined)
    return found
