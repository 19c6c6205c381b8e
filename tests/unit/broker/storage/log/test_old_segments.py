"""Which segments retention drops, and when their files go."""

from __future__ import annotations

from tests.support.memory.logs import NOW, SIZE, World, filled


def test_old_segments_go_by_time() -> None:
    w = filled(per_epoch=3, retention_ms=100)
    assert w.log.delete_old_segments(NOW + 130) == 0
    assert w.log.delete_old_segments(NOW + 131) == 1
    assert (w.bases(), w.log.log_start_offset, w.log.start_checkpoint) == ([4, 8], 4, None)


def test_all_segments_may_expire_and_an_empty_one_follows() -> None:
    w = filled(per_epoch=3, retention_ms=100, file_delete_delay_ms=0)
    assert w.log.delete_old_segments(NOW + 10_000) == 3
    assert (w.bases(), w.log.log_start_offset, w.log.log_end_offset) == ([10], 10, 10)
    assert w.log.delete_old_segments(NOW + 20_000) == 0
    assert w.append(b"a").first_offset == 10


def test_segments_without_timestamps_expire_by_the_files_time() -> None:
    w = World(retention_ms=100)
    w.append(b"a", timestamp=-1)
    w.log.raise_high_watermark(1)
    w.log.close()
    w.reopen(clean=True, high_watermark=1)
    assert w.log.delete_old_segments(NOW + 100) == 0
    assert w.log.delete_old_segments(NOW + 101) == 1


def test_a_log_nobody_uses_is_not_opened_before_something_is_due() -> None:
    w = filled(per_epoch=3, retention_ms=100, file_delete_delay_ms=0)
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
    w = filled(per_epoch=3, retention_bytes=5 * SIZE)
    assert w.log.delete_old_segments(NOW) == 1
    assert w.bases() == [4, 8]


def test_retention_never_passes_the_high_watermark_nor_touches_compacted_topics() -> None:
    w = World(segment_bytes=4 * SIZE, retention_ms=1, retention_bytes=0)
    for _ in range(10):
        w.append(b"x" * 20)
    w.log.raise_high_watermark(7)
    assert w.log.delete_old_segments(NOW + 10_000) == 1
    w = filled(per_epoch=3)
    w.log.update_config(type(w.config)(cleanup_policy=frozenset({"compact"}), retention_ms=1))
    assert w.log.delete_old_segments(NOW + 10_000) == 0


def test_deleted_files_stay_a_while_under_another_name() -> None:
    w = filled(per_epoch=3, retention_ms=100, file_delete_delay_ms=60_000)
    later = []
    w.home.delete_later = lambda at, action: later.append((at, action))
    w.log.delete_old_segments(NOW + 131)
    gone = {n for n in w.names() if n.endswith(".deleted")}
    assert gone == {f"{0:020d}{s}.deleted" for s in (".log", ".index", ".timeindex")}
    ((at, action),) = later
    assert at == w.home.settings.timer() + 60_000
    action()
    assert not any(n.endswith(".deleted") for n in w.names())
