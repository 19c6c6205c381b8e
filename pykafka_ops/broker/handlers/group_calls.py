"""What the handlers of group requests share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pykafka_ops.broker.state.deferred import Deferred

if TYPE_CHECKING:
    from pykafka_ops.broker.state.groups.offsets import TopicPartition

UTF16 = "utf-16-le"


def answer_with(inner: Deferred, shape: Callable[[Any], object]) -> object:
    """The message ``shape`` makes of what ``inner`` resolves to, or the promise of it."""
    if inner.done:
        return shape(inner.answer)
    outer = Deferred()

    def resolve(result: object) -> None:
        outer.resolve(shape(result))

    inner.then(resolve)
    return outer


def java_length(text: str) -> int:
    """``String.length()``: UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode(UTF16, "surrogatepass")) // 2


def by_topic(places: list[TopicPartition]) -> dict[str, list[int]]:
    """Partitions by topic, in the order given."""
    found: dict[str, list[int]] = {}
    for topic, index in places:
        found.setdefault(topic, []).append(index)
    return found
