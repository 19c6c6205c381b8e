"""Make a partition directory whole again after a crash (``LogLoader``, ``LogSegment.recover``).

Only what may be torn is read: what lies at or after the recovery point, checked batch by batch.
The log is cut at the first damaged batch; indexes are written anew where they differ, producer
snapshots and leader epochs follow. Every step can be interrupted and done again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.state.memory import Account
from pykafka_ops.broker.state.producer_room import ProducerRoom
from pykafka_ops.broker.state.producers import Producers
from pykafka_ops.broker.state.replication.epochs import EpochCache
from pykafka_ops.broker.storage.files import FULL, FileInfo, Files
from pykafka_ops.broker.storage.log_home import StorageSettings
from pykafka_ops.broker.storage.partition_files import (
    epochs_in,
    find_segments,
    read_epochs,
    tidy,
    write_epochs,
)
from pykafka_ops.broker.storage.rebuild import SegmentRebuild
from pykafka_ops.broker.storage.replay import rebuild
from pykafka_ops.broker.storage.segment import Segment
from pykafka_ops.broker.storage.snapshots import Snapshots


class Recovered(NamedTuple):
    """What a directory holds now: the log's end, up to where it is durable, bytes cut off.
    ``stored``: whether a full disk had room for all that was found out."""

    end_offset: int
    recovery_point: int
    truncated: int
    stored: bool = True


class Recovery:
    """One partition directory after an unclean stop.

    ``recovery_point`` is the offset up to which the log is known to be durable, None if nothing is
    known (its files may come from elsewhere), ``start_offset`` the checkpointed log start (0
    without one), ``cleaned_to`` where the part begins that was never compacted.
    """

    def __init__(
        self,
        files: Files,
        directory: str,
        config: TopicConfig,
        *,
        recovery_point: int | None = None,
        start_offset: int = 0,
        cleaned_to: int = 0,
        settings: StorageSettings | None = None,
    ) -> None:
        self.files = files
        self.directory = directory
        self.config = config
        self.recovery_point = recovery_point or 0
        self.is_known = recovery_point is not None
        self.start_offset = start_offset
        self.cleaned_to = cleaned_to
        self.settings = settings or StorageSettings()
        self._stored = True

    def run(self) -> Recovered:
        """Recover; OSError if the disk does not let us."""
        found = tidy(self.files, self.directory, self.config)
        segments = find_segments(self.files, self.directory, self.config, found)
        if len(segments) == 1 and not segments[0].size:
            return self._empty(segments[0])
        try:
            return self._recover(segments, found)
        finally:
            for segment in segments:
                segment.close()

    def _empty(self, segment: Segment) -> Recovered:
        """A partition nobody wrote to: only an index that was preallocated may need care."""
        work = SegmentRebuild(segment)
        work.run()
        self._stored &= work.stored
        end = segment.base_offset
        if end < self.start_offset:
            return self._recover([segment], [])
        return Recovered(end, min(self.recovery_point, end), 0, self._stored)

    def _recover(self, segments: list[Segment], found: Sequence[FileInfo]) -> Recovered:
        files, directory = self.files, self.directory
        stored = read_epochs(files, directory)
        epochs = EpochCache(stored.entries()) if stored else EpochCache()
        snapshots = Snapshots.among(files, directory, found)
        end, cut = self._check_segments(segments, epochs, snapshots)
        if end < self.start_offset or not segments:
            end = self._start_anew(segments, snapshots, epochs)
        elif stored is None:
            epochs = epochs_in(segments)
        epochs.truncate_from_end(end)
        epochs.truncate_from_start(self.start_offset)
        if stored is None or epochs.entries() != stored.entries():
            with self._room():
                write_epochs(files, directory, epochs, sync=False)
        return Recovered(end, min(self.recovery_point, end), cut, self._stored)

    @contextmanager
    def _room(self) -> Iterator[None]:
        """Around what may as well be found out again from the batches: a full disk is no error."""
        try:
            yield
        except OSError as error:
            if error.errno not in FULL:
                raise
            self._stored = False

    def _check_segments(
        self, segments: list[Segment], epochs: EpochCache, snapshots: Snapshots
    ) -> tuple[int, int]:
        """Check from the recovery point on; (the log's end, bytes cut off)."""
        if not segments:
            return 0, 0
        point = self.recovery_point
        first = max((n for n, s in enumerate(segments) if s.base_offset <= point), default=0)
        # Of its own: logs are recovered in several threads.
        room = ProducerRoom(Account(self.settings.producer_room.limit))
        producers = Producers(self.directory, room=room)
        end = segments[first].base_offset
        start = max(self.start_offset, segments[0].base_offset)
        for n in range(first, len(segments)):
            work = SegmentRebuild(segments[n], trusted=point, epochs=epochs)
            if n == first:
                self._load_producers(producers, snapshots, segments, start, work.begins_at)
            work.follow_producers(producers)
            cut = work.run()
            self._stored &= work.stored
            end = work.end_offset
            if cut or self._is_torn_off(segments, n, end):
                for segment in segments[n + 1 :]:
                    cut += segment.size
                    segment.remove()
                    snapshots.remove(segment.base_offset)
                del segments[n + 1 :]
                break
        else:
            cut = 0
        bases = [s.base_offset for s in segments]
        snapshots.remove_stray(bases)
        snapshots.keep_between(start, end)
        producers.end_offset = end
        if snapshots.offsets or not producers.is_empty:
            with self._room():
                snapshots.take(producers)
        return end, cut

    def _is_torn_off(self, segments: Sequence[Segment], n: int, end: int) -> bool:
        """Whether a power cut lost the end of a segment, or all of it, but not those after it.

        In a log that is compacted, or was, offsets are missing and whole segments may be empty;
        not so where it is written to and never was compacted, that is, after a known recovery
        point. Without one everything that is sound is kept, as Kafka does in any case.
        """
        if n + 1 == len(segments) or segments[n + 1].base_offset <= max(end, self.cleaned_to):
            return False
        return not self.config.compacts and self.is_known

    def _load_producers(
        self,
        producers: Producers,
        snapshots: Snapshots,
        segments: Sequence[Segment],
        start: int,
        begin: int,
    ) -> None:
        """The producer state where the check begins."""
        rebuild(
            producers,
            snapshots,
            [s for s in segments if s.base_offset <= begin],
            start=min(start, begin),
            end=begin,
            settings=self.settings,
            now=self.settings.clock(),
        )

    def _start_anew(self, segments: list[Segment], snapshots: Snapshots, epochs: EpochCache) -> int:
        """The log ends before it begins: its files were lost. Begin again, empty."""
        for segment in segments:
            segment.remove()
        snapshots.clear()
        epochs.clear()
        now = self.settings.clock()
        segment = Segment.create(self.files, self.directory, self.start_offset, self.config, now)
        segments[:] = [segment]
        return self.start_offset
