"""A share group of one topic on a fake broker: records to be acquired, and what became of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record
from pykafka_ops.wire.messages import share_acknowledge as ack
from pykafka_ops.wire.messages import share_fetch as sf
from pykafka_ops.wire.messages import share_group_heartbeat as hb
from pykafka_ops.wire.messages.find_coordinator import Coordinator, FindCoordinatorResponse
from tests.support.memory.fake_broker import FakeBroker

TOPIC = "orders"
TOPIC_ID = TOPIC.encode().ljust(16, b".")


def batch(first: int, count: int) -> bytes:
    """Records whose values are their offsets."""
    records = [Record(n, 5, None, b"%d" % n) for n in range(first, first + count)]
    return bytes(build_batch(records, base_offset=first))


class ShareGroupDesk:
    """``parts`` are the partitions that a fetch finds next, ``outcomes`` what was acknowledged:
    offset -> type. ``epochs`` are those of the requests for sessions, in their order; ``codes``
    the errors of the next answers as a whole, by API."""

    def __init__(self, fake: FakeBroker) -> None:
        self.parts: list[sf.PartitionData] = []
        self.outcomes: dict[int, int] = {}
        self.epochs: list[int] = []
        self.members: list[tuple[str, int]] = []
        self.codes: dict[str, list[int]] = {"fetch": [], "acknowledge": [], "heartbeat": []}
        self.on_fetch: Callable[[], None] = lambda: None
        fake.in_kraft(leader=100)
        fake.topics[TOPIC] = [0]
        fake.on("FindCoordinator", self._coordinator).on("ShareGroupHeartbeat", self._heartbeat)
        fake.on("ShareFetch", self._fetch).on("ShareAcknowledge", self._acknowledge)

    def gives(self, first: int, count: int, *acquired: tuple[int, int], code: int = 0) -> None:
        """Let the next fetch find records, of which those are acquired (all by default)."""
        runs = acquired or ((first, first + count - 1),)
        self.parts.append(sf.PartitionData(
            error_code=code, records=batch(first, count) if count else b"", acquired_records=[
                sf.AcquiredRecords(first_offset=a, last_offset=b, delivery_count=1) for a, b in runs
            ] if count else [],
        ))  # fmt: skip

    def _coordinator(self, request: Any) -> FindCoordinatorResponse:
        found = [Coordinator(key=k, node_id=0, host="", port=0) for k in request.coordinator_keys]
        return FindCoordinatorResponse(coordinators=found)

    def _heartbeat(self, request: Any) -> hb.ShareGroupHeartbeatResponse:
        self.members.append((request.member_id, request.member_epoch))
        code = self.codes["heartbeat"].pop(0) if self.codes["heartbeat"] else 0
        given = hb.Assignment(
            topic_partitions=[hb.TopicPartitions(topic_id=TOPIC_ID, partitions=[0])]
        )
        return hb.ShareGroupHeartbeatResponse(
            error_code=code, member_epoch=1, heartbeat_interval_ms=5000,
            assignment=None if request.member_epoch else given,
        )  # fmt: skip

    def _fetch(self, request: Any) -> sf.ShareFetchResponse:
        self.epochs.append(request.share_session_epoch)
        self.on_fetch()
        code = self.codes["fetch"].pop(0) if self.codes["fetch"] else 0
        part, self.parts = self.parts[:1], self.parts[1:]
        answer = sf.ShareFetchableTopicResponse(topic_id=TOPIC_ID, partitions=part)
        return sf.ShareFetchResponse(
            error_code=code, acquisition_lock_timeout_ms=30_000, responses=[answer] if part else [],
        )  # fmt: skip

    def _acknowledge(self, request: Any) -> ack.ShareAcknowledgeResponse:
        self.epochs.append(request.share_session_epoch)
        code = self.codes["acknowledge"].pop(0) if self.codes["acknowledge"] else 0
        for topic in request.topics:
            for part in topic.partitions:
                for run in part.acknowledgement_batches:
                    offsets = range(run.first_offset, run.last_offset + 1)
                    self.outcomes.update(dict.fromkeys(offsets, run.acknowledge_types[0]))
        return ack.ShareAcknowledgeResponse(error_code=code)
