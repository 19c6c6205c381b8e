"""DeleteShareGroupOffsets (92): forget where a share group is in topics (KIP-932)."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT16, INT32, STRING, UUID


@struct
class DeleteShareGroupOffsetsRequestTopic:
    """One topic."""

    topic_name: str = wire(STRING)


@message(ApiKey.DELETE_SHARE_GROUP_OFFSETS)
class DeleteShareGroupOffsetsRequest:
    """The group and the topics."""

    group_id: str = wire(STRING)
    topics: list[DeleteShareGroupOffsetsRequestTopic] = wire([DeleteShareGroupOffsetsRequestTopic])


@struct
class DeleteShareGroupOffsetsResponseTopic:
    """The outcome for one topic."""

    topic_name: str = wire(STRING)
    topic_id: bytes = wire(UUID)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+", default=None)


@message(ApiKey.DELETE_SHARE_GROUP_OFFSETS)
class DeleteShareGroupOffsetsResponse:
    """The outcome for the group and for each topic."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+", default=None)
    responses: list[DeleteShareGroupOffsetsResponseTopic] = wire(
        [DeleteShareGroupOffsetsResponseTopic]
    )
