"""The end of a log: what every append and every small read touches."""

from __future__ import annotations

from pykafka_ops.broker.hot.heads import TailHead
from pykafka_ops.broker.hot.quick import QUICK_BYTES
from pykafka_ops.broker.hot.raw import PLACES
from pykafka_ops.broker.state.configs.topic import MAX_LONG, TopicConfig
from pykafka_ops.broker.state.producers import Producers
from pykafka_ops.broker.storage.segment import Segment

UNKNOWN = -1
"""An offset that only the files tell."""

ALWAYS = -2
"""Below every timestamp: the next append looks closely whether the segment is due."""


class Tail(TailHead):
    """Offsets of a log, and where its next batch goes.

    ``start``, ``end`` and ``high_watermark`` are ``UNKNOWN`` until the files were looked at, or a
    checkpoint says. ``first_unstable`` is the first offset of the oldest transaction that is not
    decided and replicated, -1 without one. Everything below ``owed`` must be durable before anybody
    hears of it (``flush.messages``; -1: nothing). ``active`` is the segment that is appended to,
    None while the log is not open.

    A batch with a timestamp (ms) above ``roll_after`` looks closely whether the segment is due;
    one of up to ``usual_bytes`` needs no check or rewrite that only some topics ask for, and none
    that takes long; one of up to ``own_bytes`` that the broker made itself needs neither.
    At ``look_at`` (ms) the segment is looked at again, whether it is still there.
    ``offsets`` and ``positions`` tell where the last batches begin in the active segment.
    """

    __slots__ = ()

    producers: Producers
    active: Segment | None

    def __init__(self, producers: Producers, config: TopicConfig) -> None:
        self.producers = producers
        self.start = self.end = self.high_watermark = UNKNOWN
        self.look_at = 0
        self.first_unstable = self.owed = self.latest_epoch = -1
        self.active = None
        self.offsets = []
        self.positions = []
        self.configure(config)

    def configure(self, config: TopicConfig) -> None:
        """Use these topic settings from now on."""
        unusual = (
            config.compacts
            or config.log_append_time
            or config.compression_type != "producer"
            or min(config.before_max_ms, config.after_max_ms, config.flush_messages) < MAX_LONG
        )
        self.segment_bytes = config.segment_bytes
        self.own_bytes = config.own_bytes
        self.usual_bytes = (
            -1 if unusual else min(config.max_message_bytes, config.segment_bytes, QUICK_BYTES)
        )
        self.roll_after = ALWAYS

    def begin(self, segment: Segment) -> None:
        """Append to this segment from now on, at its end."""
        self.active = segment
        self.roll_after = ALWAYS
        self.forget_places()

    def close(self) -> None:
        """Nothing can be appended until :meth:`begin`."""
        self.active = None
        self.forget_places()

    # -- where batches stand -----------------------------------------------------------------------

    def remember(self, offset: int, position: int) -> None:
        """The batch that begins at ``offset`` stands at ``position`` of the active segment."""
        self.offsets.append(offset)
        self.positions.append(position)
        if len(self.offsets) > PLACES:
            self.trim()

    def trim(self) -> None:
        """Forget the older half of the places."""
        del self.offsets[: PLACES // 2], self.positions[: PLACES // 2]

    def forget_places(self) -> None:
        """The batches are not where they were."""
        self.offsets.clear()
        self.positions.clear()

    # -- offsets -----------------------------------------------------------------------------------

    def move_high_watermark(self, offset: int) -> None:
        """Set the high watermark, within the log; transactions below it are replicated."""
        self.high_watermark = hw = max(min(offset, self.end), self.start, 0)
        if self.first_unstable >= 0:
            self.producers.on_high_watermark(hw)
            self.first_unstable = self.producers.first_unstable_offset

    @property
    def last_stable(self) -> int:
        """Offset below which every transaction is decided and replicated."""
        unstable = self.first_unstable
        if unstable < 0 or unstable >= self.high_watermark:
            return self.high_watermark
        return max(unstable, self.start)
