"""Keys and values of every format, and the schemas that they were written with."""

from __future__ import annotations

import io
from typing import Any

import fastavro
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

ORDER_AVRO = {
    "type": "record",
    "name": "Order",
    "namespace": "shop",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "card", "type": "string"},
        {"name": "lines", "type": {"type": "array", "items": {
            "type": "record", "name": "Line",
            "fields": [{"name": "sku", "type": "string"}, {"name": "card", "type": "string"}],
        }}},
    ],
}  # fmt: skip
ORDER = {"id": 2**53 + 1, "card": "4111", "lines": [{"sku": "a", "card": "5222"}]}


def avro(value: object, schema: Any = ORDER_AVRO) -> bytes:
    """Avro data without a header."""
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), value)
    return out.getvalue()


def framed(number: int, data: bytes) -> bytes:
    """Behind a zero and the id of its schema."""
    return b"\x00" + number.to_bytes(4, "big") + data


def order_file(name: str = "shop.proto") -> descriptor_pb2.FileDescriptorProto:
    """``shop.Order`` with an id, a card and, nested, ``shop.Order.Line``; it imports a time."""
    file = descriptor_pb2.FileDescriptorProto(name=name, package="shop", syntax="proto3")
    file.dependency.append("google/protobuf/timestamp.proto")
    order = file.message_type.add(name="Order")
    kinds = descriptor_pb2.FieldDescriptorProto
    order.field.add(name="id", number=1, type=kinds.TYPE_INT64, label=kinds.LABEL_OPTIONAL)
    order.field.add(name="card", number=2, type=kinds.TYPE_STRING, label=kinds.LABEL_OPTIONAL)
    line = order.nested_type.add(name="Line")
    line.field.add(name="sku", number=1, type=kinds.TYPE_STRING, label=kinds.LABEL_OPTIONAL)
    order.field.add(
        name="lines",
        number=3,
        type=kinds.TYPE_MESSAGE,
        type_name=".shop.Order.Line",
        label=kinds.LABEL_REPEATED,
    )
    order.field.add(name="at", number=4, type=kinds.TYPE_MESSAGE, label=kinds.LABEL_OPTIONAL,
                    type_name=".google.protobuf.Timestamp")  # fmt: skip
    return file


def protobuf(message: str = "shop.Order", **fields: object) -> bytes:
    """A message of ``order_file``."""
    pool = descriptor_pool.DescriptorPool()
    time = descriptor_pb2.FileDescriptorProto()
    from google.protobuf import timestamp_pb2

    timestamp_pb2.DESCRIPTOR.CopyToProto(time)
    pool.Add(time)
    pool.Add(order_file())
    made = message_factory.GetMessageClass(pool.FindMessageTypeByName(message))
    data: bytes = made(**fields).SerializeToString()
    return data


def descriptor_set() -> bytes:
    """As ``protoc --descriptor_set_out`` writes it, without imports."""
    return descriptor_pb2.FileDescriptorSet(file=[order_file()]).SerializeToString()
