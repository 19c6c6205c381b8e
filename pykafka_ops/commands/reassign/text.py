"""Names and words that the actions of ``reassign-partitions`` share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pykafka_ops.errors import PkoError

Partition = tuple[str, int]
"""Topic, partition."""


class TerseError(PkoError):
    """The action failed; Kafka's tool prints the text without ``Error:`` (TerseException)."""


class ReassignError(PkoError):
    """The action failed in a way that Kafka's tool prints behind ``Error:``."""


def named(partition: Partition) -> str:
    """``orders-0``."""
    return f"{partition[0]}-{partition[1]}"


def joined(values: Iterable[object]) -> str:
    """``1,2,3``."""
    return ",".join(map(str, values))


def plural(word: str, count: int) -> str:
    """The word, with an s unless there is one."""
    return word if count == 1 else f"{word}s"


def item_lines(errors: Mapping[Partition, PkoError]) -> str:
    """One line for each partition that failed: ``orders-0: why``, by partition."""
    from pykafka_ops.commands._failures import text_of

    return "\n".join(f"{named(p)}: {text_of(errors[p])}" for p in sorted(errors))
