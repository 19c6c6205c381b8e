"""Appending to failing disks."""

from __future__ import annotations

import errno

from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.logs import World, refused, values


def test_a_full_disk_refuses_appends_and_takes_back_what_was_written() -> None:
    w = World()
    w.append(b"a")
    before = bytes(w.files.inodes["/data/t-0/00000000000000000000.log"].data)
    w.files.fail_next_write(errno.ENOSPC, short=20, match=".log")
    refused(ErrorCode.KAFKA_STORAGE_ERROR, lambda: w.append(b"b"))
    assert bytes(w.files.inodes["/data/t-0/00000000000000000000.log"].data) == before
    assert w.home.online
    assert w.append(b"c").first_offset == 1
    assert values(w.log) == [(0, b"a"), (1, b"c")]


def test_a_failing_disk_takes_the_directory_offline() -> None:
    w = World()
    gone = []
    w.home.on_failure = lambda _, error: gone.append(error.errno)
    w.files.fail_next_write(errno.EIO)
    refused(ErrorCode.KAFKA_STORAGE_ERROR, lambda: w.append(b"a"))
    assert (w.home.online, gone) == (False, [errno.EIO])


def test_a_write_that_cannot_be_taken_back_takes_the_directory_offline() -> None:
    w = World()
    w.files.fail_next_write(errno.ENOSPC, short=20, match=".log")
    w.files.fail("truncate")
    refused(ErrorCode.KAFKA_STORAGE_ERROR, lambda: w.append(b"a"))
    assert not w.home.online


def test_an_abort_without_room_for_its_index_entry_leaves_no_marker() -> None:
    w = World()
    w.append(b"a", producer_id=1, base_sequence=0, producer_epoch=0, transactional=True)
    w.files.fail("append", error=errno.ENOSPC, match=".txnindex", short=10)
    refused(ErrorCode.KAFKA_STORAGE_ERROR, lambda: w.end_txn(1, commit=False))
    assert w.log.log_end_offset == 1
    w.files.fail("append", error=errno.ENOSPC, match=".log", short=10)
    refused(ErrorCode.KAFKA_STORAGE_ERROR, lambda: w.end_txn(1, commit=False))
    assert w.log.segments[0].aborted() == []
    w.end_txn(1, commit=False)
    w.log.raise_high_watermark(2)
    assert (w.log.last_stable_offset, w.log.aborted_transactions(0, 2)) == (2, [(1, 0)])
