"""DeleteTopics (20): remove topics, by name or (version 6) by id."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT16, INT32, STRING, UUID


@struct
class DeleteTopicState:
    """One topic, by name or (name null) by id."""

    name: str | None = wire(STRING, "6+", nullable="6+", default=None)
    topic_id: bytes = wire(UUID, "6+")


@message(ApiKey.DELETE_TOPICS)
class DeleteTopicsRequest:
    """Topics to delete: ``topic_names`` to version 5, then ``topics``."""

    topics: list[DeleteTopicState] = wire([DeleteTopicState], "6+")
    topic_names: list[str] = wire([STRING], "0-5", ignorable=True)
    timeout_ms: int = wire(INT32)


@struct
class DeletableTopicResult:
    """What became of one topic."""

    name: str | None = wire(STRING, nullable="6+")
    topic_id: bytes = wire(UUID, "6+", ignorable=True)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, "5+", nullable="5+", default=None, ignorable=True)


@message(ApiKey.DELETE_TOPICS)
class DeleteTopicsResponse:
    """The outcome for each topic."""

    throttle_time_ms: int = wire(INT32, "1+", ignorable=True)
    responses: list[DeletableTopicResult] = wire([DeletableTopicResult])
