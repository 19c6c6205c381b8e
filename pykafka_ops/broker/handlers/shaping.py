"""What several handlers do to shape an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.transactions.asking import Reply
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.shared import PartitionCode, TopicCodes

if TYPE_CHECKING:  # a broker without transactions loads none of it
    from pykafka_ops.broker.state.transactions.metadata import Transit

A = TypeVar("A")
V = TypeVar("V")


def code_and_text(error: KafkaError | None) -> tuple[int, str | None]:
    """An item's error code and message; NONE and None for an item without an error."""
    return (ErrorCode.NONE, None) if error is None else (error.code, error.message or None)


def by_topic(found: Mapping[tuple[str, int], V]) -> dict[str, list[tuple[int, V]]]:
    """What was found of partitions, as answers list it."""
    topics: dict[str, list[tuple[int, V]]] = {}
    for (topic, index), value in found.items():
        topics.setdefault(topic, []).append((index, value))
    return topics


def made_once(make: Callable[[A], V]) -> Callable[[Sequence[A]], list[V]]:
    """``make`` for all items of a list; what it made is given again for the same list."""
    made: dict[int, tuple[Sequence[A], list[V]]] = {}

    def of(items: Sequence[A]) -> list[V]:
        if id(items) not in made:
            made[id(items)] = items, [make(item) for item in items]
        return made[id(items)][1]

    return of


def with_codes(topics: Iterable[Any], codes: Iterator[int]) -> list[TopicCodes]:
    """The partitions of a request, each with the next code."""
    return [
        TopicCodes(
            name=topic.name,
            partitions=[
                PartitionCode(partition_index=asked.partition_index, error_code=next(codes))
                for asked in topic.partitions
            ],
        )
        for topic in topics
    ]


def reply_with(shape: Callable[[ErrorCode, Transit | None], object]) -> Reply:
    """Where a coordinator's result goes; ``shape`` makes the answer of it."""
    return Reply(Deferred(), shape)


def answer_of(reply: Reply) -> object:
    """The answer, or the promise of it."""
    return reply.deferred.answer if reply.deferred.done else reply.deferred


def for_version(code: ErrorCode, version: int, knows_fenced: int) -> ErrorCode:
    """INVALID_PRODUCER_EPOCH instead of PRODUCER_FENCED for versions before ``knows_fenced``
    (KIP-588)."""
    if code is ErrorCode.PRODUCER_FENCED and version < knows_fenced:
        return ErrorCode.INVALID_PRODUCER_EPOCH
    return code
