from __future__ import annotations

import struct

import pytest

from pykafka_ops.errors import WireError
from pykafka_ops.wire.apis import APIS, ApiKey
from pykafka_ops.wire.codec import decode, encode
from pykafka_ops.wire.frame import (
    JOIN_BELOW,
    THROTTLE_TIME,
    Encoded,
    RequestHeader,
    decode_response,
    encode_request,
    read_request_header,
    response_parts,
    with_throttle_time,
)
from pykafka_ops.wire.message import table_of
from pykafka_ops.wire.messages.api_versions import (
    ApiVersion,
    ApiVersionsRequest,
    ApiVersionsResponse,
)
from pykafka_ops.wire.messages.controlled_shutdown import ControlledShutdownRequest
from pykafka_ops.wire.messages.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from pykafka_ops.wire.messages.metadata import MetadataResponse
from tests.support.each import each

BEAT = HeartbeatRequest(group_id="g")


def test_a_plain_request_has_header_v1() -> None:
    frame = encode_request(BEAT, 3, 99, "me")
    assert frame[:4] == struct.pack(">i", len(frame) - 4)
    assert frame[4:16] == struct.pack(">hhih", 12, 3, 99, 2) + b"me"
    assert read_request_header(frame[4:]) == RequestHeader(12, 3, 99, "me", 12)
    assert frame[16:] == encode(BEAT, 3)


def test_a_flexible_request_has_header_v2_with_a_plain_client_id() -> None:
    frame = encode_request(BEAT, 4, -1, "me")[4:]
    assert frame[:13] == struct.pack(">hhih", 12, 4, -1, 2) + b"me\0"
    assert read_request_header(frame) == RequestHeader(12, 4, -1, "me", 13)
    assert decode(HeartbeatRequest, 4, frame, 13) == BEAT


@pytest.mark.parametrize("version", [3, 4])
def test_a_client_id_may_be_null_or_empty(version: int) -> None:
    for client_id in (None, ""):
        frame = encode_request(BEAT, version, 1, client_id)[4:]
        assert read_request_header(frame).client_id == client_id


def test_controlled_shutdown_of_old_has_no_client_id() -> None:
    request = ControlledShutdownRequest(broker_id=7)
    frame = encode_request(request, 0, 5, "ignored")[4:]
    assert frame == struct.pack(">hhii", 7, 0, 5, 7)
    assert read_request_header(frame) == RequestHeader(7, 0, 5, None, 8)
    assert read_request_header(encode_request(request, 1, 5, "b")[4:]).client_id == "b"


def test_tagged_fields_of_a_header_are_stepped_over() -> None:
    head = struct.pack(">hhih", 12, 4, 1, -1)
    assert read_request_header(head + b"\1\5\2ab" + encode(BEAT, 4)).body == 15


def test_api_versions_of_the_future_still_has_a_readable_header() -> None:
    frame = struct.pack(">hhih", ApiKey.API_VERSIONS, 1000, 1, 2) + b"me\0whatever"
    assert read_request_header(frame) == RequestHeader(18, 1000, 1, "me", 13)


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\0\0\0",
        struct.pack(">hhi", 12, 3, 1),  # no client id
        struct.pack(">hhih", 12, 3, 1, 5) + b"me",  # client id cut
        struct.pack(">hhih", 12, 3, 1, -2),  # negative size
        struct.pack(">hhih", 12, 3, 1, 1) + b"\xff",  # bad UTF-8
        struct.pack(">hhih", 12, 4, 1, -1),  # tags missing
        struct.pack(">hhih", 12, 4, 1, -1) + b"\xff\xff\xff\xff\x0f",  # too many tags
        struct.pack(">hhih", 999, 0, 1, -1),  # unknown key
        struct.pack(">hhih", -1, 0, 1, -1),
    ],
)
def test_a_malformed_header_is_refused(frame: bytes) -> None:
    for buffer in (bytes, bytearray, memoryview):
        with pytest.raises(WireError):
            read_request_header(buffer(frame))


def whole(parts: list[bytes | bytearray | memoryview]) -> bytes:
    data = b"".join(parts)
    assert data[:4] == struct.pack(">i", len(data) - 4)
    return data[4:]


