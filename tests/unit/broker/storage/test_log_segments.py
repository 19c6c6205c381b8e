"""Truncation, deletion, retention, flushing, closing of one log."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.storage.files import RealFiles
from pykafka_ops.broker.storage.flush import FlushJob
from pykafka_ops.broker.storage.log import Log
from pykafka_ops.broker.storage.log_dir import Job, LogDir
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.logs import NOW, World, batch_of, values

SIZE = len(batch_of(b"x" * 20))


def filled(batches: int = 10, **config: object) -> World:
    """One record a batch, four batches a segment, ten milliseconds apart."""
    w = World(**{"segment_bytes": 4 * SIZE, "index_interval_bytes": SIZE, **config})
    for n in range(batches):
        w.append(b"x" * 20, timestamp=NOW + 10 * n, epoch=n // 3)
    w.log.high_watermark = batches
    return w


def bases(world: World) -> list[int]:
    return [s.base_offset for s in world.log.segments]


def names(world: World) -> set[str]:
    return {n.rsplit("/", 1)[1] for n in world.files.inodes}


# -- leader epochs ---------------------------------------------------------------------------------


def test_an_epoch_is_stored_with_a_flush_or_at_the_end_and_batches_tell_it_until_then() -> None:
    w = World()
    checkpoint = "leader-epoch-checkpoint"
    w.log.assign_epoch(0, 0)
    w.append(b"a", epoch=0)
    assert checkpoint not in names(w)
    w.reopen()
    assert w.log.epoch_entries() == [(0, 0)]
    w.log.assign_epoch(4, 1)
    w.log.flush()
    assert w.files.read(f"{w.log.directory}/{checkpoint}") == b"0\n2\n0 0\n4 1\n"
    w.log.assign_epoch(5, 1)
    w.log.close()
    assert w.files.read(f"{w.log.directory}/{checkpoint}") == b"0\n2\n0 0\n5 1\n"


# -- truncation ------------------------------------------------------------------------------------


def test_truncation_drops_what_lies_above() -> None:
    w = filled()
    assert not w.log.truncate_to(10)
    assert w.log.truncate_to(6)
    assert (w.log.log_end_offset, w.log.high_watermark, bases(w)) == (6, 6, [0, 4])
    assert [o for o, _ in values(w.log)] == [0, 1, 2, 3, 4, 5]
    assert w.log.epoch_entries() == [(0, 0), (1, 3)]
    assert w.append(b"y", epoch=9).first_offset == 6
    assert w.log.recovery_point <= 6
    with pytest.raises(ValueError, match="negative"):
        w.log.truncate_to(-1)


def test_truncation_takes_the_whole_batch_that_holds_the_offset() -> None:
    w = World()
    w.append(b"a", b"b", b"c")
    w.log.truncate_to(1)
    assert (w.log.log_end_offset, w.log.size) == (1, 0)


def test_truncation_below_the_first_segment_starts_over_there() -> None:
    w = filled()
    w.log.delete_records(9)
    w.log.delete_old_segments(w.now)
    assert bases(w) == [8]
    assert w.log.truncate_to(3)
    assert (w.log.log_start_offset, w.log.log_end_offset, bases(w)) == (3, 3, [3])


def test_truncation_drops_epochs_without_records_even_if_it_drops_nothing_else() -> None:
    w = filled()
    w.log.assign_epoch(7, 10)
    assert not w.log.truncate_to(10)
    assert w.log.latest_epoch == 3


def test_full_truncation_starts_empty_at_any_offset() -> None:
    w = filled(file_delete_delay_ms=0)
    w.log.truncate_fully(100, log_start=90)
    assert (w.log.log_start_offset, w.log.log_end_offset, w.log.high_watermark) == (90, 100, 100)
    assert w.log.epoch_entries() == []
    assert len([n for n in names(w) if n.endswith(".log")]) == 1
    assert w.append(b"a").first_offset == 100


def test_truncation_forgets_what_producers_wrote_there() -> None:
    w = World()
    ids = {"producer_id": 1, "producer_epoch": 0}
    w.append(b"a", base_sequence=0, transactional=True, **ids)
    w.append(b"b", base_sequence=1, transactional=True, **ids)
    w.end_txn(1, commit=False)
    w.log.truncate_to(1)
    assert w.log.producers.has_ongoing(1)
    assert w.log.segments[0].aborted() == []
    assert w.append(b"b", base_sequence=1, transactional=True, **ids).first_offset == 1


# -- deletion --------------------------------------------------------------------------------------


def test_deleted_records_can_not_be_read_and_their_segments_go() -> None:
    w = filled(file_delete_delay_ms=0)
    assert w.log.delete_records(5) == 5
    assert w.log.delete_records(3) == 5
    assert (w.log.log_start_offset, bases(w), w.log.start_checkpoint) == (5, [0, 4, 8], 5)
    assert w.log.delete_old_segments(w.now) == 1
    assert (bases(w), w.log.start_checkpoint) == ([4, 8], 5)
    assert w.log.epoch_entries()[0] == (1, 5)
    assert w.log.delete_records(-1) == 10
    assert w.log.delete_old_segments(w.now) == 1
    assert not any(n.startswith("00000000000000000000.") for n in names(w))
    for offset in (11, -2):
        with pytest.raises(KafkaError) as caught:
            w.log.delete_records(offset)
        assert caught.value.code == ErrorCode.OFFSET_OUT_OF_RANGE


def test_old_segments_go_by_time() -> None:
    w = filled(retention_ms=100)
    assert w.log.delete_old_segments(NOW + 130) == 0
    assert w.log.delete_old_segments(NOW + 131) == 1
    assert (bases(w), w.log.log_start_offset, w.log.start_checkpoint) == ([4, 8], 4, None)


def test_all_segments_may_expire_and_an_empty_one_follows() -> None:
    w = filled(retention_ms=100, file_delete_delay_ms=0)
    assert w.log.delete_old_segments(NOW + 10_000) == 3
    assert (bases(w), w.log.log_start_offset, w.log.log_end_offset) == ([10], 10, 10)
    assert w.log.delete_old_segments(NOW + 20_000) == 0
    assert w.append(b"a").first_offset == 10


def test_segments_without_timestamps_expire_by_the_files_time() -> None:
    w = World(retention_ms=100)
    w.append(b"a", timestamp=-1)
    w.log.high_watermark = 1
    w.log.close()
    w.reopen(clean=True, high_watermark=1)
    assert w.log.delete_old_segments(NOW + 100) == 0
    assert w.log.delete_old_segments(NOW + 101) == 1


def test_a_log_nobody_uses_is_not_opened_before_something_is_due() -> None:
    w = filled(retention_ms=100, file_delete_delay_ms=0)
    w.log.close()
    w.reopen(clean=True, high_watermark=10)
    assert w.log.delete_old_segments(NOW + 130) == 0
    assert not w.log.is_open
    w.files.fail("list")  # what was found is remembered
    assert w.log.delete_old_segments(NOW + 130) == 0
    w.files.crash()
    assert w.log.delete_old_segments(NOW + 131) == 1
    empty = World(retention_ms=1, retention_bytes=0)
    empty.log.close()
    empty.reopen(clean=True)
    assert empty.log.delete_old_segments(NOW + 10**12) == 0
    assert not empty.log.is_open


def test_old_segments_go_by_size() -> None:
    w = filled(retention_bytes=5 * SIZE)
    assert w.log.delete_old_segments(NOW) == 1
    assert bases(w) == [4, 8]


def test_retention_never_passes_the_high_watermark_nor_touches_compacted_topics() -> None:
    w = World(segment_bytes=4 * SIZE, retention_ms=1, retention_bytes=0)
    for _ in range(10):
        w.append(b"x" * 20)
    w.log.high_watermark = 7
    assert w.log.delete_old_segments(NOW + 10_000) == 1
    w = filled()
    w.log.update_config(type(w.config)(cleanup_policy=frozenset({"compact"}), retention_ms=1))
    assert w.log.delete_old_segments(NOW + 10_000) == 0


def test_deleted_files_stay_a_while_under_another_name() -> None:
    w = filled(retention_ms=100, file_delete_delay_ms=60_000)
    later = []
    w.dir.delete_later = lambda at, action: later.append((at, action))
    w.log.delete_old_segments(NOW + 131)
    gone = {n for n in names(w) if n.endswith(".deleted")}
    assert gone == {f"{0:020d}{s}.deleted" for s in (".log", ".index", ".timeindex")}
    ((at, action),) = later
    assert at == w.dir.settings.timer() + 60_000
    action()
    assert not any(n.endswith(".deleted") for n in names(w))


# -- flushing and closing --------------------------------------------------------------------------


class Queue:
    """Jobs that other threads would run."""

    def __init__(self, world: World) -> None:
        self.jobs: list[Job] = []
        world.dir.submit = self.jobs.append  # type: ignore[method-assign]


def test_the_recovery_point_follows_a_flush_in_the_background() -> None:
    w = World()
    queue = Queue(w)
    w.append(b"a")
    w.log.roll()
    (job,) = queue.jobs
    assert isinstance(job, FlushJob)
    assert w.log.recovery_point == 0
    job.run()
    assert w.log.recovery_point == 0
    job.done()
    assert w.log.recovery_point == 1
    assert w.files.inodes["/data/t-0/00000000000000000000.log"].durable


def test_a_flush_that_was_overtaken_by_a_truncation_does_not_count() -> None:
    w = World()
    queue = Queue(w)
    w.append(b"a")
    w.append(b"b")
    w.log.roll()
    (job,) = queue.jobs
    w.log.truncate_to(1)
    w.append(b"c")
    w.append(b"d")
    job.run()
    job.done()
    assert w.log.recovery_point == 0


def test_a_failed_sync_is_the_end_of_the_directory() -> None:
    w = World()
    w.append(b"a")
    w.files.fail_next_sync(errno.ENOSPC)
    with pytest.raises(KafkaError) as caught:
        w.log.flush()
    assert caught.value.code == ErrorCode.KAFKA_STORAGE_ERROR
    assert (w.dir.online, w.log.recovery_point) == (False, 0)


def test_a_closed_log_is_complete_on_disk_and_refuses_work() -> None:
    w = filled()
    w.log.close()
    w.log.close()
    for inode in w.files.inodes.values():
        assert inode.durable is not None and inode.durable == bytes(inode.data)
    with pytest.raises(KafkaError):
        w.append(b"a")
    w.reopen(clean=True)
    assert not w.log.is_open
    assert (w.log.log_end_offset, w.log.is_open) == (10, False)
    assert (w.log.log_start_offset, w.log.is_open) == (0, True)
    assert w.log.epoch_entries() == [(0, 0), (1, 3), (2, 6), (3, 9)]


def test_opening_a_log_whose_end_is_torn_repairs_it() -> None:
    w = filled()
    w.log.close()
    w.files.inodes["/data/t-0/00000000000000000008.log"].data += b"torn"
    w.reopen(clean=True)
    assert [o for o, _ in values(w.log)] == list(range(10))
    assert w.append(b"a").first_offset == 10
    assert values(w.log, 10) == [(10, b"a")]


def test_the_topic_id_is_stored_once() -> None:
    w = World()
    w.log.assign_topic_id(bytes(15) + b"\1")
    w.log.assign_topic_id(bytes(15) + b"\1")
    with pytest.raises(KafkaError) as caught:
        w.log.assign_topic_id(bytes(15) + b"\2")
    assert caught.value.code == ErrorCode.INCONSISTENT_TOPIC_ID
    w.log.close()
    w.reopen(clean=True)
    w.log.open()
    assert w.log.topic_id == bytes(15) + b"\1"
    w.files.inodes["/data/t-0/partition.metadata"].data = bytearray(b"")
    w.reopen(clean=True)
    w.log.open()
    assert w.log.topic_id is None


def test_a_clean_stop_writes_no_snapshot_for_a_log_without_producers() -> None:
    w = World()
    w.append(b"a")
    w.log.close()
    assert not [f for f in w.files.list("/data/t-0") if f.name.endswith(".snapshot")]
    assert w.reopen(clean=True).producers.end_offset == 1
    w.append(b"b", producer_id=7, producer_epoch=0, base_sequence=0)
    w.log.close()
    assert [f.name for f in w.files.list("/data/t-0") if f.name.endswith(".snapshot")] == [
        f"{2:020}.snapshot"
    ]
    log = w.reopen(clean=True)
    log.open()
    assert [entry.producer_id for entry in log.producers.entries()] == [7]


def test_preallocated_segments_take_and_give_back_their_space(tmp_path: Path) -> None:
    config = TopicConfig(preallocate=True, segment_bytes=1 << 20)
    log = Log.create(LogDir(str(tmp_path), RealFiles()), "t", 0, config)

    def taken() -> list[bool]:
        paths = sorted((tmp_path / "t-0").glob("*.log"))
        return [p.stat().st_blocks * 512 >= 1 << 20 for p in paths]

    log.append_as_leader(batch_of(b"a"), leader_epoch=0, now=NOW)
    assert taken() == [True]
    log.roll()
    assert taken() == [False, True]
    log.append_as_leader(batch_of(b"b"), leader_epoch=0, now=NOW)
    log.close()
    assert taken() == [False, False]
    again = Log(LogDir(str(tmp_path), RealFiles()), "t", 0, config)
    assert values(again) == [(0, b"a"), (1, b"b")]


def test_the_time_index_of_a_closed_segment_is_durable_though_its_records_were_before() -> None:
    w = World(flush_messages=1, segment_bytes=4 * SIZE)
    for n in range(5):
        w.append(b"x" * 20, timestamp=NOW + n)
    name = "/data/t-0/00000000000000000000.timeindex"
    inode = w.files.inodes[name]
    assert inode.data
    assert bytes(inode.data) == inode.durable
