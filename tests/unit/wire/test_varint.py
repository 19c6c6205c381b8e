from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.errors import WireError
from pykafka_ops.wire.varint import MAX_TAGS, read_varint, skip_tags, varint


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (0, b"\0"),
        (127, b"\x7f"),
        (128, b"\x80\x01"),
        (300, b"\xac\x02"),
        (16383, b"\xff\x7f"),
        (16384, b"\x80\x80\x01"),
        (2**32 - 1, b"\xff\xff\xff\xff\x0f"),
    ],
)
def test_numbers_have_their_known_bytes(value: int, data: bytes) -> None:
    assert varint(value) == data
    assert read_varint(b"x" + data + b"y", 1) == (value, len(data) + 1)


@given(st.integers(0, 2**32 - 1))
def test_numbers_survive(value: int) -> None:
    data = varint(value)
    assert read_varint(data, 0) == (value, len(data))
    assert read_varint(memoryview(data), 0) == (value, len(data))


def test_a_longer_form_than_needed_is_read() -> None:
    assert read_varint(b"\x81\x80\x00", 0) == (1, 3)


@pytest.mark.parametrize("data", [b"\xff\xff\xff\xff\x1f", b"\x80\x80\x80\x80\x80\x00"])
def test_more_than_32_bits_are_refused(data: bytes) -> None:
    with pytest.raises(WireError, match="more than 32 bits"):
        read_varint(data, 0)


def test_a_cut_number_is_an_index_error() -> None:
    with pytest.raises(IndexError):
        read_varint(b"\x80", 0)


def test_tagged_fields_are_stepped_over_up_to_a_cap() -> None:
    tags = b"".join(varint(i) + b"\1x" for i in range(MAX_TAGS))
    assert skip_tags(tags + b"rest", 0, len(tags) + 4, MAX_TAGS) == len(tags)
    with pytest.raises(WireError, match="65 tagged fields"):
        skip_tags(tags + b"\x63\0", 0, 1000, MAX_TAGS + 1)
