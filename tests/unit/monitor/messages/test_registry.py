"""Schemas of a registry: by id, with those they use; and what is wrong with the registry."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from pykafka_ops.disk.record import Record
from pykafka_ops.errors import DeserializeError
from pykafka_ops.monitor.alerts.settings.receivers import Secret
from pykafka_ops.monitor.messages import registry_http
from pykafka_ops.monitor.messages.decoding import SchemaFiles, TopicDecoder
from pykafka_ops.monitor.messages.masks import TopicMask
from pykafka_ops.monitor.messages.parts import DecodedPart
from pykafka_ops.monitor.messages.registry import (
    AGAIN_SECONDS,
    ASKING,
    KEPT,
    SchemaRegistry,
)
from pykafka_ops.monitor.messages.registry_http import RegistryError
from pykafka_ops.monitor.messages.settings import DecodeRule, RegistrySettings
from pykafka_ops.payload.registry_answers import MOST_REFERENCES
from tests.support.monitor.payloads import (
    ORDER,
    ORDER_AVRO,
    avro,
    descriptor_set,
    framed,
    order_file,
    protobuf,
)
from tests.support.monitor.schema_registry import RegistryServer
from tests.support.waiting import PATIENCE


@pytest.fixture
def server() -> Iterator[RegistryServer]:
    with RegistryServer() as server:
        yield server


def decoder(registry: SchemaRegistry | None, value: str = "auto") -> TopicDecoder:
    rules = (DecodeRule("a", (), value=value),)
    return TopicDecoder("orders", TopicMask((), "orders"), value=value, files=SchemaFiles(rules),
                        registry=registry, seconds=lambda: PATIENCE)  # fmt: skip


def decoded(server: RegistryServer, data: bytes, **more: Any) -> DecodedPart:
    settings = RegistrySettings(server.url, timeout_ms=int(PATIENCE * 1000))
    registry = SchemaRegistry(settings, **more)
    return decoder(registry).shown(0, Record(0, 0, None, data), "committed").value


def test_avro_protobuf_and_json_are_read_by_the_id_before_them(server: RegistryServer) -> None:
    server.add(1, ORDER_AVRO)
    server.add_protobuf(2, order_file().SerializeToString())
    server.add(3, {"type": "object"}, "JSON")
    part = decoded(server, framed(1, avro(ORDER)))
    assert (part.format, part.data, part.schema_id, part.schema) == ("avro", ORDER, 1, "shop.Order")
    part = decoded(server, framed(2, b"\x00" + protobuf(id=2**60)))
    assert (part.format, part.data) == ("protobuf", {"id": str(2**60)})
    part = decoded(server, framed(2, b"\x04\x00\x00" + protobuf("shop.Order.Line", sku="s")))
    assert part.data == {"sku": "s"}
    part = decoded(server, framed(3, b'{"n":1.10}'))
    assert (part.format, part.text()) == ("json", '{"n":1.10}')


def test_schemas_that_a_schema_uses_are_asked_for(server: RegistryServer) -> None:
    line = {"type": "record", "name": "shop.Line", "fields": [{"name": "sku", "type": "string"}]}
    order = {"type": "record", "name": "shop.Order", "fields": [{"name": "l", "type": "shop.Line"}]}
    server.paths["/subjects/a/b/versions/7"] = {"schema": json.dumps(line)}
    server.add(1, order, references=[{"name": "shop.Line", "subject": "a/b", "version": 7}])
    assert decoded(server, framed(1, b"\x02x")).data == {"l": {"sku": "x"}}


def test_schemas_that_use_each_other_without_end_are_refused(server: RegistryServer) -> None:
    for n in range(MOST_REFERENCES + 2):
        server.paths[f"/subjects/s{n}/versions/1"] = {
            "schema": '"string"',
            "references": [{"name": f"n{n + 1}", "subject": f"s{n + 1}", "version": 1}],
        }
    server.add(1, '"string"', references=[{"name": "n0", "subject": "s0", "version": 1}])
    assert "uses more than 50 others" in decoded(server, framed(1, b"\x02x")).error
    server.add(2, '"string"', references=[{"name": "me", "subject": "me", "version": 1}])
    server.paths["/subjects/me/versions/1"] = server.paths["/schemas/ids/2"]
    assert decoded(server, framed(2, b"\x02x")).data == "x"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"schema": "{"}, "no JSON"), ({"schema": '"strin"'}, "UnknownType"), ({}, "has no schema"),
        ({"schema": 1, "schemaType": "AVRO", "references": 5}, "references are not a list"),
        ({"schema": "[" * 50_000}, "no JSON"), ({"schema": "x", "schemaType": "XML"}, "type XML"),
        ({"schema": '{"type":"array","items":"null"}'}, "take no bytes"),
        ({"schema": "x", "schemaType": "PROTOBUF"}, "HTTP 404"),
    ],
)  # fmt: skip
def test_a_schema_that_cannot_be_used_is_told_in_one_line(
    server: RegistryServer, body: dict[str, Any], why: str
) -> None:
    server.paths["/schemas/ids/1"] = body
    part = decoded(server, framed(1, b"\x02x"))
    assert (part.format, part.data, part.schema_id) == ("hex", "00 00 00 00 01 02 78", 1)
    assert why in part.error
    assert "\n" not in part.error


def test_protobuf_as_text_alone_asks_for_a_descriptor_file(server: RegistryServer) -> None:
    server.add(1, "syntax = 'proto3';", "PROTOBUF")
    server.paths["/schemas/ids/1?format=serialized"] = server.paths["/schemas/ids/1"]
    assert "name a descriptor file in [decode.NAME]" in decoded(server, framed(1, b"\x00")).error


def test_bytes_that_are_not_of_their_schema_are_told(server: RegistryServer) -> None:
    server.add(1, ORDER_AVRO)
    server.add_protobuf(2, order_file().SerializeToString())
    for data, why in (
        (framed(1, b"\x02"), "not of schema 1 (avro): cut short"),
        (framed(1, avro(ORDER) + b"x"), "1 bytes are left over"),
        (framed(2, b"\x02\x14"), "no message of index [10]"),
        (framed(2, b""), "message indexes are cut short"),
        (framed(99, b"x"), "schema 99: schema registry: HTTP 404 Schema not found"),
    ):
        part = decoded(server, data)
        assert part.format == "hex"
        assert why in part.error


def test_what_only_looks_like_a_schema_id_is_read_as_before(server: RegistryServer) -> None:
    assert decoded(server, b"\x00" * 8).format == "hex"
    assert decoded(server, b"\x00\x00").format == "hex"
    assert server.asked == []
    without = decoder(None).shown(0, Record(0, 0, None, framed(42, b"x")), "committed").value
    assert without.error == "begins as of schema 42; this cluster has no [schema-registry]"


def test_a_login_is_sent_and_never_told(
    server: RegistryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.login = ("pko", "geheim")
    server.add(1, '"string"')
    settings = RegistrySettings(server.url, "pko", Secret("env", "REGISTRY_PASSWORD"))
    monkeypatch.setenv("REGISTRY_PASSWORD", "geheim")
    assert SchemaRegistry(settings).schema(1, PATIENCE).read(b"\x02x") == "x"
    for value, why in (("geheim2", "HTTP 401"), ("", "REGISTRY_PASSWORD is empty")):
        monkeypatch.setenv("REGISTRY_PASSWORD", value)
        with pytest.raises(DeserializeError, match=why) as error:
            SchemaRegistry(settings).schema(1, PATIENCE)
        assert "geheim" not in str(error.value)


def test_a_registry_that_says_nothing_holds_up_no_search(server: RegistryServer) -> None:
    server.mute = True
    registry = SchemaRegistry(RegistrySettings(server.url, timeout_ms=200))
    with pytest.raises(DeserializeError, match="has not answered yet"):
        registry.schema(1, 0.0)
    with pytest.raises(DeserializeError, match=r"no answer within 0\.2 s"):
        registry.schema(1, PATIENCE)
    asked = len(server.asked)
    with pytest.raises(DeserializeError, match="no answer"):
        registry.schema(1, 0.0)
    assert len(server.asked) == asked


def test_an_answer_that_drips_in_ends_in_time(server: RegistryServer) -> None:
    server.dripping = True
    server.add(1, '"string"' + " " * 5_000)
    with pytest.raises(RegistryError, match=r"no answer within 0\.3 s"):
        registry_http.ask_registry(RegistrySettings(server.url, timeout_ms=300), "/schemas/ids/1")


def test_an_answer_that_is_too_large_is_refused(
    server: RegistryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry_http, "MOST_ANSWER", 1_000)
    server.add(1, "x" * 2_000)
    with pytest.raises(RegistryError, match="more than 1,000 bytes"):
        registry_http.ask_registry(RegistrySettings(server.url), "/schemas/ids/1")


def test_nobody_there_and_no_certificates_are_told() -> None:
    for settings, why in (
        (RegistrySettings("http://127.0.0.1:9"), "Connection refused"),
        (RegistrySettings("https://127.0.0.1:9", ca_file="/nonexistent"), "No such file"),
    ):
        with pytest.raises(RegistryError, match=why):
            registry_http.ask_registry(settings, "/schemas/ids/1")


def test_a_failure_stands_for_a_while_and_schemas_for_good() -> None:
    now = [0.0]
    asked: list[str] = []
    broken = [True]

    def ask(_: RegistrySettings, path: str) -> Any:
        asked.append(path)
        if broken[0]:
            raise RegistryError("away")
        return {"schema": '"string"'}

    registry = SchemaRegistry(RegistrySettings("http://x"), ask=ask, clock=lambda: now[0])
    for _ in range(3):
        with pytest.raises(DeserializeError, match="away"):
            registry.schema(1, PATIENCE)
    assert len(asked) == 1
    now[0], broken[0] = AGAIN_SECONDS + 1, False
    for _ in range(3):
        assert registry.schema(1, PATIENCE).kind == "avro"
    assert len(asked) == 2
    for number in range(2, KEPT + 2):
        registry.schema(number, PATIENCE)
    registry.schema(1, PATIENCE)
    assert asked.count("/schemas/ids/1") == 3


def test_no_more_questions_wait_than_may() -> None:
    held = threading.Event()

    def ask(_: RegistrySettings, path: str) -> Any:
        held.wait(PATIENCE)
        return {"schema": '"string"'}

    registry = SchemaRegistry(RegistrySettings("http://x"), ask=ask, clock=time.monotonic)
    for number in range(ASKING):
        with pytest.raises(DeserializeError, match="not answered yet"):
            registry.schema(number, 0.0)
    with pytest.raises(DeserializeError, match="enough questions wait"):
        registry.schema(99, PATIENCE)
    held.set()
    assert registry.schema(0, PATIENCE).kind == "avro"


def test_files_of_the_configuration_come_first(tmp_path: Any) -> None:
    file = tmp_path / "order.desc"
    file.write_bytes(descriptor_set())
    schema = tmp_path / "order.avsc"
    schema.write_text(json.dumps(ORDER_AVRO))

    def value(spec: str, data: bytes) -> DecodedPart:
        return decoder(None, spec).shown(0, Record(0, 0, None, data), "committed").value

    spec = f"protobuf:{file}:shop.Order"
    assert value(spec, protobuf(card="1")).data == {"card": "1"}
    assert value(spec, framed(5, b"\x00" + protobuf(card="1"))).data == {"card": "1"}
    assert value(spec, b"\xff").error.startswith("not protobuf: no shop.Order")
    assert value(f"avro:{schema}", framed(5, avro(ORDER))).data == ORDER
    assert value(f"avro:{schema}", avro(ORDER)[:-1]).error == "not avro: cut short"
