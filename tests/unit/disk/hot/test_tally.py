"""Records counted by time, with checksums that do not depend on how they are batched."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pykafka_ops.disk.batch import read_header
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.contents import content_of
from pykafka_ops.disk.hot import tally as tally_module
from pykafka_ops.disk.hot.hashing import joined, record_hash
from pykafka_ops.disk.hot.tally import Tally
from pykafka_ops.disk.record import Record, iter_records, payload
from pykafka_ops.disk.varint import varint
from pykafka_ops.errors import CorruptBatchError

WIDTH = 1000
_BYTES = st.none() | st.binary(max_size=140)
_HEADERS = st.lists(st.tuples(st.text(max_size=5), st.none() | st.binary(max_size=9)), max_size=3)
_FEW = settings(max_examples=25)
_RECORDS = st.lists(
    st.tuples(st.integers(-1, 5000), _BYTES, _BYTES, _HEADERS), min_size=1, max_size=12
)
Sent = tuple[int, bytes | None, bytes | None, Sequence[tuple[str, bytes | None]]]


def made(sent: Sequence[Sent], base: int = 0) -> list[Record]:
    return [Record(base + number, *one) for number, one in enumerate(sent)]


def counted(batches: Sequence[bytes], first: int = 0, stop: int = 1 << 60) -> dict[int, object]:
    """By bucket: records, bytes, checksum, order."""
    tally = Tally(WIDTH, first, stop)
    for batch in batches:
        place, _ = tally.usual(batch, 0)
        if place < len(batch):
            header = read_header(batch, place)
            data = payload(batch, place, header, 1 << 30)
            tally.records(data, 0, header)
    return {
        start: (bucket.records, bucket.bytes, bucket.checksum, bucket.order)
        for start, bucket in tally.buckets.items()
        if bucket.records
    }


@pytest.mark.parametrize("key", [None, b"", b"k" * 70])
@pytest.mark.parametrize("value", [None, b"", b"v" * 100])
@pytest.mark.parametrize("headers", [[], [("name", b"of it"), ("none", None)]])
def test_records_as_clients_write_them_are_counted_where_they_are(
    key: bytes | None,
    value: bytes | None,
    headers: list[tuple[str, bytes | None]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    batch = bytes(build_batch(made([(7, key, value, headers)] * 3)))
    expected = counted([batch])
    monkeypatch.setattr(tally_module, "content_at", None)  # a copy of what is there already
    assert counted([batch]) == expected


@_FEW
@given(_RECORDS, st.integers(1, 40), st.sampled_from(list(Codec)), st.integers(0, 1 << 40))
def test_batches_codecs_and_offsets_do_not_matter(
    sent: list[Sent], size: int, codec: Codec, base: int
) -> None:
    plain = counted([bytes(build_batch(made(sent)))])
    parts = [
        bytes(build_batch(made(part, base + at), base_offset=base + at, codec=codec))
        for at in range(0, len(sent), size)
        for part in (sent[at : at + size],)
    ]
    assert counted(parts) == plain


@_FEW
@given(_RECORDS, st.randoms())
def test_the_checksum_does_not_depend_on_the_order_and_the_chain_does(
    sent: list[Sent], random: object
) -> None:
    mixed = sorted(sent, key=lambda one: (one[0], repr(one)), reverse=True)
    one, two = counted([bytes(build_batch(made(sent)))]), counted([bytes(build_batch(made(mixed)))])
    assert {k: v[:3] for k, v in one.items()} == {k: v[:3] for k, v in two.items()}  # type: ignore[index]
    by_bucket = [[s for s in of if s[0] // WIDTH == 0] for of in (sent, mixed)]
    if 0 in one:
        assert (one[0] == two[0]) == (by_bucket[0] == by_bucket[1])


@_FEW
@given(_RECORDS, st.data())
def test_whatever_is_altered_alters_the_checksum(sent: list[Sent], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(sent) - 1))
    other = data.draw(_RECORDS)[0]
    changed = [*sent[:at], other, *sent[at + 1 :]]
    same = counted([bytes(build_batch(made(sent)))]) == counted([bytes(build_batch(made(changed)))])
    assert same == (list(map(repr, sent)) == list(map(repr, changed)))


def test_records_that_exchange_a_part_of_themselves_have_another_sum() -> None:
    """Checksums by polynomials alone would add up to the same in half of their bits."""
    pairs = [(b"key-one", b"value-1"), (b"key-two", b"value-2")]
    swapped = [(b"key-one", b"value-2"), (b"key-two", b"value-1")]
    found = [
        sum(record_hash(c, 0, len(c), 7) for c in (content_of(Record(0, 7, *p)) for p in some))
        for some in (pairs, swapped)
    ]
    assert (found[0] ^ found[1]).bit_count() > 8


def test_with_append_time_every_record_is_of_the_batch() -> None:
    from pykafka_ops.disk.batch import TimestampType

    sent: list[Sent] = [(5, b"a", b"b", ()), (9, b"c", b"d", ())]
    batch = build_batch(
        made(sent), timestamp_type=TimestampType.LOG_APPEND_TIME, log_append_time=4321
    )
    as_copied = build_batch(made([(4321, k, v, h) for _, k, v, h in sent]))
    assert counted([bytes(batch)]) == counted([bytes(as_copied)])


def test_only_offsets_that_are_asked_for_count() -> None:
    sent: list[Sent] = [(n, b"k%d" % n, b"v", ()) for n in range(10)]
    batch = bytes(build_batch(made(sent, 100), base_offset=100))
    part = bytes(build_batch(made(sent[3:7])))
    assert counted([batch], 103, 107) == counted([part])


@pytest.mark.parametrize("size", [0, 5, 63, 64, 200, 8192])
def test_lengths_in_more_bytes_than_needed_count_as_the_same(size: int) -> None:
    record = Record(0, 7, b"k" * size, b"v", (("h", b"x"),))
    usual = bytes(build_batch([record]))
    header = read_header(usual)
    data = usual[61:]
    content = content_of(record)
    start = data.index(content)
    number = varint(size)
    longer = number[:-1] + bytes((number[-1] | 0x80, 0))
    odd = longer + content[len(number) :]
    inner = data[len(_first(data)) : start] + odd
    section = varint(len(inner)) + inner
    tally, other = Tally(WIDTH, 0, 9), Tally(WIDTH, 0, 9)
    tally.records(data, 0, header)
    other.records(section, 0, header)
    assert tally.buckets[0].checksum == other.buckets[0].checksum
    assert tally.buckets[0].bytes == other.buckets[0].bytes


def _first(data: bytes) -> bytes:
    """The bytes of the first record's length."""
    at = 0
    while data[at] > 127:
        at += 1
    return data[: at + 1]


