"""A schema registry in this process: schemas by id and by subject, as Confluent's API has them."""

from __future__ import annotations

import base64
import json
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

from tests.support.waiting import PATIENCE

Body = dict[str, Any]


class RegistryServer:
    """``paths`` are its answers; ``login``: user and password that it wants. ``mute`` has it take
    questions and answer none, until it is stopped."""

    def __init__(self, login: tuple[str, str] | None = None) -> None:
        self.paths: dict[str, Body] = {}
        self.asked: list[str] = []
        self.login = login
        self.mute = self.dripping = False
        self.ended = threading.Event()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                with suppress(OSError):
                    owner.answer(self)

            def log_message(self, *_: object) -> None:
                """Not into the tests' output."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.01,), daemon=True
        )

    def __enter__(self) -> RegistryServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(PATIENCE)

    def add(self, number: int, schema: object, kind: str = "AVRO", **more: object) -> None:
        """A schema by its id."""
        text = schema if isinstance(schema, str) else json.dumps(schema)
        body = {"schema": text, **more} if kind == "AVRO" else {
            "schema": text, "schemaType": kind, **more
        }  # fmt: skip
        self.paths[f"/schemas/ids/{number}"] = body

    def add_protobuf(self, number: int, file: bytes, **more: object) -> None:
        """A file descriptor by its id."""
        text = base64.b64encode(file).decode()
        self.add(number, 'syntax = "proto3";', "PROTOBUF", **more)
        self.paths[f"/schemas/ids/{number}?format=serialized"] = {
            "schema": text, "schemaType": "PROTOBUF", **more
        }  # fmt: skip

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Answer one question."""
        path = unquote(request.path)
        self.asked.append(path)
        if self.mute:
            self.ended.wait(PATIENCE)
            return
        status, body = self._found(path, request.headers.get("Authorization"))
        data = json.dumps(body).encode()
        request.send_response(status)
        request.send_header("Content-Type", "application/vnd.schemaregistry.v1+json")
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        if self.dripping:
            for byte in data:
                request.wfile.write(bytes((byte,)))
                if self.ended.wait(0.05):
                    return
        request.wfile.write(data)

    def _found(self, path: str, sent: str | None) -> tuple[int, Body]:
        if self.login is not None:
            wanted = base64.b64encode(":".join(self.login).encode()).decode()
            if sent != f"Basic {wanted}":
                return 401, {"error_code": 40101, "message": "Unauthorized"}
        if path in self.paths:
            return 200, self.paths[path]
        return 404, {"error_code": 40403, "message": "Schema not found"}
