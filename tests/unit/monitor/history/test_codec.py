"""Points survive the way to bytes and back; damaged bytes are refused."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.errors import CorruptError
from pykafka_ops.monitor.history.codec import (
    OpenSegments,
    decode,
    decode_round,
    encode_rolled,
    encode_round,
    from_code,
    plain,
    to_code,
)
from pykafka_ops.monitor.history.model import MOST_MS, STEPS, HistoryPoint
from tests.support.raising import raises_only

TIMES = st.integers(0, MOST_MS - 1)
WHOLE = st.integers(-(1 << 63), (1 << 63) - 1)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(TIMES, st.one_of(WHOLE, FLOATS))))
def test_points_come_back_in_the_order_of_recording(points: list[tuple[int, float]]) -> None:
    segments = OpenSegments()
    kept = [(at_ms, plain(value)) for at_ms, value in points]
    for at_ms, value in kept:
        assert value is not None
        segments.add(at_ms, value)
    assert [(p.at_ms, p.last) for p in decode(segments.encoded(), 1)] == kept


@given(FLOATS)
def test_floats_keep_24_binary_digits_and_their_order(value: float) -> None:
    kept = from_code(to_code(value))
    if 1e-300 < abs(value) < 1e300:
        assert abs(kept - value) <= abs(value) * 2**-24
    assert from_code(to_code(kept)) == kept
    following = math.nextafter(value, math.inf)
    if math.isfinite(following):
        assert to_code(value) <= to_code(following)


def test_what_is_no_number_is_unknown() -> None:
    assert [plain(value) for value in (math.nan, math.inf, -math.inf, 10**400)] == [None] * 4
    assert plain(1 << 63) == float(1 << 63)
    assert plain(True) == 1


@given(st.dictionaries(st.integers(0, 1 << 20), st.lists(st.one_of(WHOLE, FLOATS), min_size=1)))
def test_roll_ups_come_back(by_step: dict[int, list[float]]) -> None:
    points = []
    for step in sorted(by_step):
        kept = [value for value in map(plain, by_step[step]) if value is not None]
        if any(isinstance(value, float) for value in kept):
            kept = [from_code(to_code(float(value))) for value in kept]
        points.append(HistoryPoint(step * STEPS[1], kept[-1], min(kept), max(kept)))
    assert list(decode(encode_rolled(points, STEPS[1]), STEPS[1])) == points


@given(TIMES, st.dictionaries(st.integers(1, 1 << 40), st.one_of(WHOLE, FLOATS)))
def test_rounds_of_the_journal_come_back(at_ms: int, values: dict[int, float]) -> None:
    kept = [(series, plain(value)) for series, value in values.items()]
    row = encode_round(at_ms, [(series, v) for series, v in kept if v is not None])
    assert decode_round(row) == (at_ms, kept)


@given(st.binary(max_size=200), st.integers(0, 300), st.integers(0, 255))
def test_damaged_bytes_raise_nothing_but_what_is_declared(noise: bytes, at: int, byte: int) -> None:
    segments = OpenSegments()
    for index in range(60):
        segments.add(1_700_000_000_000 + index * 15_000, index * index)
    damaged = bytearray(segments.encoded())
    damaged[at % len(damaged)] = byte
    for data in (noise, bytes(damaged), bytes(damaged[: at % len(damaged)])):
        with raises_only(CorruptError):
            list(decode(data, 1))
        with raises_only(CorruptError):
            decode_round(data)


def test_what_unpacks_to_more_than_a_segment_may_hold_is_refused() -> None:
    import zlib

    from pykafka_ops.monitor.history.codec import put

    packed = zlib.compress(bytes(10 << 20))
    head = bytearray([128])
    put(head, len(packed))
    with pytest.raises(CorruptError, match="too long"):
        list(decode(bytes(head) + packed, 1))


def test_a_point_of_a_steady_counter_takes_few_bytes() -> None:
    segments = OpenSegments()
    for index in range(240):
        segments.add(1_700_000_000_000 + index * 15_000 + index % 7, 10**9 + index * 900)
    assert len(segments.encoded()) < 240 * 3
