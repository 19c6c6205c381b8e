"""Membership of a share group: heartbeats, and what they assign (ShareGroupHeartbeat)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from pykafka_ops.client.answers import error_of
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.connection import UnsupportedVersionError
from pykafka_ops.client.coordinators import ask_coordinator
from pykafka_ops.client.share.session import Place
from pykafka_ops.errors import PkoError
from pykafka_ops.random_uuid import random_uuid
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import share_group_heartbeat as hb
from pykafka_ops.wire.types import uuid_text

TOO_OLD: Final = "the brokers have no share groups: those are of Kafka 4.1 and newer"
JOIN, LEAVE = 0, -1
LEAST_MS, MOST_MS = 100, 60_000
HOPEFUL_MS = 300
"""Between heartbeats while nothing is assigned, which may come a moment after joining."""
_ANEW = (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_MEMBER_EPOCH)


class ShareMember:
    """A member by an id of its own. ``assigned``: the partitions it is to read; ``id`` changes when
    the group has dropped it and it joins anew."""

    def __init__(self, cluster: Cluster, group: str, topics: Sequence[str]) -> None:
        self.cluster, self.group, self.topics = cluster, group, list(topics)
        self.id, self.epoch, self.assigned = uuid_text(random_uuid()), JOIN, frozenset[Place]()
        self.next_beat = 0.0
        """Monotonic seconds."""

    def beat(self) -> bool:
        """Tell the coordinator that we are here, where that is due; whether something changed.

        Raises PkoError.
        """
        if time.monotonic() < self.next_beat:
            return False
        joins = self.epoch == JOIN
        answer = self._ask(self.epoch, self.topics if joins else None)
        if answer.error_code in _ANEW and not joins:
            self.id, self.epoch, self.assigned = uuid_text(random_uuid()), JOIN, frozenset()
            return True
        if error := error_of(answer):
            raise error
        before, self.epoch = self.assigned, answer.member_epoch
        if answer.assignment is not None:
            self.assigned = frozenset(
                (t.topic_id, n) for t in answer.assignment.topic_partitions for n in t.partitions
            )
        wait = min(max(answer.heartbeat_interval_ms, LEAST_MS), MOST_MS)
        if not self.assigned:
            wait = min(wait, HOPEFUL_MS)
        self.next_beat = time.monotonic() + wait / 1000
        return joins or self.assigned != before

    def leave(self) -> None:
        """Leave the group, where that can be said. Raises PkoError."""
        if self.epoch != JOIN:
            self.epoch = JOIN
            self._ask(LEAVE, None)

    def _ask(self, epoch: int, topics: list[str] | None) -> hb.ShareGroupHeartbeatResponse:
        request = hb.ShareGroupHeartbeatRequest(
            group_id=self.group, member_id=self.id, member_epoch=epoch,
            subscribed_topic_names=topics,
        )  # fmt: skip
        try:
            return ask_coordinator(
                self.cluster, self.group, request, hb.ShareGroupHeartbeatResponse
            )
        except UnsupportedVersionError:
            raise PkoError(TOO_OLD) from None
