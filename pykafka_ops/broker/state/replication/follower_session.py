"""A follower's side of an incremental fetch session (KIP-227): what the leader knows already.

Counterpart of ``FetchSessionHandler``, but given what changed instead of comparing everything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.types import ZERO_UUID

Key = tuple[str, int]

NO_SESSION = 0
FULL = 0
"""Session epoch of a request that names everything."""
_LAST_EPOCH = 2**31 - 1


class PartitionFetch(NamedTuple):
    """What is asked of one partition; ``last_epoch`` is -1 if nothing was fetched yet."""

    topic_id: bytes
    offset: int
    log_start: int
    leader_epoch: int
    last_epoch: int


class SessionFetch(NamedTuple):
    """The part of a Fetch that depends on the session; ``forget`` comes with topic ids."""

    session_id: int
    session_epoch: int
    send: dict[Key, PartitionFetch]
    forget: list[tuple[Key, bytes]]
    by_id: bool


class FollowerSession:
    """The session with one leader; one request is under way at a time."""

    def __init__(self) -> None:
        self._id = NO_SESSION
        self._epoch = FULL
        self.by_id = True
        """Whether topics are named by their ids."""
        self._without_id: set[Key] = set()
        self.sent: dict[Key, PartitionFetch] = {}
        """The partitions that the leader knows, and reads for us."""

    @property
    def is_full(self) -> bool:
        """Whether the next request must name everything."""
        return self._epoch == FULL

    def start(self, wanted: Mapping[Key, PartitionFetch]) -> SessionFetch:
        """The request that names everything; one that was there before is closed by it."""
        self.sent = dict(wanted)
        self._without_id = {key for key, want in wanted.items() if want.topic_id == ZERO_UUID}
        self.by_id = not self._without_id
        return SessionFetch(self._id, FULL, self.sent, [], self.by_id)

    def go_on(self, changed: Mapping[Key, PartitionFetch | None]) -> SessionFetch | None:
        """The request that names only what ``changed`` (None: not wanted now).

        None if it needs a new session: it would name topics by name and by id.
        """
        send: dict[Key, PartitionFetch] = {}
        forget: list[tuple[Key, bytes]] = []
        for key, want in changed.items():
            before = self.sent.get(key)
            if want is None:
                if before is not None:
                    forget.append((key, before.topic_id))
                    del self.sent[key]
                    self._without_id.discard(key)
                continue
            if before == want:
                continue
            if before is not None and before.topic_id != want.topic_id:
                forget.append((key, before.topic_id))
            if want.topic_id == ZERO_UUID:
                self._without_id.add(key)
            else:
                self._without_id.discard(key)
            send[key] = self.sent[key] = want
        if self.by_id != (not self._without_id):
            self.failed()
            return None
        return SessionFetch(self._id, self._epoch, send, forget, self.by_id)

    def answered(self, code: int, session_id: int, keys: Collection[Key]) -> bool:
        """Take in the leader's answer, which names ``keys``; whether it can be used."""
        if code != ErrorCode.NONE:
            if code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND:
                self._id = NO_SESSION
            self._epoch = FULL
            return False
        if self._epoch == FULL:
            if not self._names_all(keys):
                self._id = NO_SESSION
                return False
            self._id, self._epoch = session_id, FULL if session_id == NO_SESSION else 1
            return True
        if not self._known(keys):
            self._epoch = FULL
            return False
        if session_id == NO_SESSION:  # the leader ended it
            self._id, self._epoch = NO_SESSION, FULL
        else:
            self._epoch = 1 if self._epoch == _LAST_EPOCH else self._epoch + 1
        return True

    def failed(self) -> None:
        """No answer came: begin anew, and end what is there."""
        self._epoch = FULL

    def _known(self, keys: Iterable[Key]) -> bool:
        return all(key in self.sent for key in keys)

    def _names_all(self, keys: Collection[Key]) -> bool:
        return len(keys) == len(self.sent) and self._known(keys)
