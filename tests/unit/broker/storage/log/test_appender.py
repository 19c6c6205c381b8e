"""Appending as leader."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

from pykafka_ops.broker.state.producers import Origin
from pykafka_ops.broker.storage.validate import RecordsRejectedError
from pykafka_ops.disk.batch import read_header
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.control import ControlType, EndTxnMarker, build_marker
from pykafka_ops.disk.legacy import build_messages
from pykafka_ops.disk.record import Record, iter_records
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.logs import NOW, World, as_leader, batch_of, headers, refused, values


def lead(world: World, data: memoryview, **more: object) -> object:
    return as_leader(world.log, data, leader_epoch=0, now=world.now, **more)


def test_offsets_and_leader_epoch_are_written_into_the_batch() -> None:
    w = World()
    assert w.append(b"a", b"b", epoch=3) == (0, 1, -1, 0, False)
    assert w.append(b"c", epoch=4) == (2, 2, -1, 0, False)
    found = headers(w.log.read(0, 1 << 20, up_to=3).parts)
    assert [(h.base_offset, h.last_offset, h.partition_leader_epoch) for h in found] == [
        (0, 1, 3),
        (2, 2, 4),
    ]
    assert values(w.log) == [(0, b"a"), (1, b"b"), (2, b"c")]
    assert w.log.epochs.entries() == [(3, 0), (4, 2)]
    assert w.log.log_end_offset == 3


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda b: b.__setitem__(70, b[70] ^ 1), ErrorCode.CORRUPT_MESSAGE),
        (lambda b: struct.pack_into(">q", b, 0, 5), ErrorCode.INVALID_RECORD),
        (lambda b: b.__setitem__(16, 9), ErrorCode.CORRUPT_MESSAGE),
        (lambda b: struct.pack_into(">i", b, 8, 10), ErrorCode.CORRUPT_MESSAGE),
        (lambda b: struct.pack_into(">i", b, 8, 48), ErrorCode.CORRUPT_MESSAGE),
    ],
    ids=["flipped bit", "base offset", "magic", "tiny length", "length below header"],
)
def test_damaged_batches_are_refused_and_nothing_is_written(
    change: Callable[[memoryview], object], code: ErrorCode
) -> None:
    w = World()
    data = batch_of(b"value")
    change(data)
    refused(code, lambda: lead(w, data))
    assert (w.log.log_end_offset, w.log.size) == (0, 0)


def test_a_cut_batch_is_nothing_to_append() -> None:
    w = World()
    assert lead(w, batch_of(b"value")[:-1]) == (-1, -1, -1, 0, False)
    assert lead(w, memoryview(bytearray())) == (-1, -1, -1, 0, False)


def test_a_second_batch_is_refused_but_a_torn_one_is_dropped() -> None:
    w = World()
    one = bytes(batch_of(b"value"))
    refused(ErrorCode.INVALID_RECORD, lambda: lead(w, memoryview(bytearray(one + one))))
    lead(w, memoryview(bytearray(one + one[:-3])))
    assert (w.log.log_end_offset, w.log.size) == (1, len(one))


def test_sizes_are_limited_by_topic_and_segment() -> None:
    w = World(max_message_bytes=100)
    text = refused(ErrorCode.MESSAGE_TOO_LARGE, lambda: w.append(b"x" * 100)).message
    assert text.startswith("The record batch size in the append to t-0 is ")
    w = World(segment_bytes=100)
    refused(ErrorCode.RECORD_LIST_TOO_LARGE, lambda: w.append(b"x" * 100))


def test_clients_may_not_write_markers() -> None:
    w = World()
    data = build_marker(
        EndTxnMarker(ControlType.COMMIT, 0), timestamp=NOW, producer_id=1, producer_epoch=0
    )
    refused(ErrorCode.INVALID_RECORD, lambda: lead(w, memoryview(data)))


def named(error: RecordsRejectedError) -> list[tuple[int, str | None]]:
    return [(e.batch_index, e.batch_index_error_message) for e in error.record_errors]


def test_compacted_topics_want_keys() -> None:
    w = World(cleanup_policy=frozenset({"compact"}))
    w.append(b"a", key=b"k")
    error = refused(ErrorCode.INVALID_RECORD, lambda: w.append(b"a", b"b"))
    assert isinstance(error, RecordsRejectedError)
    text = "Compacted topic cannot accept message without key in topic partition t-0"
    assert named(error) == [(0, text), (1, text)]
    assert "due to 2 record errors in total" in error.message


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.ZSTD])
def test_timestamps_must_be_near_the_clock_where_asked(codec: Codec) -> None:
    w = World(message_timestamp_before_max_ms=1000, message_timestamp_after_max_ms=500)
    w.append(b"a", timestamp=NOW - 1000, codec=codec)
    w.append(b"a", timestamp=NOW + 500, codec=codec)
    w.append(b"a", timestamp=-1, codec=codec)
    error = refused(
        ErrorCode.INVALID_TIMESTAMP, lambda: w.append(b"a", timestamp=NOW - 1001, codec=codec)
    )
    assert isinstance(error, RecordsRejectedError)
    assert named(error) == [
        (
            0,
            f"Timestamp {NOW - 1001} of message with offset 0 is out of range. The timestamp "
            f"should be within [{NOW - 1000}, {NOW + 500}]",
        )
    ]
    refused(ErrorCode.INVALID_TIMESTAMP, lambda: w.append(b"a", timestamp=NOW + 501, codec=codec))
    refused(ErrorCode.INVALID_TIMESTAMP, lambda: w.append(b"a", timestamp=-5, codec=codec))


def test_log_append_time_stamps_the_batch() -> None:
    w = World(message_timestamp_type="LogAppendTime")
    assert w.append(b"a", timestamp=5) == (0, 0, NOW, 0, False)
    data = b"".join(w.log.read(0, 4096, up_to=1).parts)
    header = read_header(data)
    assert (header.is_log_append_time, header.max_timestamp) == (True, NOW)
    assert [r.timestamp for r in iter_records(data, 0, header)] == [NOW]


def test_a_topic_can_have_its_own_compression() -> None:
    w = World(compression_type="gzip")
    w.append(b"a" * 100, codec=Codec.NONE)
    w.append(b"b" * 100, codec=Codec.ZSTD)
    w.append(b"c" * 100, codec=Codec.GZIP)
    assert [h.codec for h in headers(w.log.read(0, 4096, up_to=3).parts)] == [Codec.GZIP] * 3
    assert values(w.log) == [(0, b"a" * 100), (1, b"b" * 100), (2, b"c" * 100)]
    w = World(compression_type="uncompressed")
    w.append(b"a" * 100, codec=Codec.ZSTD, producer_id=1, producer_epoch=0, base_sequence=0)
    (header,) = headers(w.log.read(0, 4096, up_to=1).parts)
    assert (header.codec, header.producer_id, header.base_sequence) == (Codec.NONE, 1, 0)


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP])
def test_message_sets_of_old_producers_become_batches(magic: int, codec: Codec) -> None:
    w = World()
    w.append(b"first")
    old = [Record(n, NOW + n if magic else -1, b"k", b"v%d" % n) for n in range(3)]
    data = memoryview(bytearray(build_messages(old, magic, codec=codec)))
    assert lead(w, data) == (1, 3, -1, 0, False)
    assert values(w.log, 1) == [(1, b"v0"), (2, b"v1"), (3, b"v2")]
    data[-1] ^= 1
    refused(ErrorCode.CORRUPT_MESSAGE, lambda: lead(w, data))


def test_old_messages_on_compacted_topics_want_keys_too() -> None:
    w = World(cleanup_policy=frozenset({"compact"}))
    data = build_messages([Record(0, NOW, None, b"v")], 1)
    refused(ErrorCode.INVALID_RECORD, lambda: lead(w, memoryview(bytearray(data))))


def test_a_batch_sent_again_gets_its_first_offsets() -> None:
    w = World()
    ids = {"producer_id": 7, "producer_epoch": 0}
    assert w.append(b"a", b"b", base_sequence=0, **ids)[:2] == (0, 1)
    assert w.append(b"c", base_sequence=2, **ids)[:2] == (2, 2)
    again = w.append(b"a", b"b", base_sequence=0, **ids)
    assert again == (0, 1, NOW + 1, 0, True)
    assert w.log.log_end_offset == 3
    refused(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, lambda: w.append(b"x", base_sequence=9, **ids))
    refused(
        ErrorCode.INVALID_RECORD,
        lambda: w.append(b"x", producer_id=7, producer_epoch=0, base_sequence=-1),
    )
    w.append(b"d", producer_id=7, producer_epoch=1, base_sequence=0)
    refused(ErrorCode.INVALID_PRODUCER_EPOCH, lambda: w.append(b"x", base_sequence=3, **ids))


def test_transactions_hold_back_the_last_stable_offset() -> None:
    w = World()
    txn = {"producer_epoch": 0, "transactional": True}
    w.append(b"plain")
    w.append(b"a", producer_id=1, base_sequence=0, **txn)
    w.append(b"b", producer_id=2, base_sequence=0, **txn)
    w.log.raise_high_watermark(3)
    assert w.log.last_stable_offset == 1
    w.end_txn(1, commit=False)
    w.log.raise_high_watermark(3)
    assert w.log.last_stable_offset == 1, "the marker is not replicated yet"
    w.log.raise_high_watermark(4)
    assert w.log.last_stable_offset == 2
    w.end_txn(2, commit=True)
    w.log.raise_high_watermark(5)
    assert w.log.last_stable_offset == 5
    assert w.log.aborted_transactions(0, 5) == [(1, 1)]
    assert w.log.aborted_transactions(4, 5) == []
    (aborted,) = w.log.segments[0].aborted()
    assert aborted[:4] == (1, 1, 3, 2)


def test_markers_of_old_coordinators_are_fenced() -> None:
    w = World()
    w.append(b"a", producer_id=1, base_sequence=0, producer_epoch=0, transactional=True)
    w.end_txn(1, commit=True, coordinator_epoch=5)
    refused(
        ErrorCode.TRANSACTION_COORDINATOR_FENCED,
        lambda: w.end_txn(1, commit=True, coordinator_epoch=4),
    )


def test_an_unverified_transaction_is_refused_where_verification_is_on() -> None:
    w = World(verify=True)
    batch = {"producer_id": 1, "producer_epoch": 0, "base_sequence": 0, "transactional": True}
    refused(ErrorCode.INVALID_TXN_STATE, lambda: w.append(b"a", **batch))
    guard = w.log.producers.start_verification(1, 0, 0, NOW)
    lead(w, batch_of(b"a", **batch), guard=guard)
    assert w.log.log_end_offset == 1


def test_coordinators_append_without_client_checks() -> None:
    w = World(cleanup_policy=frozenset({"compact"}))
    data = batch_of(b"v", key=b"k", producer_id=1, producer_epoch=0, base_sequence=-1)
    assert lead(w, data, origin=Origin.COORDINATOR) == (0, 0, -1, 0, False)
