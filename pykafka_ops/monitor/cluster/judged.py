"""What a round found out about the partitions of a large group, kept in few bytes."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from math import isnan, nan
from typing import Final

from pykafka_ops.analysis.lag.rows import STATUSES, LagRow

MANY: Final = 500
"""Of a group with more partitions behind than this a round keeps what it found out."""
_BY_NAME: Final = {status: number for number, status in enumerate(STATUSES)}


class JudgedPartitions:
    """Verdicts and seconds behind of the partitions of a group that are not simply read to their
    end, in 13 bytes each."""

    __slots__ = ("_behind", "_numbers", "_statuses", "_topics")

    def __init__(self, rows: Iterable[LagRow]) -> None:
        """``rows`` by topic."""
        self._topics: dict[str, tuple[int, int]] = {}
        self._numbers, self._behind, self._statuses = array("i"), array("d"), bytearray()
        for row in rows:
            first, _ = self._topics.get(row.topic, (len(self._numbers), 0))
            self._numbers.append(row.partition)
            self._behind.append(nan if row.lag_seconds is None else row.lag_seconds)
            self._statuses.append(_BY_NAME[row.status])
            self._topics[row.topic] = first, len(self._numbers)

    def statuses(self, topic: str) -> dict[int, str]:
        """The verdicts of a topic, by partition."""
        first, last = self._topics.get(topic, (0, 0))
        values = (STATUSES[status] for status in self._statuses[first:last])
        return dict(zip(self._numbers[first:last], values, strict=True))

    def behind(self, topic: str) -> dict[int, float | None]:
        """Seconds behind of a topic, by partition; None: not known."""
        first, last = self._topics.get(topic, (0, 0))
        values = (None if isnan(seconds) else seconds for seconds in self._behind[first:last])
        return dict(zip(self._numbers[first:last], values, strict=True))
