"""A receiver of alerts in the form ``generic``."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Told = tuple[str, str, str]
"""State, rule and subject of an alert."""


class Webhook:
    """Listens from the start; ``messages`` are all that came, in order."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        messages = self.messages

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                messages.append(json.loads(body))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def told(self) -> list[Told]:
        """Every alert of every message, with the state of the message."""
        return [
            (message["state"], alert["rule"], " ".join(map(str, alert["subject"].values())))
            for message in list(self.messages)
            for alert in message["alerts"]
        ]
