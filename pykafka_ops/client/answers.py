"""What stands in answers: errors of their parts, and what a broker left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from pykafka_ops.client.rights import refusal, subject
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode

K = TypeVar("K")
V = TypeVar("V")


def error_of(part: Any) -> KafkaError | None:
    """The error that an answer or a part of one carries."""
    if not part.error_code:
        return None
    error = KafkaError(part.error_code, getattr(part, "error_message", None) or "")
    error.ours = refusal(part.error_code, part)
    error.about = subject(part) if error.ours else ""
    return error


def raise_error(answer: Any) -> None:
    """Raise the KafkaError that an answer carries as a whole."""
    error = error_of(answer)
    if error is not None:
        raise error


def complete(found: dict[K, V], wanted: Iterable[K]) -> dict[K, V | KafkaError]:
    """``found`` with an error for what a broker left out of its answer, in the order wanted."""
    left_out = KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, "the broker's answer leaves it out")
    return {key: found.get(key, left_out) for key in wanted}


def taken_apart(
    asked: Iterable[K], answer: Any, read: Callable[[Any], Iterable[tuple[K, KafkaError | None, V]]]
) -> dict[K, V | PkoError]:
    """What an answer says of each of those asked for: its value, or the PkoError that stands for
    it. ``read`` takes the answer apart: who, its error, else its value."""
    if isinstance(answer, PkoError):
        return dict.fromkeys(asked, answer)
    found: dict[K, V | PkoError] = {**complete({}, asked)}
    found.update({key: error or value for key, error, value in read(answer)})
    return found


def by_topic(places: Iterable[tuple[str, V]]) -> dict[str, list[V]]:
    """What belongs to each topic, as requests name it."""
    topics: dict[str, list[V]] = {}
    for topic, value in places:
        topics.setdefault(topic, []).append(value)
    return topics
