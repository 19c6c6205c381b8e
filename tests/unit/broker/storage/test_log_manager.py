"""All logs of a broker: made, found, deleted, recovered, and lost with their directory."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.storage.log_manager import LogManager
from pykafka_ops.errors import KafkaError, StorageError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.logs import NOW, values
from tests.support.memory.storage_site import TOPIC_ID, Site, append, text
from tests.support.waiting import wait_for


def test_duplicate_directories_and_partitions_are_refused() -> None:
    with pytest.raises(StorageError, match="Duplicate log directory found"):
        Site(dirs=("/a", "/a/")).start()
    with pytest.raises(StorageError, match="no directory"):
        Site(dirs=()).start()
    site = Site()
    for path in ("/a/t-0", "/b/t-0"):
        site.memory.make_directory(path)
        site.memory.write(f"{path}/{0:020d}.log", b"")
    with pytest.raises(StorageError, match="Duplicate log directories for t-0"):
        site.start()


def test_new_logs_go_where_fewest_are(site: Site) -> None:
    logs = site.start()
    where = [logs.create("t", n).place.home.path for n in range(4)]
    assert sorted(where) == ["/a", "/a", "/b", "/b"]
    assert logs.create("u", 0, directory="/b").place.home.path == "/b"
    assert logs.create("t", 0) is logs.get("t", 0)
    with pytest.raises(KafkaError) as caught:
        logs.create("u", 1, directory="/c")
    assert caught.value.code == ErrorCode.LOG_DIR_NOT_FOUND
    assert logs.get("t", 9) is None
    assert len(logs) == 5


def test_a_topic_id_must_stay_the_same(site: Site) -> None:
    logs = site.start()
    assert logs.create("t", 0, TOPIC_ID).place.topic_id == TOPIC_ID
    with pytest.raises(KafkaError) as caught:
        logs.create("t", 0, bytes(15) + b"\1")
    assert caught.value.code == ErrorCode.INCONSISTENT_TOPIC_ID
    logs.close()
    log = site.start().get("t", 0)
    assert log is not None
    log.open()
    assert log.place.topic_id == TOPIC_ID


def test_a_failed_creation_leaves_no_directory(site: Site) -> None:
    logs = site.start()
    site.memory.fail("write", error=errno.ENOSPC, match=".index")
    with pytest.raises(KafkaError):
        logs.create("t", 0)
    assert site.files.directories("/a") == site.files.directories("/b") == []
    assert logs.get("t", 0) is None
    logs.create("t", 0)


def test_after_a_clean_stop_nothing_is_read_until_it_is_used(site: Site) -> None:
    logs = site.start()
    for n in range(3):
        append(logs.create("t", n, TOPIC_ID), b"a", b"b")
    first = logs.get("t", 0)
    assert first is not None
    first.raise_high_watermark(2)
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


def test_after_a_kill_the_logs_are_recovered(site: Site) -> None:
    logs = site.start()
    for n in range(5):
        append(logs.create("t", n, TOPIC_ID), b"a", b"b")
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

    def taken_in() -> bool:
        if rung:
            rung.clear()
            logs.tick(NOW)
        return log.durability.recovery_point == 1

    wait_for(taken_in, what="the bell")
    logs.close()


def test_a_deleted_partition_goes_at_once_and_its_files_later(site: Site) -> None:
    logs = site.start()
    log = logs.create("t", 0, directory="/a")
    append(log, b"a")
    assert logs.delete("t", 0)
    assert not logs.delete("t", 0)
    (name,) = site.files.directories("/a")
    assert name.startswith("t-0.") and name.endswith("-delete")
    with pytest.raises(KafkaError):
        append(log, b"b")
    again = logs.create("t", 0, directory="/a")
    assert append(again, b"new") == 0
    site.pass_time(999)
    assert len(site.files.directories("/a")) == 2
    site.pass_time(1, lambda: site.files.directories("/a") == ["t-0"])


def test_an_interrupted_deletion_is_finished_at_the_next_start(site: Site) -> None:
    logs = site.start()
    logs.create("t", 0, directory="/a")
    logs.delete("t", 0)
    site.kill()
    site.start()
    site.pass_time(0, lambda: site.files.directories("/a") == [])
    assert site.files.directories("/a") == []


def test_a_recreated_partition_does_not_inherit_the_log_start(site: Site) -> None:
    site.paths = ("/a",)
    logs = site.start()
    log = logs.create("t", 0)
    for _ in range(5):
        append(log, b"a")
    log.raise_high_watermark(5)
    log.delete_records(4)
    logs.checkpoint()
    logs.delete("t", 0)
    append(logs.create("t", 0), b"new")
    site.kill()
    logs = site.start()
    assert values(logs.get("t", 0)) == [(0, b"new")]  # type: ignore[arg-type]


def test_a_failing_directory_takes_its_logs_along_and_the_other_works_on(site: Site) -> None:
    logs = site.start()
    here, there = logs.create("t", 0, directory="/a"), logs.create("t", 1, directory="/b")
    site.memory.fail_next_write(errno.EIO, match="/a/")
    with pytest.raises(KafkaError) as caught:
        append(here, b"a")
    assert caught.value.code == ErrorCode.KAFKA_STORAGE_ERROR
    assert site.gone == [("/a", [("t", 0)], False)]
    assert logs.get("t", 0) is None
    with pytest.raises(KafkaError):
        here.read(0, 100, up_to=1)
    assert append(there, b"a") == 0
    assert logs.offline == ["/a"]
    with pytest.raises(KafkaError):
        logs.create("t", 0, is_new=False)
    assert logs.create("u", 0).place.home.path == "/b"
    site.memory.fail_next_sync(match="/b/")
    with pytest.raises(KafkaError):
        there.flush()
    assert site.gone[1] == ("/b", [("t", 1), ("u", 0)], True)
    with pytest.raises(KafkaError):
        logs.create("v", 0)
    logs.close()
    assert not any(p.endswith(".kafka_cleanshutdown") for p in site.memory.inodes)


def test_a_directory_that_fails_at_start_is_offline_from_the_beginning(site: Site) -> None:
    site.memory.fail("mkdir", match="/a")
    logs = site.start()
    assert logs.offline == ["/a"]
    assert logs.create("t", 0).place.home.path == "/b"
    site.kill()
    site.memory.fail("list", match="/a", times=9)
    site.memory.fail("list", match="/b", times=9)
    with pytest.raises(StorageError, match="none of the log directories can be used"):
        site.start()


@pytest.mark.parametrize(
    ("topic", "partition"),
    [
        ("../evil", 0),
        ("a/b", 0),
        ("..", 0),
        ("", 0),
        ("x" * 300, 0),
        ("neg", -5),
        ("y" * 249, 1 << 20),
    ],
)
def test_what_cannot_name_a_directory_of_ours_makes_none(
    site: Site, topic: str, partition: int
) -> None:
    logs = site.start()
    with pytest.raises(KafkaError) as caught:
        logs.create(topic, partition)
    assert caught.value.code == ErrorCode.INVALID_TOPIC_EXCEPTION
    assert len(logs) == 0
    assert not logs.offline
    logs.create("t", 0)