def test_response_headers_are_tagged_where_the_response_is_flexible() -> None:
    answer = HeartbeatResponse(error_code=27)
    assert whole(response_parts(answer, 3, 5)) == struct.pack(">iih", 5, 0, 27)
    assert whole(response_parts(answer, 4, 5)) == struct.pack(">ixihx", 5, 0, 27)
    for version in (3, 4):
        frame = whole(response_parts(answer, version, 5))
        assert decode_response(HeartbeatResponse, version, frame) == (5, answer)


def test_tagged_fields_of_a_response_header_are_stepped_over() -> None:
    frame = struct.pack(">i", 5) + b"\1\0\1a" + encode(HeartbeatResponse(), 4)
    assert decode_response(HeartbeatResponse, 4, frame) == (5, HeartbeatResponse())


def test_an_api_versions_response_never_has_a_tagged_header() -> None:
    answer = ApiVersionsResponse(api_keys=[ApiVersion(api_key=18, max_version=4)])
    frame = whole(response_parts(answer, 3, 5))
    assert frame == struct.pack(">i", 5) + encode(answer, 3)
    assert decode_response(ApiVersionsResponse, 3, frame) == (5, answer)
    assert read_request_header(encode_request(ApiVersionsRequest(), 3, 1, None)[4:]).body == 11


def test_an_unsupported_api_versions_request_is_answered_in_version_0() -> None:
    answer = ApiVersionsResponse(
        error_code=35, api_keys=[ApiVersion(api_key=18, min_version=0, max_version=2)]
    )
    frame = whole(response_parts(answer, 0, 5))
    assert decode_response(ApiVersionsResponse, 4, frame) == (5, answer)


@pytest.mark.parametrize("frame", [b"", b"\0\0\0", b"\0\0\0\1", b"\0\0\0\1\5", b"\0\0\0\1\0\0"])
def test_a_malformed_response_is_refused(frame: bytes) -> None:
    with pytest.raises(WireError):
        decode_response(HeartbeatResponse, 4, frame)


@pytest.mark.parametrize("version", [11, 12])
def test_long_records_of_a_response_are_not_copied(version: int) -> None:
    records = [bytes(5000), memoryview(b"a" * 70000)]
    partitions = [PartitionData(records=value) for value in records]
    answer = FetchResponse(responses=[FetchableTopicResponse(partitions=partitions)])
    parts = response_parts(answer, version, 1)
    assert [p for p in parts if any(p is r for r in records)] == records
    assert decode_response(FetchResponse, version, whole(parts)) == (1, answer)


def test_a_short_answer_is_one_buffer_and_a_long_one_is_not_copied_for_its_header() -> None:
    assert len(response_parts(HeartbeatResponse(), 4, 1)) == 1
    answer = MetadataResponse(cluster_id="x" * 30000, brokers=[])
    assert len(response_parts(answer, 9, 1)) == 1
    many = ApiVersionsResponse(api_keys=[ApiVersion()] * (JOIN_BELOW // 6 + 1))
    assert len(response_parts(many, 0, 1)) == 2
    assert decode_response(ApiVersionsResponse, 0, whole(response_parts(many, 0, 1)))[1] == many


@pytest.mark.parametrize("version", [11, 12])
def test_a_response_encoded_before_it_is_sent_is_the_same_frame(version: int) -> None:
    partitions = [PartitionData(records=memoryview(b"a" * size)) for size in (10, 70_000)]
    answer = FetchResponse(responses=[FetchableTopicResponse(partitions=partitions)])
    encoded = Encoded(answer, version)
    assert encoded.size == len(encode(answer, version))
    parts = response_parts(answer, version, 7)
    assert encoded.framed(7) == parts


@each("key", sorted(APIS))
def test_a_throttle_time_in_the_bytes_is_one_in_the_message(key: int) -> None:
    kind = APIS[key].response
    first, last = table_of(kind).versions
    for version in range(first, last + 1):
        answer = kind()
        frame = b"".join(response_parts(answer, version, 5))
        if hasattr(answer, THROTTLE_TIME):
            answer.throttle_time_ms = 0x01020304
        expected = b"".join(response_parts(answer, version, 5))
        assert with_throttle_time(frame, kind, version, 0x01020304) == expected
