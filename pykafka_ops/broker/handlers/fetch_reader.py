"""What is read for Fetch requests of one shape, and the answer made of it, when nothing is unusual.

The partitions are those of the request at hand, or of its session; at most one request of a shape
is at work, or waits, at a time.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable
from typing import Any

from pykafka_ops.broker.handlers.api import SHAPE_BYTES, Context
from pykafka_ops.broker.handlers.fetch_reply import reply_of
from pykafka_ops.broker.handlers.fetch_request import READ_COMMITTED, terms
from pykafka_ops.broker.hot.fetch import SESSIONS_FROM, FetchPath, Read
from pykafka_ops.broker.hot.raw import HEAD_SIZE, pair
from pykafka_ops.broker.partitions.read import Terms
from pykafka_ops.broker.state.fetch_session import CachedPartition, FetchContext, FetchSession, Kind
from pykafka_ops.wire.fetch_partitions import FLEXIBLE, Key
from pykafka_ops.wire.frame import encode_request
from pykafka_ops.wire.messages.fetch import FetchRequest
from pykafka_ops.wire.types import Part

WHOLE = 32 * 1024
"""Bytes of an answer that is sent in one piece."""
_LENGTH = 4
_ZSTD_FROM = 10


class FetchReader(FetchPath):
    """Reads for requests as ``first``; ``context`` is its. ``codes`` counts the error codes of the
    last answer, ``session`` is that of the last request, ``partitions`` are those it is about."""

    __slots__ = (
        "_known",
        "_reply",
        "partitions",
        "request",
        "session",
    )

    def __init__(self, context: Context, first: FetchRequest) -> None:
        version, state = context.version, first.replica_state
        follower = first.replica_id if state is None else state.replica_id
        committed = first.isolation_level == READ_COMMITTED and follower < 0
        self.request = FetchRequest(
            cluster_id=first.cluster_id,
            replica_id=first.replica_id,
            replica_state=state,
            max_wait_ms=first.max_wait_ms,
            min_bytes=first.min_bytes,
            max_bytes=first.max_bytes,
            isolation_level=first.isolation_level,
            rack_id=first.rack_id,
        )
        super().__init__(
            version,
            _marks(context, self.request),
            follower=follower,
            committed=committed,
            hosted=context.services.replicas.hosted.get,
        )
        self.is_checked = follower >= 0 or version < _ZSTD_FROM
        self.context = context
        self.codes = 0
        self.held = SHAPE_BYTES + 2 * (len(self._head) + len(self._foot))
        self.session: FetchSession | None = None
        self.partitions: dict[Any, CachedPartition] = {}
        self._reply = reply_of(version, committed=committed)
        self._known: Container[str] | None = None
        """Topics that may be read; None where no rights are needed."""

    @property
    def limit(self) -> int:
        """Bytes of records that an answer may hold."""
        asked, most = self.request.max_bytes, self.context.services.fetches.max_bytes
        return asked if asked < most else most

    def to_read(self) -> Iterable[tuple[Key, Any]]:
        """What a pass reads: of a follower's session only what may have news."""
        session = self.session
        if session is None or session.lively is None:
            return self.partitions.items()
        known = self.partitions
        return [(key, known[key]) for key in session.lively if key in known]

    def may_read(self, partition: Any, wanted: Any) -> bool:
        """As FetchPath says."""
        if self._known is not None and wanted.topic not in self._known:
            return False
        if self._version < _ZSTD_FROM and partition.used_log.config.compression_type == "zstd":
            return False
        follower = self.follower
        if follower < 0:
            return True
        throttle = self.context.services.fetches.site.throttle
        return (
            follower != partition.local_id
            and follower in partition.replicas
            and (throttle is None or not throttle.is_throttled(partition.key))
        )

    def is_same_history(self, log: Any, wanted: Any) -> bool:
        """As FetchPath says."""
        epoch, end = log.end_offset_for_epoch(wanted.last_fetched_epoch)
        same: bool = epoch == wanted.last_fetched_epoch and end >= wanted.fetch_offset
        return same

    def note(self, reads: list[Read], *, first: bool) -> list[Read]:
        """Partitions were read, for the first time or after a wait: count that, take in how far a
        follower is, and tell it at once if that commits more."""
        for read in reads:
            read[2].meter.fetches += 1
        follower, session = self.follower, self.session
        if follower < 0:
            return reads
        watch = self.context.services.replicas.watch
        for n, read in enumerate(reads):
            key, wanted, partition, high_watermark, _, start, at_end = read[:7]
            if first and partition.fetched_by(
                follower, wanted.fetch_offset, wanted.log_start_offset
            ):
                high_watermark = partition.log.high_watermark
                reads[n] = (*read[:3], high_watermark, *read[4:])
            if session is None or session.lively is None:
                continue
            if (
                at_end
                and high_watermark == wanted.high_watermark
                and start == wanted.seen_log_start
            ):
                session.lively.pop(key, None)
            watch((wanted.topic, wanted.index), session, key)
        return reads

    def watched(self) -> list[Hashable]:
        """What wakes a request that waits: its partitions, or its session where they wake that."""
        session, keys = self.session, list[Hashable]()
        if session is not None and session.lively is not None:
            keys.append(session)
        else:
            keys += [(p.topic, p.index) for p in self.partitions.values()]
        if self.follower >= 0:
            keys.append(self.follower)
        return keys

    def conclude(self, correlation_id: int, reads: list[Read]) -> tuple[list[Part], int]:
        """The answer is sent: its parts, bytes and codes; the session knows what it says."""
        session = self.session
        if session is not None:
            reads = [read for read in reads if read[1].changed(0, read[3], read[5], read[7])]
        for read in reads:
            if not read[7]:
                continue
            partition = read[2]
            if self.follower < 0:
                partition.meter.bytes_out += read[7]
            else:
                meters = self.context.services.replicas.meters
                joins = self.follower in partition.adding
                (meters.joining if joins else meters.followers).bytes_out += read[7]
            if session is not None:
                session.served(read[0])
        identity = 0 if session is None else session.identity
        parts, size = self._reply.parts(correlation_id, identity, reads)
        self.codes = len(reads) + (self._version >= SESSIONS_FROM)
        return parts, size

    # -- for the ordinary code

    def terms(self) -> Terms:
        """How the request goes on after its first pass."""
        found = terms(self.context, self.request)
        found.first = False
        return found

    def fetch(self) -> FetchContext:
        """What the request is about."""
        kind = Kind.SESSIONLESS if self.session is None else Kind.INCREMENTAL
        return FetchContext(kind, self.partitions, self.session)


def _marks(context: Context, request: FetchRequest) -> tuple[int, bytes, bytes]:
    """API and version as one number; what requests begin and end with. Made by our own encoder, so
    that a request with these bytes can mean nothing else."""
    version = context.version
    frame = encode_request(request, version, 0, context.client_id)[_LENGTH:]
    nothing = 1 if version >= FLEXIBLE else 4
    at = len(frame) - nothing
    if version >= SESSIONS_FROM:
        request.session_id = -2
        other = encode_request(request, version, 0, context.client_id)[_LENGTH:]
        request.session_id = 0
        at = next(n for n, (a, b) in enumerate(zip(frame, other, strict=True)) if a != b)
        nothing += HEAD_SIZE
    return pair(frame)[0], frame[HEAD_SIZE:at], frame[at + nothing :]
