"""Schemas of Avro come from a registry by the ids that records carry."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import fastavro
import pytest

from pykafka_ops.errors import ConnectError, DeserializeError, PkoError
from pykafka_ops.spark.sources.formats.avro_format import avro_of_registry
from pykafka_ops.spark.sources.formats.registry import Registry
from tests.support.waiting import free_port

OLD = {"type": "record", "name": "Order", "fields": [{"name": "id", "type": "int"}]}
NEW = {
    "type": "record", "name": "Order", "fields": [
        {"name": "id", "type": "long"}, {"name": "to", "type": ["null", "Place"], "default": None},
    ],
}  # fmt: skip
PLACE = {"type": "record", "name": "Place", "fields": [{"name": "city", "type": "string"}]}
USES = {"references": [{"name": "Place", "subject": "place", "version": 1}]}
ANSWERS = {
    "/subjects/orders-value/versions/latest": {"id": 2, "schema": json.dumps(NEW), **USES},
    "/schemas/ids/1": {"schema": json.dumps(OLD)},
    "/schemas/ids/2": {"schema": json.dumps(NEW), **USES},
    "/schemas/ids/3": {"schema": "syntax", "schemaType": "PROTOBUF"},
    "/subjects/place/versions/1": {"schema": json.dumps(PLACE)},
}


class Site(BaseHTTPRequestHandler):
    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        known = ANSWERS.get(self.path)
        allowed = self.headers["Authorization"] == "Basic bWU6aHVzaA=="
        status = 401 if not allowed else 200 if known else 404
        if self.path.endswith("/503"):
            status = 503
        body = json.dumps(known or {}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Nothing is said."""


@pytest.fixture
def url() -> Iterator[str]:
    Site.asked = []
    server = HTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def written(number: int, schema: Any, value: dict[str, Any]) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, schema, value)
    return b"\0" + number.to_bytes(4, "big") + out.getvalue()


def test_records_of_older_schemas_are_read_as_the_newest(url: str) -> None:
    codec = avro_of_registry(Registry(url, "me:hush"), "orders-value")
    assert str(codec.kind) == "struct<id: int64, to: struct<city: string>>"
    new = fastavro.parse_schema(NEW, named_schemas={"Place": fastavro.parse_schema(PLACE)})
    for _ in range(2):
        old = written(1, fastavro.parse_schema(OLD), {"id": 7})
        assert codec.read(old) == {"id": 7, "to": None}
        assert codec.read(written(2, new, {"id": 8, "to": {"city": "X"}})) == {
            "id": 8, "to": {"city": "X"},
        }  # fmt: skip
    assert len(Site.asked) == len(set(Site.asked)) + 1, "each schema once, what both use twice"
    for wrong, said in (
        (b"{}", "no id of a schema"), (written(9, new, {"id": 1}), "HTTP 404"),
        (written(3, new, {"id": 1}), "PROTOBUF, not AVRO"),
    ):  # fmt: skip
        with pytest.raises(DeserializeError, match=said):
            codec.read(wrong)


def test_a_registry_that_gives_nothing_is_told_without_the_login(url: str) -> None:
    with pytest.raises(PkoError, match=r"HTTP 401 for /subjects/orders-value") as error:
        Registry(url, "me:wrong").newest("orders-value")
    assert "wrong" not in str(error.value)
    with pytest.raises(ConnectError, match=r"schema registry 127.0.0.1:\d+"):
        Registry(f"http://127.0.0.1:{free_port()}").newest("orders-value")


def test_a_schema_that_there_is_not_is_asked_for_once(url: str) -> None:
    codec = avro_of_registry(Registry(url, "me:hush"), "orders-value")
    for _ in range(3):
        for number, said in ((9, "HTTP 404"), (3, "PROTOBUF, not AVRO")):
            with pytest.raises(DeserializeError, match=said):
                codec.read(b"\0" + number.to_bytes(4, "big") + b"x")
    asked = [path for path in Site.asked if path.startswith("/schemas/ids")]
    assert asked == ["/schemas/ids/9", "/schemas/ids/3"]


def test_a_registry_in_trouble_is_no_fault_of_a_record(url: str) -> None:
    codec = avro_of_registry(Registry(url, "me:hush"), "orders-value")
    for _ in range(2):
        with pytest.raises(ConnectError, match="HTTP 503"):
            codec.read(b"\0" + (503).to_bytes(4, "big") + b"x")
    assert Site.asked.count("/schemas/ids/503") == 2
    wrong = Registry(url, "me:wrong")
    with pytest.raises(ConnectError, match="HTTP 401"):
        wrong.written(1)


def test_an_answer_that_is_no_schema_is_told(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong: tuple[tuple[object, str], ...] = (
        ({"id": 1}, "has no schema"),
        ({"schema": "x", "references": {"a": 1}}, "are not a list"),
        ({"schema": "x", "references": ["a"]}, "has no name"),
    )
    for answer, said in wrong:
        monkeypatch.setitem(ANSWERS, "/schemas/ids/4", answer)
        with pytest.raises(DeserializeError, match=f"schema registry: schema 4: .*{said}"):
            Registry(url, "me:hush").written(4)
