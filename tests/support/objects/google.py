"""Google's object store on this machine, as far as looking goes: buckets and lists, no contents."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

BUCKET = "logs"


class _Handler(BaseHTTPRequestHandler):
    objects: Mapping[str, int]

    def do_GET(self) -> None:
        """The JSON API's answers about BUCKET and its objects."""
        parts = urlsplit(self.path)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        name = unquote(parts.path.rpartition("/o/")[2] if "/o/" in parts.path else "")
        if parts.path == f"/storage/v1/b/{BUCKET}":
            self._tell({"kind": "storage#bucket", "name": BUCKET})
        elif parts.path == f"/storage/v1/b/{BUCKET}/o":
            names = [n for n in sorted(self.objects) if n.startswith(query.get("prefix", ""))]
            self._tell({"kind": "storage#objects", "items": [self._about(n) for n in names]})
        elif name in self.objects:
            self._tell(self._about(name))
        else:
            self._send(404, b'{"error": {"code": 404, "message": "Not Found"}}')

    def _about(self, name: str) -> dict[str, str]:
        size = str(self.objects[name])
        return {"kind": "storage#object", "bucket": BUCKET, "name": name, "size": size,
                "generation": "1", "metageneration": "1",
                "updated": "2026-11-21T08:00:00Z"}  # fmt: skip

    def _tell(self, found: object) -> None:
        self._send(200, json.dumps(found).encode())

    def _send(self, code: int, body: bytes) -> None:
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing on standard error."""


@contextmanager
def google_store(objects: Mapping[str, int]) -> Iterator[str]:
    """A store with objects of these sizes in BUCKET for the block; what stands behind ``gs://.../PATH``."""
    handler = type("Handler", (_Handler,), {"objects": objects})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"?scheme=http&endpoint_override=127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
