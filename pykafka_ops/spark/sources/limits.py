"""How much a micro-batch has, by the options of Spark's own ``kafka`` source: at most
``maxOffsetsPerTrigger``, and none before ``minOffsetsPerTrigger`` are there or ``maxTriggerDelay``
is over (KafkaMicroBatchStream.delayBatch)."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import Final

from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxRows

from pykafka_ops.errors import UsageError
from pykafka_ops.spark.sources.options import SourceOptions, limited

Ends = Mapping[tuple[str, int], int]
_UNITS: Final = {
    "us": 0.001, "ms": 1, "": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000,
    "d": 86_400_000,
}  # fmt: skip
_DELAY: Final = "15m"


class BatchLimits:
    """Of one running query: it knows when its last micro-batch was. UsageError for options that are
    wrong."""

    def __init__(self, options: SourceOptions, clock: Callable[[], float] = time.monotonic) -> None:
        self.most = options.integer("maxOffsetsPerTrigger", None, lowest=1)
        self.least = options.integer("minOffsetsPerTrigger", None, lowest=1)
        self.delay = _ms(options.text("maxTriggerDelay", _DELAY)) / 1000
        if self.most is not None and self.least is not None and self.least > self.most:
            raise UsageError(
                f"options minOffsetsPerTrigger={self.least}, maxOffsetsPerTrigger={self.most}: "
                "the first must not be more than the second"
            )
        self._clock, self._last = clock, float("-inf")

    def default(self) -> ReadLimit:
        """As Spark asks for it. Its Python sources know no limit from below, hence ``waits``."""
        return ReadAllAvailable() if self.most is None else ReadMaxRows(self.most)

    def waits(self, begins: Ends, ends: Ends) -> bool:
        """Whether there is too little for a micro-batch yet. The first of a run does not wait."""
        new = sum(max(0, end - begins.get(p, 0)) for p, end in ends.items())
        now = self._clock()
        if self.least is not None and new < self.least and now - self._last < self.delay:
            return True
        if new:
            self._last = now
        return False

    @staticmethod
    def cut(begins: Ends, ends: Ends, limit: ReadLimit) -> dict[tuple[str, int], int]:
        """Nearer ends where ``limit`` wants them."""
        if isinstance(limit, ReadMaxRows):
            return limited(begins, ends, limit.max_rows)
        return dict(ends)


def _ms(text: str) -> float:
    """Milliseconds of a span as Spark writes it: ``15m``, ``30s``, ``500``."""
    found = re.fullmatch(r"(\d+)\s*([a-z]*)", text.lower())
    if found is None or found[2] not in _UNITS:
        raise UsageError(f"option maxTriggerDelay={text}: not a span such as 30s, 15m or 1h")
    return int(found[1]) * _UNITS[found[2]]
