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
