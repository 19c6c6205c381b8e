"""What comes before the tokens: requests, ApiVersions, handshakes, frames that are none."""

from __future__ import annotations

import struct

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.frame import encode_request
from pykafka_ops.wire.messages.create_topics import CreateTopicsRequest
from pykafka_ops.wire.messages.describe_groups import DescribeGroupsRequest
from pykafka_ops.wire.messages.fetch import FetchRequest
from pykafka_ops.wire.messages.find_coordinator import FindCoordinatorRequest
from pykafka_ops.wire.messages.metadata import MetadataRequest
from pykafka_ops.wire.messages.produce import ProduceRequest
from pykafka_ops.wire.messages.sasl_handshake import SaslHandshakeRequest
from tests.support.differential.logins.sites import SMALL_BYTES
from tests.support.differential.logins.steps import (
    api_versions,
    ask,
    authenticate,
    frame,
    handshake,
    hang_up,
    push,
    send,
    serves,
    token,
)
from tests.support.differential.logins.talk import ENCRYPTED, Script, Step

ALICE = b"\0alice\0alice-secret"
IN = (handshake("PLAIN"), authenticate(ALICE), serves)
"""A login as it should be."""
OTHERS = {
    "Metadata": (MetadataRequest(topics=[]), 1),
    "flexible Metadata": (MetadataRequest(topics=[]), 12),
    "Produce": (ProduceRequest(acks=1, timeout_ms=100, topic_data=[]), 3),
    "Fetch": (FetchRequest(), 4),
    "FindCoordinator": (FindCoordinatorRequest(key="g"), 0),
    "CreateTopics": (CreateTopicsRequest(topics=[], timeout_ms=1), 0),
}
MAX = 524_288
"""sasl.server.max.receive.size as it is by itself."""


def header(key: int, version: int, rest: bytes = b"") -> bytes:
    """A frame with a request's header; there is no client id."""
    return struct.pack(">hhih", key, version, 7, -1) + rest


def text(name: bytes) -> bytes:
    """As a SaslHandshake has it."""
    return struct.pack(">H", len(name)) + name


def _frames() -> dict[str, Step]:
    shake = int(ApiKey.SASL_HANDSHAKE)
    whole = encode_request(SaslHandshakeRequest(mechanism="PLAIN"), 1, 7, "peer")
    return {
        "an empty frame": frame(b""),
        "a byte": frame(b"\0"),
        "two bytes": frame(b"\0\x11"),
        "a GSSAPI token": frame(b"\x60\x82\x02\x3f\x06\x09" + bytes(100)),
        "a short GSSAPI token": frame(b"\x60"),
        "zeros": frame(bytes(100)),
        "ones": frame(b"\xff" * 100),
        "text": frame(b"GET / HTTP/1.1\r\n\r\n"),
        "an unknown key": frame(header(999, 0)),
        "a negative key": frame(header(-1, 0)),
        "a negative version": frame(header(shake, -1, text(b"PLAIN"))),
        "handshake v2": frame(header(shake, 2, text(b"PLAIN"))),
        "handshake v99": frame(header(shake, 99, text(b"PLAIN"))),
        "a handshake without a body": frame(header(shake, 1)),
        "a handshake that is cut": frame(header(shake, 1, text(b"PLAIN")[:-2])),
        "a handshake with more behind": frame(header(shake, 1, text(b"PLAIN") + b"more")),
        "a handshake with null": frame(header(shake, 1, b"\xff\xff")),
        "a handshake with a negative size": frame(header(shake, 1, b"\xff\xfePLAIN")),
        "a mechanism that is no UTF-8": frame(header(shake, 1, text(b"\xff\xfe"))),
        "a client id that is no UTF-8": frame(
            struct.pack(">hhih", shake, 1, 7, 2) + b"\xff\xfe" + text(b"PLAIN")
        ),
        "a client id that is too long": frame(struct.pack(">hhih", shake, 1, 7, 500) + b"abc"),
        "a client id of size -2": frame(struct.pack(">hhih", shake, 1, 7, -2) + text(b"PLAIN")),
        "ApiVersions without a body": frame(header(int(ApiKey.API_VERSIONS), 3)),
        "a negative size": send(b"\xff\xff\xff\xff"),
        "a size of 2 GiB": send(b"\x7f\xff\xff\xff"),
        "a frame one byte too long": send(struct.pack(">i", MAX + 1)),
        "a frame of the longest size": frame(bytes(MAX)),
        "a TLS hello": send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500)),
        "half a frame": lambda talk: (push(whole[:9])(talk), hang_up(talk))[1],
        "half a size": lambda talk: (push(whole[:2])(talk), hang_up(talk))[1],
        "nothing": hang_up,
    }


