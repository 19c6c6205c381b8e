"""The bytes of ``multiRead``, as ZooKeeper 3.9 has them."""

from __future__ import annotations

import struct

import pytest
from kazoo import exceptions as zk

from pykafka_ops.broker.metadata.store import Stat
from pykafka_ops.broker.metadata.zookeeper.reads import MultiRead

STAT = (7, 8, 1, 2, 3, 0, 0, 0, 4, 0, 7)
END = struct.pack("!iBi", -1, 1, -1)


def found(data: bytes | None) -> bytes:
    body = struct.pack("!i", -1) if data is None else struct.pack("!i", len(data)) + data
    return struct.pack("!iBi", 4, 0, 0) + body + struct.pack("!qqqqiiiqiiq", *STAT)


def refused(code: int) -> bytes:
    return struct.pack("!iBii", -1, 0, code, code)


def test_a_request_names_each_path_without_a_watch() -> None:
    head = struct.pack("!iBi", 4, 0, -1)
    wanted = head + b"\0\0\0\2/a\0" + head + b"\0\0\0\3/\xc3\xa4\0" + END
    assert bytes(MultiRead(["/a", "/ä"]).serialize()) == wanted


def test_a_reply_has_data_null_and_what_is_missing() -> None:
    reply = b"head" + found(b"x") + refused(-101) + found(None) + found(b"") + END
    nodes = MultiRead.deserialize(reply, 4)
    assert [node and node.data for node in nodes] == [b"x", None, None, b""]
    assert nodes[1] is None
    assert nodes[0] is not None
    assert nodes[0].stat == Stat(*STAT)


def test_what_may_not_be_read_is_an_error() -> None:
    with pytest.raises(zk.NoAuthError):
        MultiRead.deserialize(found(b"x") + refused(-102) + END, 0)
