"""Which log the cleaner takes, and what it does when a compaction goes wrong."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from pykafka_ops.broker.runtime.logs import cleaner as module
from pykafka_ops.broker.runtime.logs.cleaner import LogCleaner
from pykafka_ops.broker.runtime.logs.cleaner_process import CleaningError, FailedError, Place
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.storage.cleaner.clean import Compaction
from pykafka_ops.broker.storage.cleaner.job import CleanedSegment, CompactionJob, CompactionReport
from pykafka_ops.broker.storage.log.compacted_log import CompactedLog
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.broker.storage.log_manager import LogManager
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import CorruptIndexError
from tests.support.memory.compaction import records
from tests.support.memory.files import MemoryFiles
from tests.support.memory.logs import NOW

CONFIG = TopicConfig(
    cleanup_policy=frozenset({"compact"}), segment_bytes=500, file_delete_delay_ms=0
)
Before = Callable[["Site"], None]


class FakeProcess:
    """Cleans in this process; ``site.before`` acts as what happens meanwhile."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.killed = False

    async def run(self, job: CompactionJob, place: Place) -> CompactionReport:
        self.site.jobs.append(job.directory)
        segments: list[CleanedSegment] = []
        report = Compaction(self.site.files, job, segments.append).run()
        self.site.before(self.site)
        for segment in segments:
            if not await place(segment):
                raise module.AbortedError("the log has changed")
        return report

    async def kill(self) -> None:
        self.killed = True


class Site:
    """Two compacted partitions in memory, and a cleaner over them."""

    def __init__(self, **settings: str) -> None:
        self.files = MemoryFiles()
        self.files.now = self.now = NOW
        self.jobs: list[str] = []
        self.before: Before = lambda _: None
        self.logs = LogManager(
            ["/a", "/b"],
            broker_id=0,
            cluster_id="c",
            config_of=lambda _: CONFIG,
            files=self.files,
        )
        self.logs.open(NOW)
        self.configs = BrokerConfigs({"log.cleaner.backoff.ms": "1", **settings})
        self.cleaner = LogCleaner(self.logs, self.configs, lambda: self.now, _at_once)
        self.little, self.much = self.log("t", 0, 1), self.log("t", 1, 40)

    def log(self, topic: str, partition: int, batches: int) -> Log:
        log = self.logs.create(topic, partition)
        self.fill(log, batches)
        return log

    def fill(self, log: Log, batches: int) -> None:
        for n in range(batches):
            record = Record(0, NOW, b"k%d" % (n % 3), b"v" * 100)
            log.append_as_leader(memoryview(build_batch([record])), leader_epoch=0, now=NOW)
        log.raise_high_watermark(log.log_end_offset)

    async def round(self) -> bool:
        """One look, and what follows; whether there was something to clean."""
        chosen = await self.cleaner._choose()
        if chosen is not None:
            await self.cleaner._clean(FakeProcess(self), chosen)  # type: ignore[arg-type]
        return chosen is not None


async def _at_once(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)


def run(awaitable: Awaitable[Any]) -> Any:
    async def main() -> Any:
        return await awaitable

    return asyncio.run(main())


@pytest.fixture
def site() -> Site:
    return Site()


def test_every_dirty_log_is_cleaned_once_and_remembered(site: Site) -> None:
    assert run(site.round())
    assert not run(site.round())
    assert site.much.compaction.cleaned_to == site.much.segments[-1].base_offset
    assert len({key for _, key, _ in records(site.much)}) == 3
    where = site.much.place.home.path
    stored = bytes(site.files.inodes[f"{where}/cleaner-offset-checkpoint"].data)
    assert f"t 1 {site.much.compaction.cleaned_to}" in stored.decode()


def test_what_was_cut_meanwhile_is_left_as_it_is(site: Site) -> None:
    def cut(site: Site) -> None:
        site.much.truncate_to(20)

    site.before = cut
    assert run(site.round())
    found = records(site.much)
    assert [o for o, _, _ in found] == list(range(20))
    assert site.much.compaction.cleaned_to is None
    assert not [p for p in site.files.inodes if p.endswith(".cleaned")]


def test_truncation_makes_what_comes_again_dirty(site: Site) -> None:
    while run(site.round()):
        pass
    site.much.truncate_to(10)
    assert site.much.compaction.cleaned_to == 10


def test_a_log_that_cannot_be_understood_is_left_alone(site: Site) -> None:
    def fail(_: Site) -> None:
        raise FailedError("Record is corrupt", 0)

    site.before = fail
    assert run(site.round())
    assert site.cleaner.uncleanable == {site.much}
    site.jobs.clear()
    while run(site.round()):
        pass
    assert f"{site.much.place.path}" not in site.jobs


