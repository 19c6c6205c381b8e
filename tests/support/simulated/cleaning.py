"""Compacted logs: the cleaner's process, who writes to them, and what must not be lost (I1)."""

from __future__ import annotations

import asyncio
import itertools

from pykafka_ops.broker.runtime.logs.cleaner_process import AbortedError, FailedError, Place
from pykafka_ops.broker.storage.cleaner.clean import Compaction
from pykafka_ops.broker.storage.cleaner.job import CleanedSegment, CompactionJob, CompactionReport
from pykafka_ops.disk.record import Record
from tests.support.simulated.compacted import PARTITIONS, TOPIC
from tests.support.simulated.loop import this_life
from tests.support.simulated.producers import NONE, Idempotent, Producer
from tests.support.simulated.world import World

_KEYS = 12


class SimCleaner:
    """The cleaner's process: it may be far ahead of the broker that puts its segments in place."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def run(self, job: CompactionJob, place: Place) -> CompactionReport:
        """As of ``CleanerProcess``; a log that cannot be cleaned is a bug."""
        life = this_life()
        files = life.files
        assert files is not None
        self._world.watcher.before_cleaning(life)
        segments: list[CleanedSegment] = []
        try:
            report = Compaction(files, job, segments.append).run()
        except FileNotFoundError as error:
            raise FailedError(str(error), 0) from error
        except OSError as error:
            raise FailedError(str(error), error.errno or 0) from error
        self._world.cleaned += len(segments)
        for segment in segments:
            await asyncio.sleep(self._world.draw.random() ** 3)
            if not await place(segment):
                raise AbortedError("the log has changed")
        return report

    async def kill(self) -> None:
        """It ends with the task that runs it."""


class Steady(Idempotent):
    """Writes to few keys in order: of what it wrote the cleaner must leave its last batch."""

    topic = TOPIC

    def count(self) -> int:
        return PARTITIONS

    def key(self, value: bytes) -> bytes:
        return self.name.encode() + value[-1:]


class Keyed(Producer):
    """Writes to few keys, and deletes now and then."""

    topic = TOPIC

    async def work(self) -> None:
        numbers = itertools.count()
        while not self.world.quiet:
            index = self.draw.randrange(PARTITIONS)
            values = [b"%s-%d" % (self.name.encode(), next(numbers)) for _ in range(self.some())]
            records = self._records(values)
            contents = [r.value or b"" for r in records]
            answer = await self.send(TOPIC, index, self.pack(records))
            if answer is None or answer.error_code != NONE:
                await self.pause()
            else:
                self.world.ledger.acknowledge(TOPIC, index, answer.base_offset, contents)
            await asyncio.sleep(self.draw.random() * 0.2)

    def _records(self, values: list[bytes]) -> list[Record]:
        now = self.world.now_ms()
        written = [None if self.draw.random() < 0.1 else value for value in values]
        keys = [b"k%d" % self.draw.randrange(_KEYS) for _ in values]
        return [Record(n, now, keys[n], value, []) for n, value in enumerate(written)]
