"""Data directories: deleted partitions and failing disks."""

from __future__ import annotations

import errno
from collections.abc import Iterator

import pytest

from pykafka_ops.errors import KafkaError, StorageError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.logs import batch_of, values
from tests.support.memory.storage_site import Site, append


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.kill()


# -- deleting --------------------------------------------------------------------------------------


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


def test_a_recreated_partition_does_not_inherit_the_log_start(site: Site) -> None:
    site.paths = ("/a",)
    logs = site.start()
    log = logs.create("t", 0)
    for _ in range(5):
        append(log, b"a")
    log.high_watermark = 5
    log.delete_records(4)
    logs.checkpoint()
    logs.delete("t", 0)
    append(logs.create("t", 0), b"new")
    site.kill()
    logs = site.start()
    assert values(logs.get("t", 0)) == [(0, b"new")]  # type: ignore[arg-type]


# -- failures --------------------------------------------------------------------------------------


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
    assert logs.create("u", 0).home.path == "/b"
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
    assert logs.create("t", 0).home.path == "/b"
    site.kill()
    site.memory.fail("list", match="/a", times=9)
    site.memory.fail("list", match="/b", times=9)
    with pytest.raises(StorageError, match="none of the log directories can be used"):
        site.start()


def test_a_full_disk_prevents_the_clean_marker_but_not_the_stop(site: Site) -> None:
    site.paths = ("/a",)
    logs = site.start()
    log = logs.create("t", 0)
    append(log, b"a")
    site.memory.fail("append", error=errno.ENOSPC, match="t-0", times=99)
    logs.close()
    assert not site.files.exists("/a/.kafka_cleanshutdown")
    site.memory.crash()
    assert values(site.start().get("t", 0)) == [(0, b"a")]  # type: ignore[arg-type]


def test_a_copy_that_is_just_begun_is_described_too(site: Site) -> None:
    logs = site.start()
    append(logs.create("t", 0, directory="/a"), b"a")
    logs.dirs[1].futures["t", 0] = "t-0.0123456789abcdef0123456789abcdef-future"  # not made yet
    two = logs.describe()[1]
    assert (two.path, two.error) == ("/b", None)
    assert two.logs == [("t", 0, 0, True)]
    assert logs.dirs[1].online


def test_directories_are_described(site: Site) -> None:
    logs = site.start()
    append(logs.create("t", 0, directory="/a"), b"a")
    logs.close()
    site.memory.make_directory("/a/u-3.0123456789abcdef0123456789abcdef-future")
    logs = site.start()
    one, two = logs.describe()
    assert (one.path, one.error) == ("/a", None)
    size = len(batch_of(b"a"))
    assert one.logs == [("t", 0, size, False), ("u", 3, 0, True)]
    assert one.total_bytes >= one.usable_bytes > 0
    assert two.logs == []
    site.memory.fail_next_write(errno.EIO, match="/a/")
    with pytest.raises(KafkaError):
        append(logs.get("t", 0), b"b")  # type: ignore[arg-type]
    assert logs.describe()[0].error


def test_a_stop_with_many_logs_syncs_the_file_system_once_and_loses_nothing() -> None:
    site = Site()
    logs = site.start()
    for n in range(250):
        append(logs.create("t", n), b"value %d" % n)
    logs.close()
    site.memory.lose_unsynced()
    logs = site.start()
    assert all(d.clean for d in logs.dirs)
    for n in range(250):
        log = logs.get("t", n)
        assert log is not None
        assert values(log) == [(0, b"value %d" % n)]


def test_a_stop_with_many_logs_whose_sync_fails_is_not_called_clean() -> None:
    site = Site(dirs=("/a",))
    logs = site.start()
    for n in range(120):
        append(logs.create("t", n), b"x")
    site.memory.fail("sync", match="/a")
    logs.close()
    assert not site.files.exists("/a/.kafka_cleanshutdown")
    assert len(site.start()) == 120
