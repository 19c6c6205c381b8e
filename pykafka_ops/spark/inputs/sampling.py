"""What is handed over of sampled batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pykafka_ops.spark.schemas import Row


class SampledBatch(NamedTuple):
    """A batch from offset ``base`` to ``last``: ``stored`` bytes on disk, its header among them,
    ``plain`` its records before compression (None of formats 0 and 1), ``codec`` by its name."""

    base: int
    last: int
    stored: int
    codec: str
    plain: bytes | None
    keys: Sequence[bytes | None]
    values: Sequence[bytes | None]


class Damage(NamedTuple):
    """What cannot be read, and where, as ``damage.problem_of`` takes it."""

    text: str


Sampled = Iterator[SampledBatch | Damage]
Look = Callable[[Mapping[str, Any], Sampled], Iterator[Row]]
"""Makes rows of a partition (topic, partition, start_offset, end_offset) and its batches."""
