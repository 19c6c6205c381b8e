"""The answer to a Produce request that went well, for one partition of a topic with CreateTime.

Nothing is declined here; an answer with an error is the handler's.
"""

from __future__ import annotations

from struct import Struct

import pykafka_ops.broker.hot.raw as at

_ALL_NUMBERS = 3


class ProduceReply:
    """Answers that differ in correlation id, partition and ``numbers`` numbers: base offset, append
    time, and in newer versions log start offset. ``frame`` is one of them, its partition stands at
    ``place``, and behind it error code and numbers."""

    __slots__ = ("_frame", "_numbers", "_pack", "_parts", "_place")

    def __init__(self, frame: bytes, place: int, numbers: int) -> None:
        self._frame = frame
        self._place = place
        self._numbers = numbers
        before, after = frame[8:place], frame[place + 6 + 8 * numbers :]
        self._parts = frame[:4], before, after
        self._pack = Struct(f">4si{len(before)}sih{'q' * numbers}{len(after)}s").pack

    def pack(self, correlation_id: int, index: int, base_offset: int, log_start: int) -> bytes:
        """The whole frame."""
        if at.COMPILED:
            return at.reply(
                self._frame, self._place, self._numbers, correlation_id, index, base_offset,
                log_start,
            )  # fmt: skip
        length, before, after = self._parts
        if self._numbers == _ALL_NUMBERS:
            return self._pack(
                length, correlation_id, before, index, 0, base_offset, at.CREATE_TIME, log_start,
                after,
            )  # fmt: skip
        return self.pack_any(correlation_id, index, (base_offset, at.CREATE_TIME, log_start))

    def pack_any(self, correlation_id: int, index: int, numbers: tuple[int, int, int]) -> bytes:
        """The same for a topic with another append time."""
        length, before, after = self._parts
        return self._pack(
            length, correlation_id, before, index, 0, *numbers[: self._numbers], after
        )