@_FEW
@given(_RECORDS, st.data())
def test_damaged_records_are_refused_or_read_and_never_end_otherwise(
    sent: list[Sent], data: st.DataObject
) -> None:
    batch = bytes(build_batch(made(sent)))
    header, section = read_header(batch), bytearray(batch[61:])
    for _ in range(data.draw(st.integers(1, 3))):
        section[data.draw(st.integers(0, len(section) - 1))] = data.draw(st.integers(0, 255))
    read: list[Record] | None
    try:
        whole = batch[:61] + bytes(section)
        read = list(iter_records(whole, 0, header))
    except CorruptBatchError:
        read = None
    tally = Tally(WIDTH, -(1 << 40), 1 << 60)
    try:
        tally.records(bytes(section), 0, header)
    except CorruptBatchError:
        return
    assert read is not None
    assert sum(bucket.records for bucket in tally.buckets.values()) == len(read)


def test_a_batch_with_a_wrong_crc_is_left_to_the_caller() -> None:
    one = bytes(build_batch(made([(1, b"k", b"v", ())])))
    two = bytearray(build_batch(made([(1, b"k", b"v", ())], 1), base_offset=1))
    two[-1] ^= 1
    tally = Tally(WIDTH, 0, 9)
    assert tally.usual(one + bytes(two), 0) == (len(one), 1)
    assert tally.buckets[0].records == 1


@_FEW
@given(st.lists(st.integers(0, 2**64 - 1), max_size=8), st.integers(0, 8))
def test_chains_can_be_joined(values: list[int], at: int) -> None:
    from pykafka_ops.disk.hot.hashing import chained

    def chain(some: list[int]) -> int:
        found = 0
        for value in some:
            found = chained(found, value)
        return found

    assert joined(chain(values[:at]), chain(values[at:]), len(values[at:])) == chain(values)
