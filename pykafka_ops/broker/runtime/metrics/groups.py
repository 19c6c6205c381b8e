"""Consumer groups of this coordinator (``GroupMetadataManager``)."""

from __future__ import annotations

from collections import Counter

from pykafka_ops.broker.runtime.parts import Parts
from pykafka_ops.broker.state.groups.group import GroupState
from pykafka_ops.broker.state.steps import Steps
from pykafka_ops.metrics.family import Book

MANY = 512
"""Groups between two pauses."""
_TYPE = "kafka.coordinator.group:GroupMetadataManager"


def collect(parts: Parts, book: Book) -> Steps[None]:
    """Groups by state, and their offsets, without groups that are still loading."""
    states: Counter[GroupState] = Counter()
    offsets = number = 0
    for slot in parts.services.groups.coordinator.slots():
        for group in list(slot.shard.groups.values()):
            states[group.state] += 1
            number += 1
            if not number % MANY:
                yield None
        for kept in list(slot.shard.offsets.values()):
            offsets += len(kept.committed)
            number += 1
            if not number % MANY:
                yield None
    book.bean(f"{_TYPE}:NumGroups", "Groups of this coordinator").add(states.total())
    for state in GroupState:
        text = f"Groups of this coordinator in state {state.value}"
        book.bean(f"{_TYPE}:NumGroups{state.value}", text).add(states[state])
    book.bean(f"{_TYPE}:NumOffsets", "Committed offsets of groups of this coordinator").add(offsets)
