"""Fetch requests that look like one before: same client, limits, isolation level and rack.

A client says the same in every request of a connection, but for the correlation id, the session and
the partitions. From the first such request a :class:`FetchShape` is made, which knows the next one
by its bytes. Where nothing is unusual, the partitions are read straight
(:class:`~pykafka_ops.broker.hot.fetch.FetchPath`), now and when the request has waited; else the
ordinary code (:class:`~pykafka_ops.broker.partitions.fetches.Fetches`) serves it.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import cast

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.handlers.fetch_reader import WHOLE, FetchReader
from pykafka_ops.broker.handlers.fetch_request import READ_COMMITTED
from pykafka_ops.broker.handlers.fetch_wait import FetchWait
from pykafka_ops.broker.hot.fetch import MOST_PARTITIONS
from pykafka_ops.broker.hot.serving import DECLINED
from pykafka_ops.broker.partitions.fetches import LITTLE, LOOK_MS
from pykafka_ops.broker.state.fetch_session import CachedPartition
from pykafka_ops.broker.state.quotas.clients import is_concerned
from pykafka_ops.settings.check import RACK_AWARE_SELECTOR
from pykafka_ops.wire.fetch_partitions import NOWHERE, Asked, Key
from pykafka_ops.wire.frame import Framed
from pykafka_ops.wire.messages.fetch import FetchRequest
from pykafka_ops.wire.types import ZERO_UUID

FIRST_VERSION = 4
"""Before it, records are message sets."""
_KNOWN_LEVELS = (0, READ_COMMITTED)


def shape(context: Context, request: FetchRequest, frame: memoryview) -> FetchShape | None:
    """The shape of a request, None if it has more to it than that. ``frame`` is the whole request,
    without the length in front."""
    if context.meter is not None or context.version < FIRST_VERSION:
        return None
    if request.isolation_level not in _KNOWN_LEVELS:
        return None  # it is refused
    made = FetchShape(context, request)
    return made if made.find(frame) is not None else None


class FetchShape(FetchReader):
    """Serves requests of one shape on one connection."""

    __slots__ = ("_concerned", "_own", "_quotas_version", "_rights")

    def __init__(self, context: Context, first: FetchRequest) -> None:
        super().__init__(context, first)
        self._own = self.partitions
        """Those of the last request without a session."""
        self._concerned, self._quotas_version = False, 0
        self._rights: Callable[..., Container[str]] | None = None
        if context.services.acls is not None:
            from pykafka_ops.broker.handlers.rights import fetch as rights  # few need it

            self._rights = rights.known_topics
            self.is_checked = True
        if self.follower >= 0 and context.services.followers is not None:
            context.services.followers.add(context.connection_id)

    def answer(self, frame: memoryview) -> object:
        """The answer to a request of this shape; None if it has another, DECLINED if the ordinary
        code has to serve it: nothing is done then."""
        found = self.find(frame)
        if found is None:
            return None
        correlation_id, session_id, epoch, asked = found
        if not (self._may_ask() and self._begin(session_id, epoch, asked)):
            return DECLINED
        request, left = self.request, self.limit
        reads = self.look(self.to_read(), left)
        if reads is None:
            return DECLINED
        missing = min(request.min_bytes, left)
        waits = missing > sum([read[7] for read in reads]) and request.max_wait_ms > 0
        if waits and missing > LITTLE:
            return DECLINED
        self._go_on()
        reads = self.note(reads, first=True)
        if waits:
            return FetchWait(self, correlation_id, missing, asked).promise
        parts, size = self.conclude(correlation_id, reads)
        return b"".join(cast(list[bytes], parts)) if size <= WHOLE else Framed(parts, self.codes)

    # -- the beginning -----------------------------------------------------------------------------

    def _may_ask(self) -> bool:
        """Whether the client has no quota, and no replica is chosen for it; what it may read."""
        context = self.context
        services = context.services
        version = services.quotas.version
        if version != self._quotas_version:
            self._quotas_version = version
            self._concerned = is_concerned(services.quotas, context.user, context.client_id or "")
        if self._concerned:
            return False
        rack = self.request.rack_id
        if rack and services.configs.value("replica.selector.class") == RACK_AWARE_SELECTOR:
            return False
        if self._rights is not None:
            self._known = self._rights(context, follows=self.follower >= 0)
        return True

    def _begin(self, session_id: int, epoch: int, asked: list[Asked]) -> bool:
        """Take over what the request says of partitions, as the ordinary code would, too; False if
        it begins or ends a session, or changes what its session is about."""
        if epoch == NOWHERE:
            self.session = None
            return not session_id and self._take(asked)
        sessions = self.context.services.fetches.sessions
        self.session = session = sessions.find(session_id, epoch)
        if session is None or session.uses_ids != self._by_id:
            return False
        self.partitions = known = session.partitions
        lively = session.lively
        if (lively is not None) != (self.follower >= 0) or len(known) > MOST_PARTITIONS:
            return False
        now = self.context.services.replicas.timer()
        if lively is not None and now - session.looked_at > LOOK_MS:
            return False
        names = self.context.services.image.topic_names_by_id
        for key, fields in asked:
            wanted = known.get(key)
            if wanted is None or (self._by_id and wanted.topic != names.get(wanted.topic_id)):
                return False
            _update(wanted, fields)
            if lively is not None:
                lively[key] = None
        return True

    def _take(self, asked: list[Asked]) -> bool:
        """The same without a session; what was made of the partitions of the last request is used
        again."""
        own, names = self._own, self.context.services.image.topic_names_by_id
        if len(own) != len(asked) or any(map(_differ, own, asked)):
            self._own = own = {
                key: (
                    CachedPartition(names.get(key[0], ""), key[0], key[1])
                    if self._by_id
                    else CachedPartition(key[0], ZERO_UUID, key[1])
                )
                for key, _ in asked
            }
        if not own or len(own) != len(asked):
            return False
        self.partitions = own
        for key, fields in asked:
            wanted = own[key]
            if self._by_id and wanted.topic != names.get(key[0]):
                self._own = {}
                return False
            _update(wanted, fields)
        return True

    def _go_on(self) -> None:
        session = self.session
        if session is not None:
            now = self.context.services.replicas.timer()
            session.go_on(now)
            if self.follower >= 0:
                session.follower, session.seen_at = self.follower, now


def _differ(known: Key, asked: Asked) -> bool:
    return known != asked[0]


def _update(wanted: CachedPartition, fields: tuple[int, ...]) -> None:
    epoch, offset, last, log_start, size = fields
    wanted.current_leader_epoch = epoch if epoch > NOWHERE else NOWHERE
    wanted.fetch_offset = offset
    wanted.last_fetched_epoch = last
    wanted.log_start_offset = log_start
    wanted.max_bytes = size
