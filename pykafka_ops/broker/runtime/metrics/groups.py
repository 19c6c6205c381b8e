"""Consumer groups coordinated here (``GroupMetadataManager``)."""

from __future__ import annotations

from collections import Counter

from pykafka_ops.broker.runtime.parts import Parts
from pykafka_ops.broker.state.groups.group import GroupState
from pykafka_ops.broker.state.steps import Steps
from pykafka_ops.metrics.family import Book

MANY = 512
"""Groups between two pauses."""
_TYPE = "kafka.coordinator.group:GroupMetadataManager"


def tell(parts: Parts, book: Book) -> Steps[None]:
    """Groups by state, and their offsets; without those that are still being loaded."""
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
    book.bean(f"{_TYPE}:NumGroups", "Groups coordinated here").add(states.total())
    for state in GroupState:
        told = f"Groups coordinated here that are {state.value}"
        book.bean(f"{_TYPE}:NumGroups{state.value}", told).add(states[state])
    book.bean(f"{_TYPE}:NumOffsets", "Offsets that groups coordinated here have").add(offsets)
