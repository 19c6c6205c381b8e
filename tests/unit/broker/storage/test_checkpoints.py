"""No checkpoint says of a log what was true of another, or of more of it than is left."""

from __future__ import annotations

import errno
from collections.abc import Iterator

import pytest

from pykafka_ops.broker.storage.checkpoints import Checkpoint, RecoveryPoints
from pykafka_ops.broker.storage.log_home import LogHome
from pykafka_ops.disk.checkpoint import parse_offsets
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.files import MemoryFiles
from tests.support.memory.storage_site import Site, append, text

KEY = ("t", 0)
POINTS = "recovery-point-offset-checkpoint"
STARTS = "log-start-offset-checkpoint"
MARKS = "replication-offset-checkpoint"


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site(dirs=("/a",))
    yield site
    site.kill()


def filled(site: Site, records: int) -> None:
    """A partition of so many records that was closed well."""
    log = site.start().create(*KEY)
    for _ in range(records):
        append(log, b"x")
    site.logs.close()


def test_what_follows_a_cut_is_not_taken_for_durable_after_a_crash(site: Site) -> None:
    filled(site, 5)
    log = site.start().get(*KEY)
    assert log is not None
    log.truncate_to(3)
    append(log, b"x")
    append(log, b"x")
    assert parse_offsets(text(site, f"/a/{POINTS}"), POINTS) == {KEY: 3}
    site.kill()
    again = site.start().get(*KEY)
    assert again is not None
    assert (again.log_end_offset, again.durability.recovery_point) == (5, 3)


def test_a_log_under_an_old_name_begins_undurable(site: Site) -> None:
    filled(site, 5)
    logs = site.start()
    logs.delete(*KEY)
    append(logs.create(*KEY), b"x")
    site.kill()
    again = site.start().get(*KEY)
    assert again is not None
    assert (again.log_end_offset, again.durability.recovery_point) == (1, 0)


def test_nothing_is_appended_while_the_checkpoint_cannot_be_written(site: Site) -> None:
    filled(site, 2)
    log = site.start().get(*KEY)
    assert log is not None
    log.truncate_to(1)
    site.memory.fail("write", error=errno.EIO, match=POINTS)
    with pytest.raises(KafkaError) as caught:
        append(log, b"x")
    assert caught.value.code == ErrorCode.KAFKA_STORAGE_ERROR


def test_a_checkpoint_that_is_overtaken_is_not_written_any_more() -> None:
    log_dir = LogHome("/a", MemoryFiles())
    log_dir.files.make_directory("/a")
    points = RecoveryPoints(log_dir, POINTS)
    late = points.job({KEY: 9})
    assert late is not None
    assert points.job({KEY: 10}) is None, "one at a time"
    assert points.claims_more(KEY, 8), "it may be written any moment"
    points.write_now({KEY: 3})
    late.run()
    late.done()
    assert parse_offsets(log_dir.files.read(f"/a/{POINTS}").decode(), POINTS) == {KEY: 3}
    assert not points.claims_more(KEY, 3)
    assert points.job({KEY: 3}) is None, "the file says so"


def test_what_has_not_changed_is_not_written() -> None:
    log_dir = LogHome("/a", MemoryFiles())
    log_dir.files.make_directory("/a")
    starts = Checkpoint(log_dir, STARTS)
    job = starts.job({})
    assert job is not None
    job.run()
    job.done()
    assert starts.job({}) is None
    assert starts.job({KEY: 1}) is not None


def test_what_was_wanted_while_the_file_was_written_follows_at_once() -> None:
    log_dir = LogHome("/a", MemoryFiles())
    log_dir.files.make_directory("/a")
    offsets = {KEY: 1}
    marks = Checkpoint(log_dir, MARKS, lambda: marks.job(offsets))
    first = marks.job(offsets)
    assert first is not None
    offsets[KEY] = 2
    assert marks.job(offsets) is None
    offsets[KEY] = 3
    first.run()
    assert parse_offsets(log_dir.files.read(f"/a/{MARKS}").decode(), MARKS) == {KEY: 1}
    first.done()
    assert parse_offsets(log_dir.files.read(f"/a/{MARKS}").decode(), MARKS) == {KEY: 3}
    assert marks.job(offsets) is None


def test_a_full_disk_ends_what_follows() -> None:
    files = MemoryFiles()
    files.make_directory("/a")
    points = RecoveryPoints(LogHome("/a", files), POINTS, lambda: points.job({KEY: 2}))
    first = points.job({KEY: 1})
    assert first is not None
    points.job({KEY: 2})
    files.capacity = files.used
    first.run()
    first.done()
    assert points.claims_more(KEY, 1), "it may have been written"
    files.capacity = None
    again = points.job({KEY: 2})
    assert again is not None
    again.run()
    again.done()
    assert parse_offsets(files.read(f"/a/{POINTS}").decode(), POINTS) == {KEY: 2}
    assert not points.claims_more(KEY, 2)


def test_a_topic_made_anew_does_not_inherit_the_start_that_is_being_written(site: Site) -> None:
    filled(site, 5)
    logs = site.start()
    log = logs.get(*KEY)
    assert log is not None
    log.raise_high_watermark(5)
    log.raise_log_start(3)
    logs.checkpoint()
    assert parse_offsets(text(site, f"/a/{STARTS}"), STARTS) == {KEY: 3}
    append(logs.create("u", 0), b"x")
    log.raise_log_start(4)
    (data_dir,) = logs.dirs
    late = data_dir.collect_start_offsets()
    assert late is not None
    logs.delete(*KEY)
    late.run()
    late.done()
    assert parse_offsets(text(site, f"/a/{STARTS}"), STARTS) == {}
