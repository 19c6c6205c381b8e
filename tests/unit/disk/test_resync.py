"""Where batches begin again behind damage."""

from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.disk.batch import read_header
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.record import Record
from pykafka_ops.disk.resync import candidates, plausible

ANY = (0, 2**31 - 1)


def made(base: int = 5, codec: Codec = Codec.NONE) -> bytes:
    records = [Record(base + n, 1000 + n, b"k", b"v" * 30) for n in range(4)]
    return bytes(build_batch(records, base_offset=base, codec=codec, leader_epoch=1))


@given(before=st.binary(max_size=300), codec=st.sampled_from(Codec))
def test_a_batch_is_found_wherever_it_begins(before: bytes, codec: Codec) -> None:
    data = before + made(codec=codec) + bytes(10)
    assert len(before) in list(candidates(data, 0, len(data), ANY))


def test_only_what_can_be_a_header_is_offered() -> None:
    good = made()
    size = len(good)
    assert plausible(good, 0, size, ANY)
    assert not plausible(good, 0, size - 1, ANY)  # longer than what is left
    assert not plausible(good, 0, size, (6, 100))  # an offset that came before
    assert not plausible(good, 0, size, (0, 4))  # an offset of the next segment
    header = read_header(good)
    assert header.record_count == 4
    for at, value in ((16, 1), (21, 1), (22, 7), (23, 0xFF), (57, 0x7F), (8, 0xFF), (12, 0x80)):
        wrong = bytearray(good)
        wrong[at] = value
        assert not plausible(bytes(wrong), 0, size, ANY), at


def test_noise_and_zeros_offer_next_to_nothing() -> None:
    noise = os.urandom(1 << 20)
    assert len(list(candidates(noise, 0, len(noise), ANY))) < 3
    for data in (bytes(1 << 20), b"\x02" * (1 << 20)):
        assert list(candidates(data, 0, len(data), ANY)) == []


def test_a_header_that_is_cut_by_the_buffer_is_not_offered() -> None:
    data = bytes(20) + made()[:60]
    assert list(candidates(data, 0, 10_000, ANY)) == []
