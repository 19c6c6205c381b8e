"""Producer state on disk."""

from __future__ import annotations

from tests.support.memory.logs import World


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


def test_a_transaction_outlives_its_records_and_a_clean_stop() -> None:
    w = World()
    w.append(b"a", producer_id=7, producer_epoch=0, base_sequence=0, transactional=True)
    w.log.raise_high_watermark(1)
    w.log.delete_records(1)
    w.log.close()
    log = w.reopen(clean=True, start_offset=1)
    log.open()
    assert log.producers.has_ongoing(7)
    w.end_txn(7, commit=True)
    assert not log.producers.has_ongoing(7)
