"""Whatever arrives, decoding ends in a message or a WireError, in little time and memory."""

from __future__ import annotations

import random
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pykafka_ops.errors import WireError
from pykafka_ops.wire.apis import APIS, ApiSpec
from pykafka_ops.wire.codec import decode, encode
from pykafka_ops.wire.frame import decode_response, encode_request, read_request_header
from pykafka_ops.wire.types import Buffer
from tests.support.raising import raises_nothing, raises_only
from tests.support.wire.values import Maker

KEYS = sorted(APIS)
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
BYTES_PER_BYTE = 100
"""Most memory that decoding may take for each byte of a frame."""


def serve(frame: Buffer) -> bool:
    """What a broker does first with a frame; whether it could be read."""
    try:
        header = read_request_header(frame)
        decode(APIS[header.api_key].request, header.api_version, frame, header.body)
    except WireError:
        return False
    return True


@given(
    key=st.sampled_from(KEYS),
    seed=st.integers(0, 3),
    data=st.data(),
    edits=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), max_size=6),
    cut=st.integers(0, 40),
    grow=st.binary(max_size=6),
)
@QUICK
def test_damaged_requests_are_read_or_refused(
    key: int,
    seed: int,
    data: st.DataObject,
    edits: list[tuple[int, int]],
    cut: int,
    grow: bytes,
) -> None:
    spec = APIS[key]
    version = data.draw(st.integers(spec.min_version, spec.max_version))
    message = Maker(version, seed, small=True).make(spec.request)
    frame = bytearray(encode_request(message, version, 1, "client")[4:])
    assert serve(frame)
    for place, value in edits:
        frame[4 + place % (len(frame) - 4)] = value
    if cut < 20:
        del frame[len(frame) - cut % len(frame) :]
    frame += grow
    serve(frame)
    serve(memoryview(bytes(frame)))


@given(
    key=st.sampled_from(KEYS),
    data=st.data(),
    body=st.binary(max_size=80) | st.lists(st.sampled_from(b"\0\1\2\x7f\x80\xff")).map(bytes),
)
@QUICK
def test_any_bytes_are_read_or_refused_as_a_response(
    key: int, data: st.DataObject, body: bytes
) -> None:
    spec = APIS[key]
    version = data.draw(st.integers(spec.min_version, spec.max_version))
    for buffer in (bytes, memoryview):
        with raises_only(WireError):
            decode_response(spec.response, version, buffer(body))


@given(st.binary(max_size=200))
@QUICK
def test_any_bytes_are_read_or_refused_as_a_request(frame: bytes) -> None:
    with raises_nothing():
        serve(frame)


@given(key=st.sampled_from(KEYS), version=st.integers(-2, 20), body=st.binary(max_size=100))
@QUICK
def test_any_body_behind_a_good_header_is_read_or_refused(
    key: int, version: int, body: bytes
) -> None:
    head = key.to_bytes(2, "big") + version.to_bytes(2, "big", signed=True)
    with raises_nothing():
        serve(head + b"\0\0\0\1\xff\xff\0" + body)


HOSTILE = [
    b"\xff" * 2048,
    b"\x7f" * 2048,
    b"\x01" * 2048,
    b"\x02" * 2048,
    b"\x00" * 2048,
    b"\x00\x00\x07\xf0" + bytes(2044),
    b"\x00\x00\x00\x10" * 512,
    b"\xf0\x0f" + bytes(2046),
    b"\xf0\x0f" + b"\x01" * 2046,
    b"\xff\xff\xff\xff\x07" * 410,
    random.Random(1).randbytes(2048),
]


@pytest.mark.parametrize("spec", [pytest.param(s, id=s.name) for s in APIS.values()])
def test_hostile_frames_take_little_memory(spec: ApiSpec) -> None:
    for version in {spec.flexible - 1, spec.max_version}:
        if not spec.min_version <= version <= spec.max_version:
            continue
        for cls in (spec.request, spec.response):
            decode(cls, version, encode(cls(), version))  # compiles
            for prefix in (b"", b"\0\0\0\0"):
                for frame in HOSTILE:
                    assert peak(cls, version, prefix + frame) < BYTES_PER_BYTE * len(frame)


def peak(cls: type, version: int, frame: bytes) -> int:
    """Most bytes allocated while a frame is decoded."""
    tracemalloc.start()
    try:
        decode(cls, version, frame)
    except WireError:
        pass
    finally:
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return size
