"""Which moments a lag report looks at. All times in ms since 1970."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pykafka_ops.analysis.moments import UNITS, span_text
from pykafka_ops.errors import UsageError
from pykafka_ops.spark.inputs import moments

WINDOW: Final = 10 * UNITS["m"]
"""What rates and verdicts look back on, as ``pko groups lag``."""
DAY: Final = UNITS["d"]
BUCKETS: Final = 24
MOST_BUCKETS: Final = 1000
SAMPLES: Final = 6
"""How many earlier ends of a log the window has, as ``pko groups lag``."""


@dataclass(frozen=True, slots=True)
class ReportSpan:
    """``window`` (ms) before ``now`` is what rates and verdicts are about, ``times`` are the
    borders of the buckets of the history, ``samples`` the moments of the window at which ends of
    logs are asked for. ``borders`` are those where commits are cut: ``times`` and the window's
    begin."""

    now: int
    window: int
    times: tuple[int, ...]
    samples: tuple[int, ...]
    borders: tuple[int, ...]

    @classmethod
    def of(cls, now: int, since: int | None, until: int | None, window: int | None) -> ReportSpan:
        """``window`` is the length of the buckets, too; without it there are 24 of them.

        Without ``since`` they cover a day, or 24 windows. Raises UsageError for too many.
        """
        last = now if until is None else min(until, now)
        step = window or 0
        if since is None:
            since = last - (step * BUCKETS or DAY)
        since = min(since, last - 1)
        step = step or max(1, -(-(last - since) // BUCKETS))
        count = -(-(last - since) // step)
        if count > MOST_BUCKETS:
            raise UsageError(
                f"a window of {span_text(step)} makes {count:,} buckets of the span asked for, "
                f"at most {MOST_BUCKETS:,} are shown: choose a longer window or a shorter span"
            )
        times = tuple(last - step * (count - k) for k in range(count + 1))
        width = window or WINDOW
        samples = tuple(moments(now - width, now, SAMPLES)[:-1])
        borders = tuple(sorted({*times, now - width - 1}))
        return cls(now, width, times, samples, borders)

    @classmethod
    def recent(cls, now: int, window: int | None) -> ReportSpan:
        """The window alone, without a history."""
        width = window or WINDOW
        return cls(now, width, (), tuple(moments(now - width, now, SAMPLES)[:-1]),
                   (now - width - 1,))  # fmt: skip

    @property
    def asked(self) -> list[int]:
        """The moments at which the ends of the logs are needed, beside now."""
        return sorted(t for t in {*self.times, *self.samples} if t < self.now)

    @property
    def begin(self) -> int:
        """The first bucket of ``borders`` that lies in the window."""
        return self.borders.index(self.now - self.window - 1) + 1
