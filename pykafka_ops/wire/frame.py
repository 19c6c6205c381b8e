"""Frames: the 4-byte length, request headers v0 to v2, response headers v0 and v1.

A request header is v2 (with tagged fields) where the request is flexible, else v1;
ControlledShutdown version 0 has v0, without a client id. A response header is v1 where the response
is flexible, but always v0 for ApiVersions, since a client must be able to read that answer before
it knows what the broker speaks (KIP-511).
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple, TypeVar

from pykafka_ops.errors import WireError
from pykafka_ops.wire.apis import APIS, ApiKey
from pykafka_ops.wire.codec import decode, encode, encode_parts
from pykafka_ops.wire.message import table_of
from pykafka_ops.wire.types import Buffer, Part, Scalar, joined
from pykafka_ops.wire.varint import skip_tags

T = TypeVar("T")

JOIN_BELOW: Final = 65536
"""A first part up to this size is copied behind the header; one write instead of two."""

THROTTLE_TIME: Final = "throttle_time_ms"
"""The field of a response that says for how many ms the client is throttled (KIP-219)."""

_FIXED: Final = struct.Struct(">hhi")
_FIXED_AND_SIZE: Final = struct.Struct(">hhih")
_UNSUPPORTED_VERSION: Final = b"\0\x23"
_INT32: Final = struct.Struct(">i")
_TWO_INT32: Final = struct.Struct(">ii")


class RequestHeader(NamedTuple):
    """What stands before a request; ``body`` is the offset of the request in its frame."""

    api_key: int
    api_version: int
    correlation_id: int
    client_id: str | None
    body: int


def read_request_header(frame: Buffer) -> RequestHeader:
    """The header of a request frame (without the length).

    The version is not held against what we serve: that is for the caller, who must answer
    ApiVersions in any version. WireError for an unknown key or bytes that are no header.
    """
    try:
        key, version, correlation_id, size = _FIXED_AND_SIZE.unpack_from(frame)
        spec = APIS.get(key)
        if spec is None:
            raise WireError(f"unknown API key {key}")
        if key == ApiKey.CONTROLLED_SHUTDOWN and version == 0:
            return RequestHeader(key, version, correlation_id, None, 8)
        pos = 10 + max(size, 0)
        if size < -1 or pos > len(frame):
            raise WireError(f"request header of {spec.name} has a client id of {size} bytes")
        client_id = None if size == -1 else str(frame[10:pos], "utf-8")
        if version >= spec.flexible:
            tags = frame[pos]
            pos += 1
            if tags:
                pos = skip_tags(frame, pos, len(frame), tags)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise WireError(f"request header is malformed: {error}") from error
    return RequestHeader(key, version, correlation_id, client_id, pos)


def encode_request(msg: object, version: int, correlation_id: int, client_id: str | None) -> bytes:
    """A whole request: length, header, body."""
    head = _request_head(type(msg), version, correlation_id, client_id)
    body = encode(msg, version)
    return b"".join((_INT32.pack(len(head) + len(body)), head, body))


def request_parts(
    msg: object, version: int, correlation_id: int, client_id: str | None
) -> list[Part]:
    """A whole request as buffers to send one after the other; long records are not copied."""
    parts: list[Part] = []
    encode_parts(msg, version, parts)
    head = _request_head(type(msg), version, correlation_id, client_id)
    size = len(head) + sum(map(len, parts))
    return [_INT32.pack(size) + head, *parts]


def _request_head(kind: type, version: int, correlation_id: int, client_id: str | None) -> bytes:
    table = table_of(kind)
    head = _FIXED.pack(table.api, version, correlation_id)
    if table.api != ApiKey.CONTROLLED_SHUTDOWN or version > 0:
        name = b"" if client_id is None else client_id.encode()
        head += struct.pack(">h", -1 if client_id is None else len(name)) + name
    if table.is_flexible(version):
        head += b"\0"
    return head


def response_parts(msg: object, version: int, correlation_id: int) -> list[Part]:
    """A whole response as buffers to write one after the other; long records are not copied."""
    parts: list[Part] = []
    encode_parts(msg, version, parts)
    return framed(parts, type(msg), version, correlation_id)


class Encoded:
    """A response encoded before it is sent, because its size decides whether it is sent, or because
    it is sent several times.

    ``size`` is in bytes, without the header.
    """

    __slots__ = ("_kind", "_parts", "_version", "message", "size")

    def __init__(self, msg: object, version: int) -> None:
        self.message = msg
        self._kind, self._version = type(msg), version
        self._parts: list[Part] = []
        encode_parts(msg, version, self._parts)
        self.size = sum(map(len, self._parts))

    def framed(self, correlation_id: int) -> list[Part]:
        """As :func:`response_parts`."""
        return framed([*self._parts], self._kind, self._version, correlation_id)

    def join(self) -> None:
        """Have it in one buffer from now on."""
        self._parts = [joined(self._parts)]


class Framed:
    """A whole response that is ready to be sent; it has ``codes`` error codes, all of them NONE."""

    __slots__ = ("_parts", "codes")

    def __init__(self, parts: list[Part], codes: int) -> None:
        self._parts = parts
        self.codes = codes

    def framed(self, correlation_id: int) -> list[Part]:
        """As :meth:`Encoded.framed`; the id is in it already."""
        return self._parts


class EncodedAnswer:
    """A response without tagged fields, in bytes from behind the correlation id on; ``code`` is the
    only error code that it has."""

    __slots__ = ("_bytes", "_size", "code")

    def __init__(self, data: bytes, code: int) -> None:
        self._bytes, self._size = data, 4 + len(data)
        self.code = code

    def frame(self, correlation_id: int) -> bytes:
        """All of it."""
        return _TWO_INT32.pack(self._size, correlation_id) + self._bytes


def framed(parts: list[Part], kind: type, version: int, correlation_id: int) -> list[Part]:
    """A whole response of class ``kind`` from the buffers of its message; they are used up."""
    tags = whole_head(kind, version)
    head = _INT32.pack(4 + len(tags) + sum(map(len, parts))) + _INT32.pack(correlation_id) + tags
    first = parts[0] if parts else None
    if isinstance(first, Buffer) and len(first) < JOIN_BELOW:
        parts[0] = head + first
    else:
        parts.insert(0, head)
    return parts


def with_throttle_time(frame: bytes, kind: type, version: int, throttle_ms: int) -> bytes:
    """The ``frame`` of a response of class ``kind``, its ``throttle_time_ms`` (of 0) replaced.

    As it is if that version has no such field. Only for responses without tagged fields, which
    would stand behind it.
    """
    fields = [f for f in table_of(kind).fields if f.exists(version) and not f.is_tagged(version)]
    names = [field.name for field in fields]
    if THROTTLE_TIME not in names:
        return frame
    if names[-1] == THROTTLE_TIME:
        at = len(frame) - 4 - table_of(kind).is_flexible(version)
    else:  # nothing but numbers is before it
        before = [
            f.kind.size for f in fields[: names.index(THROTTLE_TIME)] if type(f.kind) is Scalar
        ]
        at = 8 + _has_tagged_header(kind, version) + sum(before)
    return frame[:at] + _INT32.pack(throttle_ms) + frame[at + 4 :]


def decode_response(cls: type[T], version: int, frame: Buffer) -> tuple[int, T]:
    """Correlation id and message of a response frame (without the length).

    An ApiVersions response that says UNSUPPORTED_VERSION is read as version 0, whatever was asked.
    """
    if table_of(cls).api == ApiKey.API_VERSIONS and bytes(frame[4:6]) == _UNSUPPORTED_VERSION:
        version = 0
    try:
        (correlation_id,) = _INT32.unpack_from(frame)
        pos = 4
        if _has_tagged_header(cls, version):
            tags = frame[pos]
            pos += 1
            if tags:
                pos = skip_tags(frame, pos, len(frame), tags)
    except (struct.error, IndexError) as error:
        raise WireError(f"response header is malformed: {error}") from error
    return correlation_id, decode(cls, version, frame, pos)


def whole_head(kind: type, version: int) -> bytes:
    """What stands between correlation id and fields of a response of class ``kind``."""
    return b"\0" if _has_tagged_header(kind, version) else b""


def _has_tagged_header(response: type, version: int) -> bool:
    table = table_of(response)
    return table.is_flexible(version) and table.api != ApiKey.API_VERSIONS
