"""Keys and values as the monitor reads them, and what addresses and registries hand it."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from typing import Any

from pykafka_ops.disk.record import Record
from pykafka_ops.errors import PkoError
from pykafka_ops.monitor.messages.cursor import OffsetStretch, read_cursor, write_cursor
from pykafka_ops.monitor.messages.decoding import SchemaFiles, TopicDecoder
from pykafka_ops.monitor.messages.internal import OFFSETS, TRANSACTIONS, marker_parts
from pykafka_ops.monitor.messages.masks import TopicMask
from pykafka_ops.monitor.messages.registry import SchemaRegistry
from pykafka_ops.monitor.messages.settings import RegistrySettings
from pykafka_ops.monitor.messages.shown import record_json
from pykafka_ops.payload.kinds import KINDS, REGISTRY, kind_of
from pykafka_ops.payload.protobuf import ProtobufFiles
from tests.support.monitor.payloads import ORDER, ORDER_AVRO, avro, framed, order_file, protobuf
from tests.support.waiting import PATIENCE


@cache
def _registry() -> SchemaRegistry:
    """Schema 1 is Avro, 2 Protobuf, all others JSON."""
    import base64

    file = base64.b64encode(order_file().SerializeToString()).decode()

    def ask(_: RegistrySettings, path: str) -> Any:
        if path == "/schemas/ids/1":
            return {"schema": json.dumps(ORDER_AVRO)}
        if path.startswith("/schemas/ids/2"):
            return {"schema": file, "schemaType": "PROTOBUF"}
        return {"schema": "{}", "schemaType": "JSON"}

    return SchemaRegistry(RegistrySettings("http://registry"), ask=ask)


def payloads(data: bytes) -> None:
    """Each is shown, as what it is or with the reason; no cursor and descriptor does harm."""
    for topic in ("orders", OFFSETS, TRANSACTIONS):
        decoder = TopicDecoder(topic, TopicMask((), topic), files=SchemaFiles(()),
                               registry=_registry(), seconds=lambda: PATIENCE)  # fmt: skip
        record = Record(0, 0, data[: len(data) // 2], data, (("h", data),))
        json.loads(record_json(decoder.shown(0, record, "committed").kept()))
    marker_parts(Record(0, 0, data, data))
    with suppress(ValueError):
        read_cursor(data.decode("latin-1"))
    assert kind_of(data).kind in (*KINDS, REGISTRY)
    with suppress(PkoError):
        ProtobufFiles.of_set(data, "set").names()


def payload_seeds() -> list[bytes]:
    """Values of every format, a cursor, a descriptor set."""
    from tests.support.monitor.payloads import descriptor_set

    return [
        framed(1, avro(ORDER)), framed(2, b"\x00" + protobuf(id=5, card="x", lines=[{"sku": "a"}])),
        framed(3, b'{"a":[1.10,{"b":null}]}'), b'{"a":[1.10,{"b":"\\ud800"}]}', "é".encode() * 9,
        write_cursor("newest", {0: OffsetStretch(1, 9)}).encode(), descriptor_set(),
    ]  # fmt: skip
