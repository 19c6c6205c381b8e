"""What a leader finds in the records of a batch, compressed or not."""

from __future__ import annotations

import random
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from pykafka_ops.broker.hot.quick import QUICK_BYTES, QUICK_RECORDS
from pykafka_ops.broker.storage.inflate import DECOMPRESSED_LIMIT
from pykafka_ops.broker.storage.validate import TakesLongError
from pykafka_ops.compiled import is_compiled
from pykafka_ops.disk.batch import BatchHeader, read_header
from pykafka_ops.disk.build import assemble, build_batch
from pykafka_ops.disk.compression import Codec, compress
from pykafka_ops.disk.legacy import build_messages
from pykafka_ops.disk.record import Record, encode_records, iter_records
from pykafka_ops.disk.survey import FEW_HEADERS, ONE_BY_ONE
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.logs import NOW, World, as_leader, headers

EVERY_CODEC = pytest.mark.parametrize("codec", list(Codec), ids=lambda codec: codec.name.lower())
COMPRESSED = pytest.mark.parametrize("codec", list(Codec)[1:], ids=lambda codec: codec.name.lower())
MANY = 100


def some(count: int = MANY, **more: Any) -> list[Record]:
    return [Record(n, NOW + n, b"key", b"value %d" % n)._replace(**more) for n in range(count)]


def batch(records: list[Record], codec: Codec, **lies: int) -> memoryview:
    """A batch whose header may lie about its records; the CRC is right."""
    plain = encode_records(records, 0, NOW)
    return packed(bytes(plain), codec, len(records), **lies)


def packed(plain: bytes, codec: Codec, count: int, **lies: int) -> memoryview:
    fields: dict[str, int] = {
        "last_offset_delta": count - 1,
        "record_count": count,
        "max_timestamp": NOW + count - 1,
        **lies,
    }
    header = BatchHeader(0, 0, -1, 2, 0, codec, 0, NOW, 0, -1, -1, -1, 0)._replace(**fields)
    return memoryview(assemble(header, compress(codec, plain)))


def append(world: World, data: memoryview) -> Any:
    return as_leader(world.log, data, leader_epoch=0, now=world.now)


def stored(world: World) -> tuple[BatchHeader, list[Record]]:
    parts = world.log.read(0, 1 << 26, up_to=world.log.log_end_offset).parts
    data = b"".join(bytes(part) for part in parts)
    (header,) = headers([data])
    return header, list(iter_records(data, 0, header))


def refusal(world: World, data: memoryview) -> KafkaError:
    with pytest.raises(KafkaError) as caught:
        append(world, data)
    assert world.log.log_end_offset == 0
    return caught.value


@EVERY_CODEC
@pytest.mark.parametrize("records", [1, 3, MANY])
def test_honest_batches_are_stored_as_they_came(codec: Codec, records: int) -> None:
    world, sent = World(), batch(some(records), codec)
    before = bytes(sent[61:])
    assert append(world, sent)[:2] == (0, records - 1)
    assert bytes(sent[61:]) == before
    assert stored(world)[1] == some(records)


@EVERY_CODEC
@pytest.mark.parametrize("count", [MANY - 1, MANY + 1, 1])
def test_a_count_that_lies_is_refused(codec: Codec, count: int) -> None:
    lying = batch(some(), codec, record_count=count, last_offset_delta=count - 1)
    assert refusal(World(), lying).code == ErrorCode.INVALID_RECORD


@EVERY_CODEC
@pytest.mark.parametrize("size", [1, MANY])
def test_a_max_timestamp_that_lies_is_corrected(codec: Codec, size: int) -> None:
    for lie in (NOW - 5, NOW + 10_000, -1):
        world = World()
        append(world, batch(some(size), codec, max_timestamp=lie))
        assert stored(world)[0].max_timestamp == NOW + size - 1


@COMPRESSED
def test_offsets_out_of_order_are_counted_anew(codec: Codec) -> None:
    world = World()
    shifted = [r._replace(offset=r.offset * 2) for r in some()]
    append(world, batch(shifted, codec))
    header, records = stored(world)
    assert header.codec == codec
    assert records == some()


@COMPRESSED
@pytest.mark.parametrize("size", [1, MANY])
def test_broken_compression_is_refused(codec: Codec, size: int) -> None:
    whole = batch(some(size), codec)
    fields = read_header(whole)
    for payload in (b"", b"\xff" * 40, bytes(whole[61:-9]), bytes(40)):
        error = refusal(World(), memoryview(assemble(fields, payload)))
        assert error.code == ErrorCode.INVALID_RECORD


