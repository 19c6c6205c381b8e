"""The clean stop of all logs."""

from __future__ import annotations

import errno

import pytest

from pykafka_ops.disk.checkpoint import parse_offsets
from tests.support.memory.logs import values
from tests.support.memory.storage_site import Site, append, text


def test_a_clean_stop_writes_all_checkpoints(site: Site) -> None:
    site.paths = ("/a",)
    logs = site.start()
    for n in range(3):
        log = logs.create("t", n)
        append(log, b"a")
        append(log, b"b")
        log.raise_high_watermark(n)
    logs.get("t", 2).delete_records(1)  # type: ignore[union-attr]
    logs.close()

    def offsets(name: str) -> dict[tuple[str, int], int]:
        return parse_offsets(text(site, f"/a/{name}"))

    assert offsets("recovery-point-offset-checkpoint") == {("t", n): 2 for n in range(3)}
    assert offsets("log-start-offset-checkpoint") == {("t", 2): 1}
    assert offsets("replication-offset-checkpoint") == {("t", n): n for n in range(3)}
    logs = site.start()
    assert logs.get("t", 2).log_start_offset == 1  # type: ignore[union-attr]


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
