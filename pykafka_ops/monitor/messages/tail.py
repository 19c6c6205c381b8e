"""Follows a topic: what is written from now on, at a bounded rate; what is left out is counted."""

from __future__ import annotations

from typing import Final, NamedTuple

from pykafka_ops.client.offsets import LATEST, list_offsets
from pykafka_ops.client.read_bounds import OffsetSpan
from pykafka_ops.errors import PkoError
from pykafka_ops.monitor.messages.budget import Allowance
from pykafka_ops.monitor.messages.search import RecordSearch, error_text
from pykafka_ops.monitor.messages.shown import ShownRecord

ROUND: Final = Allowance(seconds=5.0, read_bytes=8 << 20, records=5_000, kept_bytes=4 << 20)
"""What one round may cost."""
MOST_SHOWN: Final = 50
"""Records that a round shows."""
MOST_BEHIND: Final = 5_000
"""Offsets of a partition that are caught up; of more the oldest are passed over."""


class TailRound(NamedTuple):
    """What came: the records, the oldest first; ``dropped``: others that match; ``skipped``:
    offsets that were not looked at; ``errors`` by partition."""

    records: list[ShownRecord]
    looked: int
    dropped: int
    skipped: int
    errors: dict[int, str]


class TopicTail:
    """Where following stands; ``search`` makes the search of a round (forwards)."""

    def __init__(self) -> None:
        self._at: dict[int, int] = {}

    def round(self, search: RecordSearch) -> TailRound:
        """What was written since the last round; the first one finds the ends. Raises as
        ``RecordSearch.run``."""
        places = [(search.topic, n) for n in search.partitions()]
        committed = not search.query.uncommitted
        ends = list_offsets(search.cluster, dict.fromkeys(places, LATEST), read_committed=committed)
        errors: dict[int, str] = {}
        spans: dict[int, OffsetSpan | PkoError] = {}
        skipped = 0
        for (_, number), end in ends.items():
            if isinstance(end, PkoError):
                errors[number] = error_text(end)
                continue
            at = self._at.setdefault(number, end.offset)
            if at > end.offset:  # the topic was made anew
                at = 0
            first = max(at, end.offset - MOST_BEHIND)
            skipped += first - at
            self._at[number] = first
            if first < end.offset:
                spans[number] = OffsetSpan(first, end.offset)
        return self._read(search, spans, errors, skipped)

    def _read(
        self, search: RecordSearch, spans: dict[int, OffsetSpan | PkoError], errors: dict[int, str],
        skipped: int,
    ) -> TailRound:  # fmt: skip
        lanes = search.lanes(spans, MOST_BEHIND)
        found: list[ShownRecord] = []
        while any(lane.ask() is not None for lane in lanes) and not search.budget.spent():
            search.refill(lanes)
            for lane in lanes:
                found += lane.found
                lane.found.clear()
        for lane in lanes:
            left = lane.left()
            self._at[lane.partition] = lane.high if left is None else left.low
            if lane.error or lane.faults:
                errors[lane.partition] = lane.error or lane.faults[0]
        found.sort(key=lambda record: record.timestamp)
        shown = found[-MOST_SHOWN:]
        return TailRound(shown, search.budget.records, len(found) - len(shown), skipped, errors)
