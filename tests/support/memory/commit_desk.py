"""A broker's handlers behind connections, for OffsetCommit requests as bytes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from pykafka_ops.broker.runtime.sockets.connection import Connection
from pykafka_ops.broker.runtime.sockets.server import Server
from pykafka_ops.wire.frame import decode_response, encode_request
from pykafka_ops.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from tests.support.memory.handler_site import Site
from tests.support.wire.server import FakeTransport

OFFSETS = "__consumer_offsets"


class Broker:
    """Handlers over logs in memory; ``repeat`` keeps one connection, which learns shapes, and
    ``read`` counts the requests that were read in full."""

    def __init__(self, loop: asyncio.AbstractEventLoop, *, repeat: bool, **offsets: Any) -> None:
        self.site = Site(group_initial_rebalance_delay_ms=0)
        (self.partition,) = self.site.topic(OFFSETS, 1, **offsets)
        self.site.topic("t", 2)
        self.site.topic("u", 1)
        self.site.coordinators.led(self.partition)
        self.server = Server(self.site.services, loop)
        self.repeat = repeat
        self.read = 0
        dispatch = self.server.dispatch
        dispatch.find = self._counting(dispatch.find)  # type: ignore[method-assign]
        self._transport: FakeTransport | None = None

    def _counting(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any) -> Any:
            self.read += 1
            return function(*arguments)

        return counted

    def ask(self, frame: bytes) -> list[bytes]:
        """The frames that are written as the answer."""
        if self._transport is None or not self.repeat or self._transport.is_closing():
            self._transport = FakeTransport(Connection(self.server, "PLAINTEXT"))
        self._transport.written = []
        self._transport.feed(frame)
        return self._transport.frames()

    def hang_up(self) -> None:
        """The client goes away."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.lose()
        self._transport = None

    @property
    def state(self) -> Any:
        """What requests leave behind."""
        group = self.site.coordinators.groups.slot_of("g").shard.offsets.get("g")
        kept = None if group is None else (group.committed, group.pending)
        name = f"/data/{OFFSETS}-0/{0:020d}.log"
        files = self.site.logs.files
        return kept, files.read(name) if files.exists(name) else b""


Place = tuple[str, int, int, int, str | None]
"""Topic, partition, offset, leader epoch, metadata."""


def request(
    *places: Place,
    version: int = 8,
    correlation_id: int = 1,
    client_id: str | None = "c",
    **of: Any,
) -> bytes:
    topics: dict[str, list[OffsetCommitRequestPartition]] = {}
    for topic, index, offset, epoch, note in places:
        topics.setdefault(topic, []).append(
            OffsetCommitRequestPartition(
                partition_index=index,
                committed_offset=offset,
                committed_leader_epoch=epoch,
                committed_metadata=note,
            )
        )
    message = OffsetCommitRequest(
        group_id="g",
        topics=[OffsetCommitRequestTopic(name=t, partitions=p) for t, p in topics.items()],
        **of,
    )
    return encode_request(message, version, correlation_id, client_id)


def codes(frames: list[bytes], version: int = 8) -> tuple[int, list[tuple[str, int, int]]]:
    (frame,) = frames
    correlation_id, answer = decode_response(OffsetCommitResponse, version, frame)
    return correlation_id, [
        (t.name, p.partition_index, p.error_code) for t in answer.topics for p in t.partitions
    ]