def test_a_dead_process_costs_only_the_log_it_cleaned(site: Site) -> None:
    def die(_: Site) -> None:
        raise CleaningError("the cleaner's process ended")

    site.before = die
    before = records(site.much)
    assert run(site.round())
    assert site.cleaner.uncleanable == {site.much}
    assert records(site.much) == before


def test_a_failed_disk_takes_the_directory_offline(site: Site) -> None:
    def fail(_: Site) -> None:
        raise FailedError("Input/output error", errno.EIO)

    site.before = fail
    directory = site.much.place.home.path
    assert run(site.round())
    assert site.logs.offline == [directory]
    assert site.logs.get("t", 1) is None


def test_a_full_disk_is_tried_again(site: Site) -> None:
    def fail(_: Site) -> None:
        raise FailedError("No space left on device", errno.ENOSPC)

    site.before = fail
    assert run(site.round())
    assert site.logs.offline == [] and not site.cleaner.uncleanable
    site.before = lambda _: None
    assert run(site.round())
    assert site.much.compaction.cleaned_to == site.much.segments[-1].base_offset


def test_a_deleted_partition_is_no_failure(site: Site) -> None:
    def delete(site: Site) -> None:
        site.logs.delete("t", 1)

    site.before = delete
    assert run(site.round())
    assert not site.cleaner.uncleanable and site.logs.offline == []


def test_a_log_nobody_uses_with_one_segment_is_not_opened() -> None:
    site = Site()
    site.log("small", 0, 1)
    site.logs.close()
    again = Site.__new__(Site)
    again.files, again.jobs, again.now, again.before = site.files, [], NOW, lambda _: None
    again.logs = LogManager(
        ["/a", "/b"], broker_id=0, cluster_id="c", config_of=lambda _: CONFIG, files=site.files
    )
    again.logs.open(NOW)
    for key in again.logs.partitions():
        again.logs.create(*key)
    again.cleaner = LogCleaner(again.logs, site.configs, lambda: NOW, _at_once)
    while run(again.round()):
        pass
    small, much = again.logs.get("small", 0), again.logs.get("t", 1)
    assert small is not None and much is not None
    assert (small.is_open, much.is_open) == (False, True)


def test_retention_of_compacted_topics_is_the_cleaners() -> None:
    site = Site()
    config = TopicConfig(
        cleanup_policy=frozenset({"compact", "delete"}), segment_bytes=500, retention_bytes=500
    )
    site.much.update_config(config)
    run(site.cleaner._apply_retention())
    assert site.much.log_start_offset > 0
    assert site.little.log_start_offset == 0


def test_the_memory_is_shared_by_the_threads() -> None:
    settings = {"log.cleaner.threads": "4", "log.cleaner.dedupe.buffer.size": "16777216"}
    site = Site(**settings, **{"log.cleaner.io.max.bytes.per.second": "5000"})
    limits = site.cleaner._limits()
    assert limits == {"memory": 1 << 22, "load": 0.9, "buffer": 1 << 16, "rate": 5000.0}
    assert Site().cleaner._limits()["rate"] == 0.0


def test_a_log_that_cannot_be_looked_at_keeps_no_other_from_being_cleaned(
    site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bad = site.log("t", 2, 40)
    look = Log.compaction.fget
    assert look is not None

    def compaction(self: Log) -> CompactedLog:
        if self is bad:
            raise CorruptIndexError("not to be read")
        found: CompactedLog = look(self)
        return found

    monkeypatch.setattr(Log, "compaction", property(compaction))
    assert run(site.round())
    assert site.jobs == [site.much.place.path]
    assert site.cleaner.uncleanable == {bad}
    assert "cleaning of t-2, which is left alone from now on, failed" in caplog.text
    assert not run(site.round())


def test_a_cleaning_that_fails_as_nobody_expected_does_not_end_the_cleaner(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: Site) -> None:
        raise ZeroDivisionError

    site.before = fail
    assert run(site.round())
    assert site.cleaner.uncleanable == {site.much}
    assert "ZeroDivisionError" in caplog.text
    assert not run(site.round())


def test_what_the_cleaner_has_done_of_late_can_be_asked_for(site: Site) -> None:
    figures = site.cleaner.figures
    assert (figures.looked_at, figures.reports) == (None, {})
    assert run(site.round())
    (report,) = figures.reports.values()
    assert report.bytes_written < report.bytes_read
    assert 0.5 < figures.dirtiest <= 1
    site.now += 1000
    while run(site.round()):
        pass
    assert (figures.looked_at, figures.dirtiest) == (NOW + 1000, 0)
