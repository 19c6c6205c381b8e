"""Keeps compacted logs clean (``LogCleaner``, ``LogCleanerManager``).

The broker's loop only chooses the dirtiest log and renames files; the reading and writing is
done by a process per ``log.cleaner.threads``, so that clients never wait for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from pykafka_ops.broker import jobs
from pykafka_ops.broker.runtime.logs.cleaner_process import (
    AbortedError,
    CleanerProcess,
    CleaningError,
    FailedError,
)
from pykafka_ops.broker.state.compaction import Cleanable
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.storage.files import FULL
from pykafka_ops.broker.storage.log.compacted_log import Swap
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.broker.storage.log_manager import LogManager
from pykafka_ops.disk import names
from pykafka_ops.errors import KafkaError
from pykafka_ops.settings.rows import MAX_DOUBLE

if TYPE_CHECKING:  # loaded when there is something to compact
    from pykafka_ops.broker.storage.cleaner.job import CleanedSegment, CompactionReport

log = logging.getLogger("kafka.log.LogCleaner")

SETTINGS = frozenset(
    {
        "log.cleaner.threads",
        "log.cleaner.dedupe.buffer.size",
        "log.cleaner.io.buffer.size",
        "log.cleaner.io.buffer.load.factor",
        "log.cleaner.io.max.bytes.per.second",
        "log.cleaner.backoff.ms",
        "message.max.bytes",
    }
)
"""A change of these starts the cleaner anew, as in Kafka (``ReconfigurableConfigs``)."""

IDLE_SECONDS = 60.0
"""How long a process without work is kept."""

_FIRST_LOOK_SECONDS = 1.0
_MAX_MEMORY = 2**31 - 1
_CLOSED_AT_ONCE = 16

Key = tuple[str, int]
RunInThread = Callable[..., Awaitable[Any]]


class Chosen(NamedTuple):
    """The log to clean next."""

    key: Key
    log: Log
    found: Cleanable


class CleanerFigures:
    """What the cleaner has done of late; ``looked_at`` (ms since 1970) is when it last looked for a
    dirty log, ``dirtiest`` the share of dirt in the one that it chose, ``reports`` those of the
    last compaction of each of its processes."""

    def __init__(self) -> None:
        self.looked_at: int | None = None
        self.dirtiest = 0.0
        self.reports: dict[CleanerProcess, CompactionReport] = {}


class LogCleaner:
    """Cleans the logs of ``logs``. ``clock`` gives ms since 1970, ``run_in_thread(f, ...)`` awaits
    a call in another thread."""

    def __init__(
        self,
        logs: LogManager,
        configs: BrokerConfigs,
        clock: Callable[[], int],
        run_in_thread: RunInThread,
    ) -> None:
        self._logs = logs
        self._configs = configs
        self._clock = clock
        self._run_in_thread = run_in_thread
        self._tasks: list[asyncio.Task[None]] = []
        self._restarting: asyncio.Task[None] | None = None
        self._swaps: set[asyncio.Task[None]] = set()
        self._busy: set[Key] = set()
        self._short: set[Key] = set()
        self.figures = CleanerFigures()
        self.uncleanable: set[Log] = set()
        """Logs that could not be cleaned; not tried again before the next start."""

    def start(self) -> None:
        """Begin to look for dirty logs, unless ``log.cleaner.enable`` is off."""
        if self._configs.value("log.cleaner.enable"):
            self.figures.looked_at = self._clock()
            count: int = self._configs.value("log.cleaner.threads")
            self._tasks = [jobs.start("log cleaner", self._work()) for _ in range(count)]

    async def stop(self) -> None:
        """End the processes; a swap under way is finished first."""
        if self._restarting is not None:
            self._restarting.cancel()
            await asyncio.gather(self._restarting, return_exceptions=True)
        await self._halt()

    async def _halt(self) -> None:
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, *self._swaps, return_exceptions=True)

    def reconfigure(self, changed: frozenset[str]) -> None:
        """Broker settings changed."""
        if self._tasks and changed & SETTINGS:
            self._restarting = jobs.start(
                "restart of the log cleaner", self._restart(self._restarting)
            )

    async def _restart(self, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.gather(before, return_exceptions=True)
        await self._halt()
        self.start()

    # -- choosing ----------------------------------------------------------------------------------

    async def _work(self) -> None:
        """What a cleaner thread of Kafka does."""
        process = CleanerProcess()
        used = time.monotonic()
        try:
            await asyncio.sleep(min(_FIRST_LOOK_SECONDS, self._backoff()))
            while True:
                cleaned = False
                with jobs.logged("log cleaner"):
                    chosen = await self._choose()
                    cleaned = chosen is not None and await self._clean(process, chosen)
                    await self._apply_retention()
                if cleaned:
                    used = time.monotonic()
                    continue
                if time.monotonic() - used > IDLE_SECONDS:
                    await process.kill()
                await asyncio.sleep(self._backoff())
        finally:
            self.figures.reports.pop(process, None)
            await process.kill()

    def _backoff(self) -> float:
        found: int = self._configs.value("log.cleaner.backoff.ms")
        return found / 1000

    def is_busy(self, topic: str, partition: int) -> bool:
        """Whether a log is compacted right now."""
        return (topic, partition) in self._busy

    def _compacted(self) -> Iterator[Key]:
        """Partitions of compacted topics that are not being cleaned."""
        compacts: dict[str, bool] = {}
        for key in self._logs.served():
            topic = key[0]
            if topic not in compacts:
                compacts[topic] = self._logs.config_of(topic).compacts
            moving = self._logs.moves.under_way(*key)
            if compacts[topic] and key not in self._busy and not moving:
                yield key

    async def _choose(self) -> Chosen | None:
        """The log with the largest share of dirt among those that are due."""
        best: Chosen | None = None
        now = self.figures.looked_at = self._clock()
        for key in list(self._compacted()):
            found = self._look(key, now)
            if found and (best is None or found.found.ratio > best.found.ratio):
                best = found
            await asyncio.sleep(0)
        self.figures.dirtiest = best.found.ratio if best else 0.0
        if best is None or best.key in self._busy or self._logs.get(*best.key) is not best.log:
            return None
        self._busy.add(best.key)
        return best

    def _look(self, key: Key, now: int) -> Chosen | None:
        found = self._logs.get(*key)
        if found is None or found in self.uncleanable:
            return None
        try:
            if not found.is_open and self._is_short(key, found):
                return None
            cleanable = found.compaction.cleanable(now)
        except KafkaError as error:
            log.error("looking at %s: %s", found.place.name, error)
            return None
        except Exception as error:
            self._give_up(found, error)
            return None
        if not cleanable.total_bytes or not cleanable.due(found.config):
            return None
        return Chosen(key, found, cleanable)

    def _is_short(self, key: Key, found: Log) -> bool:
        """Whether a log nobody uses has one segment only; it is not opened for that."""
        if key not in self._short:
            try:
                listed = found.place.home.files.list(found.place.path)
            except OSError as error:
                raise found.place.home.fail(error) from error
            if sum(f.name.endswith(names.LOG_SUFFIX) for f in listed) > 1:
                return False
            self._short.add(key)
        return True

    async def _apply_retention(self) -> None:
        """Compacted logs lose old segments between two compactions, never during one."""
        for key in list(self._compacted()):
            found = self._logs.get(*key)
            if found is None or key in self._busy:
                continue
            deleted = 0
            with jobs.logged(f"retention of {found.place.name}"):
                deleted = found.delete_old_segments(self._clock())
            if deleted:
                log.info("deleted %d segments of %s", deleted, found.place.name)
                await asyncio.sleep(0)

    # -- cleaning ----------------------------------------------------------------------------------

    async def _clean(self, process: CleanerProcess, chosen: Chosen) -> bool:
        """Clean one log; whether that worked. An error concerns only that log or its
        directory alone."""
        found = chosen.log
        try:
            report = await self._compact(process, chosen)
        except KafkaError as error:
            log.error("cleaning %s: %s", found.place.name, error)
            await self._sweep(found)
        except AbortedError as error:
            log.info("aborted cleaning of %s: %s", found.place.name, error)
            await self._sweep(found)
        except CleaningError as error:
            await self._sweep(found)
            self._failed(found, error)
        except asyncio.CancelledError:
            await self._sweep(found)
            raise
        except Exception as error:
            await self._sweep(found)
            self._give_up(found, error)
        else:
            self.figures.reports[process] = report
            _tell(found.place.name, chosen.found, report)
            return True
        finally:
            self._busy.discard(chosen.key)
        return False

    async def _compact(self, process: CleanerProcess, chosen: Chosen) -> CompactionReport:
        found = chosen.log
        compaction, durability = found.compaction, found.durability
        generation = durability.generation
        job = compaction.job(chosen.found, self._clock(), **self._limits())

        def unchanged() -> bool:
            return self._logs.get(*chosen.key) is found and durability.generation == generation

        async def place(cleaned: CleanedSegment) -> bool:
            swap = compaction.put_in_place(cleaned) if unchanged() else None
            if swap is None:
                return False
            task = jobs.start(f"swap in {found.place.name}", self._finish(found, swap))
            self._swaps.add(task)
            task.add_done_callback(self._swaps.discard)
            await asyncio.shield(task)
            return True

        report = await process.run(job, place)
        if unchanged():
            compaction.cleaned_to = report.end_offset
            await self._save(chosen.key)
        return report

    def _limits(self) -> dict[str, Any]:
        get = self._configs.value
        threads = get("log.cleaner.threads")
        rate = get("log.cleaner.io.max.bytes.per.second")
        return {
            "memory": min(get("log.cleaner.dedupe.buffer.size") // threads, _MAX_MEMORY),
            "load": get("log.cleaner.io.buffer.load.factor"),
            "buffer": max(get("log.cleaner.io.buffer.size") // threads // 2, 1 << 10),
            "rate": 0.0 if rate >= MAX_DOUBLE else rate,
        }

    async def _finish(self, found: Log, swap: Swap) -> None:
        """From ``.swap`` to a segment like any other; durable when this returns."""
        for n, gone in enumerate(swap.old, 1):
            gone.close()
            if not n % _CLOSED_AT_ONCE:
                await asyncio.sleep(0)
        await self._run_in_thread(swap.run)
        swap.done()
        try:
            await self._run_in_thread(swap.settle)
        except FileNotFoundError:
            return  # the partition was deleted
        except OSError as error:
            raise found.place.home.fail(error) from error
        delay = found.config.file_delete_delay_ms
        found.place.home.schedule(delay, lambda: found.place.home.submit(swap.removal()))

    async def _save(self, key: Key) -> None:
        data_dir = self._logs.directory_of(key)
        job = None if data_dir is None else data_dir.collect_cleaner_offsets()
        if job is not None:
            await self._run_in_thread(job.run)
            job.done()

    # -- failures ----------------------------------------------------------------------------------

    def _failed(self, found: Log, error: CleaningError) -> None:
        if self._logs.get(*found.place.key) is not found:
            return
        if isinstance(error, FailedError) and error.errno:
            if error.errno in FULL:
                log.warning("cleaning %s: %s; trying again", found.place.name, error)
            else:
                found.place.home.fail(OSError(error.errno or errno.EIO, str(error)))
            return
        log.warning("cannot clean %s, leaving it alone from now on: %s", found.place.name, error)
        self.uncleanable.add(found)

    def _give_up(self, found: Log, error: Exception) -> None:
        """What nobody expected goes wrong with this log: it would again, and again."""
        jobs.failed(f"cleaning of {found.place.name}, which is left alone from now on,", error)
        self.uncleanable.add(found)

    async def _sweep(self, found: Log) -> None:
        """Remove what an unfinished compaction left."""

        def remove() -> None:
            files = found.place.home.files
            for f in files.list(found.place.path):
                if f.name.endswith(names.CLEANED_SUFFIX):
                    files.remove(f"{found.place.path}/{f.name}")

        with contextlib.suppress(OSError):
            await self._run_in_thread(remove)


def _tell(name: str, before: Cleanable, report: CompactionReport) -> None:
    log.info(
        "cleaned %s from offset %d to %d in %.1f s: %d bytes indexed, %d read, %d written, %d keys",
        *(name, before.first_dirty, report.end_offset, report.seconds, report.bytes_indexed),
        *(report.bytes_read, report.bytes_written, report.keys),
    )
    if report.keyless:
        log.warning("found %d records without a key in %s, a compacted topic", report.keyless, name)
