"""What a log is made of."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from pykafka_ops.broker.state.producers import Producers
from pykafka_ops.broker.storage.log.durability import Durability
from pykafka_ops.broker.storage.log.leader_epochs import LeaderEpochs
from pykafka_ops.broker.storage.log.partition_dir import PartitionDir
from pykafka_ops.broker.storage.log.producer_states import ProducerStates
from pykafka_ops.broker.storage.log.segment_list import SegmentList
from pykafka_ops.broker.storage.log.tail import UNKNOWN, Tail
from pykafka_ops.broker.storage.strangers import make_room
from pykafka_ops.errors import KafkaError


class Checkpointed(NamedTuple):
    """Offsets of a log that are known before it is opened, -1 if not: ``end_offset`` is what a
    clean stop or a recovery left; the log is opened to find it out. One that is not ``settled`` is
    recovered then."""

    end_offset: int = UNKNOWN
    recovery_point: int = 0
    start_offset: int = 0
    high_watermark: int = UNKNOWN
    settled: bool = True


class LogParts:
    """The parts of one log, for what works on several of them.

    ``start_checkpoint`` and ``watermark_checkpoint`` are what opening the log may rely on: offsets
    that the checkpoint files had, or the log itself until it had to be opened again.
    """

    __slots__ = (
        "durability",
        "epochs",
        "place",
        "producers",
        "segments",
        "settled",
        "start_checkpoint",
        "tail",
        "watermark_checkpoint",
    )

    def __init__(self, place: PartitionDir, known: Checkpointed) -> None:
        settings = place.home.settings
        producers = Producers(
            place.name, verify=settings.verify_transactions, room=settings.producer_room
        )
        self.place = place
        self.tail = Tail(producers, place.config)
        self.segments = SegmentList(place)
        self.epochs = LeaderEpochs(place, self.tail)
        self.producers = ProducerStates(place, self.tail)
        self.durability = Durability(place, self.tail, self.segments, self.epochs, self.producers)
        self.durability.recovery_point = known.recovery_point
        self.settled = known.settled
        self.start_checkpoint = known.start_offset
        self.watermark_checkpoint = known.high_watermark
        self.tail.end = known.end_offset
        if known.high_watermark >= 0 and known.end_offset >= 0:
            self.tail.high_watermark = min(known.high_watermark, known.end_offset)

    @property
    def is_open(self) -> bool:
        """Whether the files were looked at."""
        return self.tail.active is not None

    def create(self) -> None:
        """Make the files of a log without records.

        Raises KafkaError KAFKA_STORAGE_ERROR; then no directory is left behind.
        """
        place, home = self.place, self.place.home
        home.check()
        with place.disk_errors():
            try:
                home.files.make_directory(place.path)
            except FileExistsError:
                make_room(home.files, place.path)
            home.names_changed()
            try:
                self.segments.fill([self.segments.create(0, home.settings.clock())])
                place.write_topic_id()
            except (OSError, KafkaError):
                with suppress(OSError):
                    home.files.remove_tree(place.path)
                raise
        self.tail.start = self.tail.end = self.tail.high_watermark = 0
        self.tail.begin(self.segments.active)

    def forget(self) -> None:
        """Drop what was read from the files: the next use opens the log again."""
        self.segments.close()
        self.segments.fill([])
        self.tail.close()