@EVERY_CODEC
def test_a_record_of_wrong_structure_is_refused(codec: Codec) -> None:
    plain = bytearray(encode_records(some(), 0, NOW))
    at = plain.index(b"value 50") - 1
    plain[at] += 2  # the value takes the header count with it
    error = refusal(World(), packed(bytes(plain), codec, MANY))
    assert error.code == ErrorCode.INVALID_RECORD


@EVERY_CODEC
def test_a_compacted_topic_wants_keys(codec: Codec) -> None:
    world = World(cleanup_policy=frozenset({"compact"}))
    keyless = [r._replace(key=None) if r.offset in (7, 60) else r for r in some()]
    error = refusal(world, batch(keyless, codec))
    assert error.code == ErrorCode.INVALID_RECORD
    assert [e.batch_index for e in error.record_errors] == [7, 60]  # type: ignore[attr-defined]
    assert append(world, batch(some(), codec))[:2] == (0, MANY - 1)


@EVERY_CODEC
def test_times_have_bounds(codec: Codec) -> None:
    cases: list[tuple[dict[str, Any], int]] = [
        ({"message_timestamp_before_max_ms": 1000}, NOW - 1001),
        ({"message_timestamp_after_max_ms": 1000}, NOW + 1001),
    ]
    for bounds, odd in cases:
        world = World(**bounds)
        records = [r._replace(timestamp=odd) if r.offset == 30 else r for r in some()]
        latest = max(r.timestamp for r in records)
        error = refusal(world, batch(records, codec, max_timestamp=latest))
        assert error.code == ErrorCode.INVALID_TIMESTAMP
        assert [e.batch_index for e in error.record_errors] == [30]  # type: ignore[attr-defined]
        assert append(world, batch(some(), codec))[:2] == (0, MANY - 1)


@EVERY_CODEC
def test_the_brokers_clock_stamps_the_batch_and_leaves_the_records(codec: Codec) -> None:
    world, sent = World(message_timestamp_type="LogAppendTime"), batch(some(), codec)
    before = bytes(sent[61:])
    world.now = NOW + 77
    assert append(world, sent).log_append_time == NOW + 77
    header, records = stored(world)
    assert (header.is_log_append_time, header.max_timestamp) == (True, NOW + 77)
    assert {r.timestamp for r in records} == {NOW + 77}
    assert bytes(sent[61:]) == before


@pytest.mark.parametrize("codec", [Codec.GZIP, Codec.LZ4, Codec.ZSTD], ids=lambda c: c.name.lower())
def test_a_bomb_is_refused_and_takes_no_more_than_the_limit(codec: Codec) -> None:
    bomb = memoryview(assemble(read_header(batch(some(2), codec)), zeroes(codec)))
    tracemalloc.start()
    begun = time.thread_time()
    try:
        error = refusal(World(max_message_bytes=1 << 26), bomb)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert error.code == ErrorCode.INVALID_RECORD
    assert peak < 2.5 * DECOMPRESSED_LIMIT
    assert time.thread_time() - begun < 20


def zeroes(codec: Codec) -> bytes:
    """A little more than the limit, compressed."""
    return compress(codec, bytes(DECOMPRESSED_LIMIT + (1 << 20)))


def test_more_records_than_bytes_are_not_counted() -> None:
    lying = batch(some(2), Codec.ZSTD, record_count=1 << 30, last_offset_delta=(1 << 30) - 1)
    assert refusal(World(), lying).code == ErrorCode.INVALID_RECORD


@pytest.mark.parametrize(
    ("codec", "setting", "levels"),
    [
        ("gzip", "compression_gzip_level", (1, 9)),
        ("lz4", "compression_lz4_level", (9, 12)),
        ("zstd", "compression_zstd_level", (-7, 19)),
    ],
)
def test_the_topics_level_is_used(codec: str, setting: str, levels: tuple[int, int]) -> None:
    chance = random.Random(5)
    words = [b"%d " % chance.randrange(1000) for _ in range(4000)]
    records = [Record(0, NOW, None, b"".join(words))]
    sizes = []
    for level in levels:
        chosen: dict[str, Any] = {setting: level}
        world = World(compression_type=codec, **chosen)
        append(world, memoryview(build_batch(records)))
        header, found = stored(world)
        assert found == records
        sizes.append(header.size)
    assert sizes[1] < sizes[0]


