"""Protobuf by descriptors: messages by name and by index, and why bytes are none."""

from __future__ import annotations

import pytest
from google.protobuf import descriptor_pb2

from pykafka_ops.errors import DeserializeError, UsageError
from pykafka_ops.payload.protobuf import ProtobufFiles, read_indexes
from tests.support.monitor.payloads import descriptor_set, order_file, protobuf


def files() -> ProtobufFiles:
    return ProtobufFiles({"shop.proto": order_file().SerializeToString()}, "schema")


def test_a_message_is_read_by_its_name_with_large_numbers_exact() -> None:
    data = protobuf(id=2**62, card="4111", lines=[{"sku": "a"}], at={"seconds": 0})
    assert ProtobufFiles.of_set(descriptor_set(), "shop.desc").by_name("shop.Order")(data) == {
        "id": "4611686018427387904",
        "card": "4111",
        "lines": [{"sku": "a"}],
        "at": "1970-01-01T00:00:00Z",
    }


def test_a_message_is_read_by_its_index_in_the_file() -> None:
    assert files().by_index("shop.proto", (0,))(protobuf(card="1")) == {"card": "1"}
    assert files().by_index("shop.proto", (0, 0))(protobuf("shop.Order.Line", sku="s")) == {
        "sku": "s"
    }
    for path in ((1,), (0, 1), (-1,), (0, 0, 0)):
        with pytest.raises(DeserializeError, match="no message of index"):
            files().by_index("shop.proto", path)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\x12\x05ab", "cut short"),
        (b"\xff", "cut short"),
        (b"\x82\x01\x01x", "none of its fields"),
    ],
)
def test_bytes_that_are_no_message_are_told(data: bytes, why: str) -> None:
    with pytest.raises(DeserializeError, match=why):
        files().by_index("shop.proto", (0,))(data)


def test_descriptors_that_do_not_fit_together_are_refused() -> None:
    cyclic = descriptor_pb2.FileDescriptorProto(name="a.proto", dependency=["a.proto"])
    lonely = descriptor_pb2.FileDescriptorProto(name="a.proto", dependency=["b.proto"])
    for file, why in ((cyclic, "imports itself"), (lonely, "b.proto is imported and missing")):
        with pytest.raises(UsageError, match=why):
            ProtobufFiles({"a.proto": file.SerializeToString()}, "schema")
    for data in (b"\n\x01a\x1a\x01\xff", b"\n\x01a\x12\x01\xff"):
        with pytest.raises(UsageError):
            ProtobufFiles({"a.proto": data}, "schema")
    with pytest.raises(UsageError, match="name of a file is not text"):
        ProtobufFiles.of_set(b"\n\x03\n\x01\xff", "x.desc")
    with pytest.raises(UsageError, match="not a file descriptor"):
        ProtobufFiles({"a.proto": b"\xff"}, "schema")
    for data in (b"\xff", b""):
        with pytest.raises(UsageError, match=r"x\.desc"):
            ProtobufFiles.of_set(data, "x.desc")
    with pytest.raises(UsageError, match=r"no message shop\.Odrer; there is shop\.Order"):
        files().by_name("shop.Odrer")


def test_message_indexes_are_those_of_confluent() -> None:
    assert read_indexes(b"\x00rest") == ((0,), 1)
    assert read_indexes(b"\x04\x02\x00rest") == ((1, 0), 3)
    for data in (b"", b"\x04\x02", b"\xff\xff\xff\xff\xff\xff", b"\x01"):
        with pytest.raises(DeserializeError):
            read_indexes(data)