MECHANISMS = ("", "plain", "PLAIN ", "GSSAPI", "SCRAM-SHA-1", "EXTERNAL", "x" * 300, "\0", "é")
FRAMES = [Script(name, (step, *IN)) for name, step in _frames().items()]
ENCRYPTED_FRAMES = [
    Script(f"{name} by TLS", (step, *IN), ENCRYPTED)
    for name, step in _frames().items()
    if "half" not in name and name != "nothing"
]
REQUESTS = [
    Script(f"{name} {when}", (*before, ask(*request), *IN))
    for name, request in OTHERS.items()
    for when, before in (
        ("at first", ()),
        ("after ApiVersions", (api_versions(),)),
        ("within a login", (handshake("PLAIN"),)),
    )
]
VERSIONS = [
    *(Script(f"ApiVersions v{n}", (api_versions(n), *IN)) for n in (0, 1, 2, 3, 4, 5, 99, -1)),
    *(
        Script(f"ApiVersions v{n} {how}", (api_versions(n), *more))
        for n in (0, 3)
        for how, more in (
            ("twice", (api_versions(n), *IN)),
            ("within a login", (handshake("PLAIN"), api_versions(n), token(ALICE), serves)),
        )
    ),
    Script("ApiVersions within a login alone", (handshake("PLAIN"), api_versions(), *IN)),
    Script("ApiVersions after a login", (*IN, api_versions())),
    Script("ApiVersions too new, then right", (api_versions(99), api_versions(3), *IN)),
    Script("ApiVersions too new, twice", (api_versions(99), api_versions(99), *IN)),
    *(
        Script(f"software {name!r} {number!r}", (api_versions(3, name, number), *IN))
        for name, number in (("", ""), ("-x", "1"), ("x", "1.0-"), ("a b", "1"), ("a", "é"))
    ),
    Script("bad software, then good", (api_versions(3, "", ""), api_versions(), *IN)),
]
HANDSHAKES = [
    *(
        Script(f"handshake v{n} for {name[:20]!r}", (handshake(name, n), *IN))
        for n in (0, 1)
        for name in MECHANISMS
    ),
    Script("handshake after an unknown mechanism", (handshake("x"), *IN)),
    *(
        Script(
            f"handshake v{first} twice, v{second}",
            (handshake("PLAIN", first), handshake("SCRAM-SHA-256", second), *IN),
        )
        for first in (0, 1)
        for second in (0, 1)
    ),
    *(
        Script(f"SaslAuthenticate v{n} without a handshake", (authenticate(ALICE, n), *IN))
        for n in (0, 1, 2)
    ),
    Script("SaslAuthenticate after ApiVersions", (api_versions(), authenticate(ALICE), *IN)),
]
SIZES = [
    *(
        Script(f"a handshake in {size} bytes", (_padded(size), *IN), "SMALL")
        for _padded in (lambda size: frame(header(17, 1, text(b"PLAIN")).ljust(size, b"x")),)
        for size in (SMALL_BYTES - 1, SMALL_BYTES, SMALL_BYTES + 1)
    ),
    *(
        Script(f"a raw token of {size} bytes", (handshake("PLAIN", 0), token(_long(size))), "SMALL")
        for _long in (lambda size: b"\0alice\0".ljust(size, b"x"),)
        for size in (SMALL_BYTES - 1, SMALL_BYTES, SMALL_BYTES + 1, 10 * SMALL_BYTES)
    ),
    *(
        Script(f"a token of {size} bytes", (handshake("PLAIN"), token(_long(size))), "SMALL")
        for _long in (lambda size: b"\0alice\0".ljust(size, b"x"),)
        for size in (SMALL_BYTES - 24, SMALL_BYTES - 10, SMALL_BYTES, 10 * SMALL_BYTES)
    ),
    Script(
        "a long request after the login",
        (*IN, ask(DescribeGroupsRequest(groups=["g" * 300] * 30), 0)),
        "SMALL",
    ),
]
SCRIPTS = [*FRAMES, *ENCRYPTED_FRAMES, *REQUESTS, *VERSIONS, *HANDSHAKES, *SIZES]
