"""One data directory: its lock, its identity, what is found in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.storage.data_dir import read_meta
from pykafka_ops.broker.storage.real_files import RealFiles
from pykafka_ops.errors import StorageError
from tests.support.memory.logs import NOW, values
from tests.support.memory.storage_site import Site, append


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
        "import sys; from pykafka_ops.broker.storage.real_files import RealFiles\n"
        "try: RealFiles().lock(sys.argv[1])\n"
        "except BlockingIOError: sys.exit(7)"
    )
    assert subprocess.run([sys.executable, "-c", code, path], check=False).returncode == 7
    lock.close()
    assert subprocess.run([sys.executable, "-c", code, path], check=False).returncode == 0
    files.lock(path).close()


def test_an_unreadable_identity_is_refused(site: Site) -> None:
    site.memory.make_directory("/a")
    site.memory.write("/a/meta.properties", b"version=7\nbroker.id=1\n")
    with pytest.raises(StorageError, match=r"meta.properties"):
        site.start()


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
