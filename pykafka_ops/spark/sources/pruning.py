"""What filters spare a read of records or batches: partitions, offsets, times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pykafka_ops.disk.batch import LOG_APPEND_TIME_FLAG
from pykafka_ops.spark.sources.conditions import Conditions

MAX_OFFSET: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Pruning:
    """Offsets from ``low`` to below ``high``, times from ``since`` to ``until`` (ms, both included)
    are all that filters leave. A log's times may go back: a late one ends nothing."""

    conditions: Conditions = field(default_factory=Conditions)
    low: int = 0
    high: int = MAX_OFFSET
    since: int | None = None
    until: int | None = None

    @classmethod
    def of(cls, conditions: Conditions, offsets: Sequence[str], time: str) -> Pruning:
        """By filters on columns of offsets, all within a row, and on the one of the newest time."""
        lows = [v for name in offsets if (v := conditions.least(name)) is not None]
        highs = [v for name in offsets if (v := conditions.most(name)) is not None]
        since, until = conditions.least(time), conditions.most(time)
        return cls(
            conditions,
            max([0, *lows]),
            min([MAX_OFFSET, *(v + 1 for v in highs)]),
            None if since is None else -(-since // 1000),
            None if until is None else until // 1000,
        )

    def wanted(self, topic: str | None, partition: int | None) -> bool:
        """Whether a partition can hold anything that the filters leave."""
        return self.conditions.allow(topic=topic, partition=partition)

    def timely(self, heads: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Which batches may hold records of the times wanted."""
        keep = np.ones(len(heads), np.bool_)
        if self.since is not None:
            keep &= heads["max_timestamp"] >= self.since
        if self.until is not None:  # the same time for all records of such a batch
            appended = (heads["attributes"] & LOG_APPEND_TIME_FLAG) != 0
            keep &= ~(appended & (heads["max_timestamp"] > self.until))
        return keep


NOTHING_PRUNED: Final = Pruning()
