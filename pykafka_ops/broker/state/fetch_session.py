"""Incremental fetch sessions (KIP-227): what a client is fetching, remembered for it.

Counterpart of ``FetchSession.scala``. Pure: ``now`` is a monotonic time in ms and the id of
a new session is an argument.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, field
from enum import Enum

from pykafka_ops.broker.state.memory import Account, Holder
from pykafka_ops.errors import KafkaError

FINAL_EPOCH = -1
INITIAL_EPOCH = 0
MAX_EPOCH = 0x7FFFFFFF
EVICTION_MS = 120_000

SESSION_ID_NOT_FOUND = 70
INVALID_SESSION_EPOCH = 71
SESSION_TOPIC_ID_ERROR = 106

PARTITION_BYTES = 500
"""What a session holds for a partition, at most of the usual names."""

FetchKey = tuple[str | bytes, int]
"""A partition as the client names it: (topic name or 16-byte topic id, partition)."""


@dataclass(slots=True, eq=False)
class CachedPartition:
    """One partition a client fetches, and what the last answer said about it."""

    topic: str
    topic_id: bytes
    index: int
    fetch_offset: int = 0
    max_bytes: int = 0
    current_leader_epoch: int = -1
    last_fetched_epoch: int = -1
    log_start_offset: int = -1
    high_watermark: int = -1
    seen_log_start: int = -1

    def changed(self, error: int, high_watermark: int, log_start: int, size: int) -> bool:
        """Whether an incremental answer must name this partition; remembers what it says."""
        must = size > 0 or error != 0
        if self.high_watermark != high_watermark:
            must = True
            self.high_watermark = high_watermark
        if self.seen_log_start != log_start:
            must = True
            self.seen_log_start = log_start
        if error != 0:
            self.tell_again()  # when the error is gone
        return must

    def tell_again(self) -> None:
        """The next answer must name it: the client does not take over what this one says."""
        self.high_watermark = -1


class Kind(Enum):
    """How an answer is shaped."""

    SESSIONLESS = "sessionless"
    FULL = "full"
    INCREMENTAL = "incremental"


@dataclass(slots=True, eq=False)
class FetchSession:
    """One client's session; ``partitions`` keeps the order in which they are served.

    Of a follower's only those partitions are read that may have news: ``lively``,
    in that order. It is None for consumers. ``seen_at`` is when its last request came,
    ``looked_at`` when all partitions were read last (monotonic ms).
    """

    identity: int
    created: float
    partitions: dict[FetchKey, CachedPartition]
    _: KW_ONLY
    privileged: bool
    uses_ids: bool
    memory: Holder
    epoch: int = 1
    closed: bool = False
    follower: int = -1
    seen_at: float = 0.0
    last_used: float = field(init=False)
    looked_at: float = field(init=False)
    lively: dict[FetchKey, None] | None = field(init=False)

    def __post_init__(self) -> None:
        self.last_used = self.looked_at = self.created
        self.lively = dict.fromkeys(self.partitions) if self.privileged else None

    def go_on(self, now: float) -> None:
        """A request of it is served."""
        self.last_used = now
        self.epoch = 1 if self.epoch == MAX_EPOCH else self.epoch + 1

    def weigh(self) -> bool:
        """Count what it holds; False if there is no memory for that."""
        more = PARTITION_BYTES * len(self.partitions) - self.memory.held
        admitted = self.memory.admits(more)
        self.memory.change(more)
        return admitted

    def stir(self, key: FetchKey) -> None:
        """A partition may have news."""
        if self.lively is not None and key in self.partitions:
            self.lively[key] = None

    def is_quiet(self, key: FetchKey) -> bool:
        """Whether it is a partition that is not read, since nothing has happened to it."""
        return self.lively is not None and key in self.partitions and key not in self.lively

    def stir_all(self, now: float) -> None:
        """Every partition is to be read again."""
        self.looked_at = now
        if self.lively is not None:
            self.lively = dict.fromkeys(self.partitions)

    def served(self, key: FetchKey) -> None:
        """Move a partition that gave data behind the others, so that none starves."""
        partition = self.partitions.pop(key, None)
        if partition is not None:  # a later request may have forgotten it meanwhile
            self.partitions[key] = partition
            if self.lively is not None:
                self.lively.pop(key, None)
                self.lively[key] = None


@dataclass(slots=True, eq=False)
class FetchContext:
    """What one Fetch request is about, whatever it said itself."""

    kind: Kind
    partitions: dict[FetchKey, CachedPartition]
    session: FetchSession | None = None

    @property
    def session_id(self) -> int:
        """0 outside a session."""
        return self.session.identity if self.session else 0


class FetchSessions:
    """The sessions of all clients; at most ``slots`` of them, as ``memory`` allows. Who gets none
    is served without one."""

    def __init__(self, slots: int, new_id: Callable[[], int], memory: Account) -> None:
        self._slots = slots
        self._new_id = new_id
        self._memory = memory
        self._sessions: dict[int, FetchSession] = {}
        self.evictions = 0
        """Sessions that made room for others."""

    def __len__(self) -> int:
        return len(self._sessions)

    def __iter__(self) -> Iterator[FetchSession]:
        return iter(list(self._sessions.values()))

    def context(
        self,
        session_id: int,
        epoch: int,
        wanted: Iterable[tuple[FetchKey, CachedPartition]],
        forgotten: Iterable[FetchKey],
        *,
        now: float,
        privileged: bool = False,
        uses_ids: bool = False,
    ) -> FetchContext:
        """The context of a request.

        Raises KafkaError FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH or
        FETCH_SESSION_TOPIC_ID_ERROR.
        """
        if epoch in (INITIAL_EPOCH, FINAL_EPOCH):
            self.close(session_id)
            partitions = dict(wanted)
            if epoch == FINAL_EPOCH:
                return FetchContext(Kind.SESSIONLESS, partitions)
            session = self._create(partitions, now, privileged=privileged, uses_ids=uses_ids)
            return FetchContext(Kind.FULL, partitions, session)
        session = self._resume(session_id, epoch, uses_ids)
        self._update(session, wanted, forgotten)
        if not session.weigh():
            self.close(session_id)  # the client begins a new one, or is served without
            raise KafkaError(SESSION_ID_NOT_FOUND)
        if not session.partitions:
            self.close(session_id)
            return FetchContext(Kind.SESSIONLESS, {})
        session.go_on(now)
        return FetchContext(Kind.INCREMENTAL, session.partitions, session)

    def find(self, identity: int, epoch: int) -> FetchSession | None:
        """The session that a request goes on with, if there is one at that epoch."""
        session = self._sessions.get(identity)
        return session if session is not None and session.epoch == epoch else None

    def close(self, identity: int) -> None:
        """Forget a session, if there is one of that id."""
        session = self._sessions.pop(identity, None)
        if session is not None:
            session.closed = True
            session.memory.release()

    def _resume(self, session_id: int, epoch: int, uses_ids: bool) -> FetchSession:
        session = self._sessions.get(session_id)
        if session is None:
            raise KafkaError(SESSION_ID_NOT_FOUND)
        if session.epoch != epoch:
            raise KafkaError(INVALID_SESSION_EPOCH)
        if session.uses_ids != uses_ids:
            raise KafkaError(SESSION_TOPIC_ID_ERROR)
        return session

    @staticmethod
    def _update(
        session: FetchSession,
        wanted: Iterable[tuple[FetchKey, CachedPartition]],
        forgotten: Iterable[FetchKey],
    ) -> None:
        for key, new in wanted:
            old = session.partitions.get(key)
            if old is not None:
                new.high_watermark = old.high_watermark
                new.seen_log_start = old.seen_log_start
            session.partitions[key] = new
            session.stir(key)
        for key in forgotten:
            session.partitions.pop(key, None)
            if session.lively is not None:
                session.lively.pop(key, None)

    def _create(
        self,
        partitions: dict[FetchKey, CachedPartition],
        now: float,
        *,
        privileged: bool,
        uses_ids: bool,
    ) -> FetchSession | None:
        if not self._memory.admits(PARTITION_BYTES * len(partitions)):
            return None
        if not self._make_room(len(partitions), now, privileged):
            return None
        identity = self._new_id()
        while identity == 0 or identity in self._sessions:
            identity = self._new_id()
        session = FetchSession(
            identity,
            now,
            partitions,
            privileged=privileged,
            uses_ids=uses_ids,
            memory=self._memory.holder(),
        )
        session.weigh()
        self._sessions[identity] = session
        return session

    def _make_room(self, size: int, now: float, privileged: bool) -> bool:
        """Evict as KIP-227 says: the stalest one, or a smaller one that had its time."""
        if len(self._sessions) < self._slots:
            return True
        if not self._sessions:
            return False
        stalest = min(self._sessions.values(), key=lambda s: s.last_used)
        if now - stalest.last_used > EVICTION_MS:
            self.close(stalest.identity)
            self.evictions += 1
            return True
        candidates = [
            s
            for s in self._sessions.values()
            if (privileged and not s.privileged)
            or (
                s.privileged == privileged
                and len(s.partitions) < size
                and now - s.created > EVICTION_MS
            )
        ]
        if not candidates:
            return False
        smallest = min(candidates, key=lambda s: (s.privileged, len(s.partitions)))
        self.close(smallest.identity)
        self.evictions += 1
        return True