def test_a_level_is_for_the_topics_own_codec_alone() -> None:
    """What the producer chose is compressed with that codec's default level."""
    shifted = [r._replace(offset=r.offset * 2) for r in some()]
    sizes = set()
    for level in (-131072, 22):
        world = World(compression_zstd_level=level)
        append(world, batch(shifted, Codec.ZSTD))
        sizes.add(stored(world)[0].size)
    assert len(sizes) == 1


# -- what takes long -----------------------------------------------------------------------------


def dense(codec: Codec) -> memoryview:
    return batch(some(QUICK_RECORDS + 1, key=None, value=b""), codec)


LONG: dict[str, tuple[Callable[[], memoryview], dict[str, Any]]] = {
    "many records": (lambda: dense(Codec.NONE), {}),
    "many records, compressed": (lambda: dense(Codec.ZSTD), {}),
    "many bytes": (lambda: batch([some(1, value=bytes(QUICK_BYTES))[0]], Codec.NONE), {}),
    "many bytes, compressed to few": (
        lambda: batch(some(1, value=bytes(QUICK_BYTES)), Codec.ZSTD),
        {},
    ),
    "many that do not compress": (
        lambda: batch(some(1, value=random.randbytes(300_000)), Codec.LZ4),
        {},
    ),
    "old messages": (lambda: old(800, Codec.NONE), {}),
    "old messages, compressed": (lambda: old(800, Codec.GZIP), {}),
    "another codec": (
        lambda: batch(some(900, value=bytes(100)), Codec.NONE),
        {"compression_type": "gzip"},
    ),
}


ONE_BY_ONE_KINDS = {
    "records": lambda: batch(some(ONE_BY_ONE + 1, headers=[("h", b"")]), Codec.LZ4),
    "headers": lambda: batch(some(1, headers=[("", b"")] * (FEW_HEADERS + 1)), Codec.LZ4),
}


def old(count: int, codec: Codec) -> memoryview:
    return memoryview(bytearray(build_messages(some(count, value=b""), 1, codec=codec)))


@pytest.mark.parametrize(("made", "config"), LONG.values(), ids=LONG.keys())
def test_what_takes_long_is_left_to_a_thread(
    made: Callable[[], memoryview], config: dict[str, Any]
) -> None:
    world, sent = World(max_message_bytes=1 << 22, **config), made()
    before = bytes(sent)
    with pytest.raises(TakesLongError):
        world.log.append_as_leader(sent, leader_epoch=0, now=world.now)
    assert (bytes(sent), world.log.log_end_offset) == (before, 0)
    first, last, *_ = append(world, sent)
    assert first == 0 < world.log.log_end_offset == last + 1


@pytest.mark.parametrize("made", ONE_BY_ONE_KINDS.values(), ids=ONE_BY_ONE_KINDS.keys())
def test_what_is_looked_at_one_by_one_takes_long_where_that_is_not_compiled(
    made: Callable[[], memoryview],
) -> None:
    world, sent = World(), made()
    if not is_compiled():
        with pytest.raises(TakesLongError):
            world.log.append_as_leader(sent, leader_epoch=0, now=world.now)
        assert world.log.log_end_offset == 0
        append(world, sent)
    else:
        world.log.append_as_leader(sent, leader_epoch=0, now=world.now)
    assert world.log.log_end_offset in (1, ONE_BY_ONE + 1)


def test_a_compacted_topics_keys_are_looked_for_in_a_thread_where_they_are_many() -> None:
    world = World(cleanup_policy=frozenset({"compact"}))
    keyless = batch(some(900, key=None, value=bytes(50)), Codec.LZ4)
    with pytest.raises(TakesLongError):
        world.log.append_as_leader(keyless, leader_epoch=0, now=world.now)
    error = refusal(world, keyless)
    assert len(error.record_errors) == 900  # type: ignore[attr-defined]


@EVERY_CODEC
@pytest.mark.parametrize("size", [16_000, 64_000, 250_000])
@pytest.mark.parametrize("config", [{}, {"message_timestamp_type": "LogAppendTime"}], ids=str)
@pytest.mark.parametrize("headers", [[], [("trace", b"0123456789")]], ids=["plain", "headers"])
def test_what_producers_send_is_checked_at_once(
    codec: Codec, size: int, config: dict[str, Any], headers: list[tuple[str, bytes]]
) -> None:
    world = World(**config)
    values = random.Random(1)
    value, most = values.randbytes(50) + bytes(50), ONE_BY_ONE if headers else size
    records = some(min(size // 110, most), value=value, headers=headers)
    sent = batch(records, codec)
    assert world.log.append_as_leader(sent, leader_epoch=0, now=world.now).first_offset == 0
