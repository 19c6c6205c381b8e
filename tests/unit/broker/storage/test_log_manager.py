"""Data directories: locks, identity, clean and unclean starts, failures, checkpoints."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.storage.data_dir import read_meta
from pykafka_ops.broker.storage.files import RealFiles
from pykafka_ops.broker.storage.log_manager import LogManager
from pykafka_ops.disk.checkpoint import parse_offsets
from pykafka_ops.errors import KafkaError, StorageError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.logs import NOW, batch_of, values
from tests.support.memory.storage_site import TOPIC_ID, Site, append, text
from tests.support.waiting import wait_for


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.kill()


# -- possession ------------------------------------------------------------------------------------


def test_missing_directories_are_made_and_marked_with_the_brokers_identity(site: Site) -> None:
    site.start()
    meta = read_meta(site.files, "/a")
    assert meta is not None
    assert (meta.broker_id, meta.cluster_id, meta.version) == (1, "cluster", 0)
    site.logs.close()
    with pytest.raises(
        StorageError, match=r"Configured broker.id 2 doesn't match stored broker.id 1"
    ):
        site.start(broker_id=2)
    with pytest.raises(StorageError, match="doesn't match stored clusterId cluster"):
        site.start(cluster_id="other")
    site.start()


def test_a_second_broker_is_refused_and_the_first_goes_on(site: Site) -> None:
    first = site.start()
    with pytest.raises(StorageError, match=r"Failed to acquire lock on file .lock in /a"):
        site.start()
    first.close()
    site.start()


def test_a_real_lock_holds_within_and_between_processes(tmp_path: Path) -> None:
    import subprocess
    import sys

    files = RealFiles()
    path = str(tmp_path / ".lock")
    lock = files.lock(path)
    with pytest.raises(BlockingIOError):
        files.lock(path)
    code = (
        "import sys; from pykafka_ops.broker.storage.files import RealFiles\n"
        "try: RealFiles().lock(sys.argv[1])\n"
        "except BlockingIOError: sys.exit(7)"
    )
    assert subprocess.run([sys.executable, "-c", code, path], check=False).returncode == 7
    lock.close()
    assert subprocess.run([sys.executable, "-c", code, path], check=False).returncode == 0
    files.lock(path).close()


def test_duplicate_directories_and_partitions_are_refused() -> None:
    with pytest.raises(StorageError, match="Duplicate log directory found"):
        Site(dirs=("/a", "/a/")).start()
    with pytest.raises(StorageError, match="no directory"):
        Site(dirs=()).start()
    site = Site()
    for path in ("/a/t-0", "/b/t-0"):
        site.memory.make_directory(path)
    with pytest.raises(StorageError, match="Duplicate log directories for t-0"):
        site.start()


def test_an_unreadable_identity_is_refused(site: Site) -> None:
    site.memory.make_directory("/a")
    site.memory.write("/a/meta.properties", b"version=7\nbroker.id=1\n")
    with pytest.raises(StorageError, match=r"meta.properties"):
        site.start()


# -- creating and finding --------------------------------------------------------------------------


def test_new_logs_go_where_fewest_are(site: Site) -> None:
    logs = site.start()
    where = [logs.create("t", n).home.path for n in range(4)]
    assert sorted(where) == ["/a", "/a", "/b", "/b"]
    assert logs.create("u", 0, directory="/b").home.path == "/b"
    assert logs.create("t", 0) is logs.get("t", 0)
    with pytest.raises(KafkaError) as caught:
        logs.create("u", 1, directory="/c")
    assert caught.value.code == ErrorCode.LOG_DIR_NOT_FOUND
    assert logs.get("t", 9) is None
    assert len(logs) == 5


def test_a_topic_id_must_stay_the_same(site: Site) -> None:
    logs = site.start()
    assert logs.create("t", 0, TOPIC_ID).topic_id == TOPIC_ID
    with pytest.raises(KafkaError) as caught:
        logs.create("t", 0, bytes(15) + b"\1")
    assert caught.value.code == ErrorCode.INCONSISTENT_TOPIC_ID
    logs.close()
    log = site.start().get("t", 0)
    assert log is not None
    log.open()
    assert log.topic_id == TOPIC_ID


def test_a_failed_creation_leaves_no_directory(site: Site) -> None:
    logs = site.start()
    site.memory.fail("write", error=errno.ENOSPC, match=".index")
    with pytest.raises(KafkaError):
        logs.create("t", 0)
    assert site.files.directories("/a") == site.files.directories("/b") == []
    assert logs.get("t", 0) is None
    logs.create("t", 0)


# -- stop and start --------------------------------------------------------------------------------


def test_after_a_clean_stop_nothing_is_read_until_it_is_used(site: Site) -> None:
    logs = site.start()
    for n in range(3):
        append(logs.create("t", n, TOPIC_ID), b"a", b"b")
    first = logs.get("t", 0)
    assert first is not None
    first.high_watermark = 2
    logs.close(broker_epoch=42)
    assert text(site, "/a/.kafka_cleanshutdown") == '{"version":0,"brokerEpoch":42}'
    logs = site.start()
    assert not site.files.exists("/a/.kafka_cleanshutdown")
    assert sorted(logs.partitions()) == [("t", 0), ("t", 1), ("t", 2)]
    log = logs.get("t", 0)
    assert log is not None
    assert (log.log_end_offset, log.high_watermark, log.durability.recovery_point) == (2, 2, 2)
    assert not log.is_open
    assert values(log) == [(0, b"a"), (1, b"b")]
    site.memory.fail("list")
    other = logs.get("t", 1)
    assert other is not None and not other.is_open
    site.memory.crash()


def test_a_clean_stop_writes_all_checkpoints(site: Site) -> None:
    site.paths = ("/a",)
    logs = site.start()
    for n in range(3):
        log = logs.create("t", n)
        append(log, b"a")
        append(log, b"b")
        log.high_watermark = n
    logs.get("t", 2).delete_records(1)  # type: ignore[union-attr]
    logs.close()

    def offsets(name: str) -> dict[tuple[str, int], int]:
        return parse_offsets(text(site, f"/a/{name}"))

    assert offsets("recovery-point-offset-checkpoint") == {("t", n): 2 for n in range(3)}
    assert offsets("log-start-offset-checkpoint") == {("t", 2): 1}
    assert offsets("replication-offset-checkpoint") == {("t", n): n for n in range(3)}
    logs = site.start()
    assert logs.get("t", 2).log_start_offset == 1  # type: ignore[union-attr]


def test_after_a_kill_the_logs_are_recovered(site: Site) -> None:
    logs = site.start()
    for n in range(5):
        append(logs.create("t", n), b"a", b"b")
    site.kill()
    torn = next(p for p in site.memory.inodes if p.endswith("/t-3/00000000000000000000.log"))
    site.memory.inodes[torn].data += b"torn"
    logs = site.start()
    for n in range(5):
        log = logs.get("t", n)
        assert log is not None
        assert (log.log_end_offset, log.is_open) == (2, False)
        assert append(log, b"c") == 2
        assert values(log) == [(0, b"a"), (1, b"b"), (2, b"c")]


@pytest.mark.parametrize("looked_up", [False, True])
def test_a_clean_stop_syncs_what_was_recovered_and_not_used(site: Site, looked_up: bool) -> None:
    logs = site.start()
    append(logs.create("t", 0), b"a", b"b")
    site.kill()
    logs = site.start()
    if looked_up:
        assert logs.get("t", 0) is not None
    logs.close()
    site.memory.lose_unsynced()
    logs = site.start()
    assert logs.dirs[0].clean
    log = logs.get("t", 0)
    assert log is not None
    assert (log.log_end_offset, log.durability.recovery_point) == (2, 2)
    assert values(log) == [(0, b"a"), (1, b"b")]


def test_a_kill_right_after_a_clean_start_is_an_unclean_stop(site: Site) -> None:
    logs = site.start()
    append(logs.create("t", 0), b"a")
    logs.close()
    site.start()
    site.kill()
    logs = site.start()
    assert not logs.dirs[0].clean
    assert values(logs.get("t", 0)) == [(0, b"a")]  # type: ignore[arg-type]


def test_a_damaged_checkpoint_costs_time_but_no_data(site: Site) -> None:
    logs = site.start()
    append(logs.create("t", 0), b"a")
    append(logs.create("t", 1), b"a")
    logs.close()
    for path in ("/a", "/b"):
        site.memory.write(f"{path}/recovery-point-offset-checkpoint", b"0\n5\nhalf")
    logs = site.start()
    assert [values(logs.get("t", n)) for n in (0, 1)] == [[(0, b"a")]] * 2  # type: ignore[arg-type]


def test_unknown_directories_are_left_alone(site: Site) -> None:
    for path in ("/a/lost+found", "/a/t-0.0123456789abcdef0123456789abcdef-stray", "/a/x-y"):
        site.memory.make_directory(path)
    logs = site.start()
    assert logs.partitions() == []
    logs.close()
    assert len(site.files.directories("/a")) == 3


# -- time ------------------------------------------------------------------------------------------


def test_checkpoints_are_written_as_time_passes_and_only_if_they_changed(site: Site) -> None:
    site.paths = ("/a",)
    logs = site.start()
    log = logs.create("t", 0)
    append(log, b"a")
    log.high_watermark = 1

    def written(name: str) -> bool:
        return site.files.exists(f"/a/{name}")

    site.pass_time(4_999)
    assert not written("replication-offset-checkpoint")
    site.pass_time(1, lambda: written("replication-offset-checkpoint"))
    log.flush()
    site.pass_time(55_000, lambda: written("recovery-point-offset-checkpoint"))
    assert "t 0 1" in text(site, "/a/recovery-point-offset-checkpoint")
    site.memory.inodes["/a/replication-offset-checkpoint"].modified_ms = 7
    site.pass_time(5_000)
    assert site.files.info("/a/replication-offset-checkpoint").modified_ms == 7


def test_topics_with_flush_ms_are_flushed_in_the_background(site: Site) -> None:
    site.config = TopicConfig(flush_ms=2_000)
    logs = site.start()
    log = logs.create("t", 0)
    append(log, b"a")
    site.pass_time(1_000)
    assert log.durability.recovery_point == 0
    site.pass_time(1_000, lambda: log.durability.recovery_point == 1)


def test_idle_producers_are_forgotten(site: Site) -> None:
    logs = site.start()
    log = logs.create("t", 0)
    data = batch_of(b"a", producer_id=1, producer_epoch=0, base_sequence=0)
    log.append_as_leader(data, leader_epoch=0, now=NOW)
    site.pass_time(600_000)
    assert len(log.producers) == 1
    site.pass_time(86_400_000)
    assert len(log.producers) == 0


def test_config_changes_reach_logs_in_use_and_logs_made_later(site: Site) -> None:
    logs = site.start()
    log = logs.create("t", 0)
    config = TopicConfig(max_message_bytes=10)
    logs.update_config("t", config)
    assert log.config is config
    with pytest.raises(KafkaError):
        append(log, b"a" * 100)


def test_finished_work_asks_to_be_taken_in(tmp_path: Path) -> None:
    rung = []
    logs = LogManager(
        [str(tmp_path / "d")],
        broker_id=1,
        cluster_id="c",
        config_of=lambda _: TopicConfig(),
        wake=lambda: rung.append(1),
    )
    logs.open(NOW)
    log = logs.create("t", 0)
    append(log, b"a")
    log.roll()
    wait_for(lambda: rung, what="the bell")
    logs.tick(NOW)
    assert log.durability.recovery_point == 1
    logs.close()


def test_a_clock_that_is_set_back_delays_nothing_that_waits(site: Site) -> None:
    site.config = TopicConfig(file_delete_delay_ms=1000)
    logs = site.start()
    log = logs.create("t", 0, directory="/a")
    append(log, b"a")
    log.high_watermark = 1
    logs.create("u", 0, directory="/a")
    logs.settings.clock = lambda: NOW - 3_600_000
    logs.delete("u", 0)
    site.pass_time(1000, lambda: site.files.directories("/a") == ["t-0"])
    name = "/a/replication-offset-checkpoint"
    site.pass_time(5000, lambda: site.files.exists(name))
    assert parse_offsets(text(site, name), name)["t", 0] == 1


# -- retention of logs that nobody uses ------------------------------------------------------------


def test_retention_looks_once_at_a_log_that_nobody_uses(site: Site) -> None:
    site.config = TopicConfig(segment_bytes=100, retention_ms=1000)
    logs = site.start()
    log = logs.create("t", 0, directory="/a")
    for n in range(3):
        append(log, b"value %d" % n)
    logs.create("t", 1, directory="/a")
    logs.close()
    logs = site.start()
    data_dir = logs.dirs[0]
    listed: list[str] = []
    whole = site.memory.list
    site.memory.list = lambda path: (listed.append(path), whole(path))[1]  # type: ignore[method-assign,func-returns-value]
    for _ in range(3):
        assert not data_dir.may_expire(("t", 0), site.config, NOW + 1000)
        assert not data_dir.may_expire(("t", 1), site.config, NOW + 1_000_000)
    assert data_dir.may_expire(("t", 0), site.config, NOW + 1001)
    assert listed == ["/a/t-0"], "and an empty one is not looked at"
    assert data_dir.partitions["t", 0] is None, "no log was made for it"
    forever = TopicConfig(segment_bytes=100, retention_ms=-1)
    logs.update_config("t", forever)
    assert not data_dir.may_expire(("t", 0), forever, NOW + 10**12)
    found = logs.get("t", 0)
    assert found is not None
    assert data_dir.may_expire(("t", 0), forever, NOW), "it may be written to from now on"
