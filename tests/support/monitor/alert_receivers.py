"""Real servers that alerts are sent to, which do as they are told and remember what came."""

from __future__ import annotations

import contextlib
import json
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class Hook:
    """An HTTP receiver: ``codes`` are answered one after the other, then 200; ``got`` are the
    requests as (path, headers, body). ``hold`` keeps answers back until it is set."""

    def __init__(self) -> None:
        self.codes: list[int] = []
        self.got: list[tuple[str, dict[str, str], Any]] = []
        self.hold = threading.Event()
        self.hold.set()
        self.url = ""

    def bodies(self) -> list[Any]:
        """What was taken."""
        return [body for _, _, body in self.got]


@contextmanager
def hook(certificate: Path | None = None) -> Iterator[Hook]:
    """A webhook on a free port; with ``certificate`` (and its key, PEM) over TLS."""
    found = Hook()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            body = json.loads(self.rfile.read(size))
            found.hold.wait(60)
            code = found.codes.pop(0) if found.codes else 200
            found.got.append((self.path, dict(self.headers), body))
            with contextlib.suppress(ConnectionError):  # who sent it may have had enough
                self.send_response(code)
                if code == 302:
                    self.send_header("Location", "/elsewhere")
                self.end_headers()
                self.wfile.write(f"you sent {self.path}".encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    scheme = "https" if certificate else "http"
    found.url = f"{scheme}://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield found
    finally:
        found.hold.set()
        server.shutdown()
        server.server_close()


class Mailbox:
    """An SMTP server: ``mails`` are the texts that came, ``refuse`` answers RCPT with a code."""

    def __init__(self) -> None:
        self.mails: list[str] = []
        self.refuse = 0
        self.port = 0


@contextmanager
def mailbox() -> Iterator[Mailbox]:
    """An SMTP server without TLS on a free port (RFC 5321, as much as is needed)."""
    found = Mailbox()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"220 here\r\n")
            while line := self.rfile.readline():
                word = line[:4].upper()
                if word == b"DATA":
                    self.wfile.write(b"354 go\r\n")
                    text = b""
                    while (part := self.rfile.readline()) != b".\r\n":
                        text += part
                    found.mails.append(text.decode())
                elif word == b"RCPT" and found.refuse:
                    self.wfile.write(f"{found.refuse} no\r\n".encode())
                    continue
                self.wfile.write(b"250 ok\r\n" if word != b"QUIT" else b"221 bye\r\n")

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    found.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
