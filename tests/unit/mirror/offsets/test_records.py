"""Records of the map's topic: written, read back, damaged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.errors import CorruptError
from pykafka_ops.mirror.offsets import records
from pykafka_ops.mirror.offsets.records import MapKey, decode_key, decode_value, map_records
from pykafka_ops.mirror.offsets.runs import OffsetMap, OffsetRun
from tests.unit.mirror.offsets.histories import HISTORIES, History

TARGET = "a.orders-ü", 3
VALUE = records.map_value([OffsetRun(5, 9, 2), OffsetRun(8, 12, 300)])
KEY = MapKey("t", 0, 5, 9, 308)


@given(HISTORIES, st.integers(0, 2**62))
def test_what_was_written_is_read_back(history: History, life: int) -> None:
    place, found = map_records(TARGET, history.runs, 17, life=life)
    assert place == records.map_place(TARGET)
    mapped = OffsetMap()
    for n, record in enumerate(found):
        key = decode_key(record.key)
        assert (record.offset, record.timestamp) == (n, 17)
        assert (key.topic, key.partition, key.life) == (*TARGET, life)
        assert record.value is not None
        mapped.add(decode_value(key, record.value))
    assert list(mapped) == list(OffsetMap(history.runs))


def test_many_runs_take_several_records() -> None:
    runs = [(n * 3, n * 2, 1) for n in range(records.ROUND_RUNS + 1)]
    _, found = map_records(TARGET, runs, 0)
    assert [len(decode_value(decode_key(r.key), r.value or b"")) for r in found] == [
        records.ROUND_RUNS,
        1,
    ]
    assert len({r.key for r in found}) == 2


def test_a_round_takes_few_bytes() -> None:
    _, (record,) = map_records(TARGET, [(10**12, 10**12 + 5, 10**6)], 0)
    assert len(record.key or b"") < 60
    assert len(record.value or b"") < 10


def test_partitions_of_the_target_are_spread() -> None:
    used = {records.map_place(("orders", n)) for n in range(64)}
    assert used == set(range(records.PARTITIONS))


@pytest.mark.parametrize(
    "data",
    [
        None,
        b"",
        b"\0\1",
        records.encode_key(KEY)[:-1],
        records.encode_key(KEY) + b"\0",
        records.encode_key(KEY._replace(partition=-1)),
        records.encode_key(KEY._replace(source=-1)),
        records.encode_key(KEY._replace(end=-1)),
        b"\0\0\xff\xff" + bytes(36),
        records.encode_key(KEY).replace(b"t", b"\xff"),
    ],
)
def test_a_damaged_key_is_refused(data: bytes | None) -> None:
    with pytest.raises(CorruptError):
        decode_key(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0",
        b"\0\1" + VALUE[2:],
        b"\0\0\0",
        b"\0\0\1",
        b"\0\0\xfe\xff\xff\xff\x0f" + bytes(30),
        VALUE[:-1],
        b"\0\0\2\1\0\2",
        b"\0\0\2\0\0\0",
        b"\0\0\2\0\0\xfe\xff\xff\xff\xff\xff\xff\xff\xff\1",
        b"\0\0\2" + b"\xff" * 12,
    ],
)
def test_a_damaged_value_is_refused(data: bytes) -> None:
    with pytest.raises(CorruptError):
        decode_value(KEY, data)


@given(st.binary(max_size=40), st.binary(max_size=80))
def test_any_bytes_are_read_or_refused(key: bytes, value: bytes) -> None:
    try:
        named = decode_key(key)
    except CorruptError:
        named = KEY
    try:
        found = decode_value(named, value)
    except CorruptError:
        return
    assert 0 < len(found) <= len(value)


def test_runs_that_cannot_be_are_not_written() -> None:
    with pytest.raises(CorruptError):
        map_records(TARGET, [(-1, 0, 1)], 0)
