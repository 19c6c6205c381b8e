"""A provider of OAuth 2.0 in this process: signs tokens for clients, shows the keys to brokers."""

from __future__ import annotations

import contextlib
import json
import ssl
import threading
import time
from base64 import b64decode
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

AUDIENCE = "kafka"


class TokenProvider:
    """Gives tokens for ``AUDIENCE`` to ``clients``: secrets by name. ``lives`` is for how many
    seconds a client's token is good, from now on; below 0 it has ended. With a ``certificate``
    (PEM, and its key) by https."""

    def __init__(
        self,
        clients: dict[str, str],
        lives: dict[str, int] | None = None,
        certificate: Path | None = None,
    ) -> None:
        self.clients = clients
        self.lives = lives or {}
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        if certificate is not None:
            self.url = self.url.replace("http:", "https:")
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            # A handshake waits for the first read: it is the work of the connection's own thread.
            self._server.socket = context.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    @property
    def tokens_url(self) -> str:
        return f"{self.url}/token"

    @property
    def keys_url(self) -> str:
        return f"{self.url}/keys"

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def token(self, name: str) -> str:
        """One for that client."""
        lives = self.lives.get(name, 600)
        issued = int(time.time()) + min(lives, 0) - 1
        claims = {"sub": name, "aud": AUDIENCE, "iat": issued, "exp": issued + max(lives, 1)}
        return jwt.encode(claims, self.key, "RS256", {"kid": "k"})

    def _keys(self) -> dict[str, Any]:
        found = jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        return {"keys": [{**found, "kid": "k", "use": "sig"}]}

    def _granted(self, form: dict[str, list[str]], login: str) -> dict[str, Any] | None:
        name, _, secret = b64decode(login.partition(" ")[2]).decode().partition(":")
        asks = form.get("grant_type") == ["client_credentials"]
        if not asks or self.clients.get(name, "") != secret:
            return None
        return {"access_token": self.token(name), "token_type": "Bearer", "expires_in": 600}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class _Door(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(provider._keys() if self.path == "/keys" else None)

            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers["Content-Length"])).decode()
                login = self.headers.get("Authorization", "")
                self._answer(provider._granted(parse_qs(data), login))

            def _answer(self, body: dict[str, Any] | None) -> None:
                data = json.dumps(body or {"error": "invalid_client"}).encode()
                self.send_response(200 if body else 401)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def handle(self) -> None:
                with contextlib.suppress(OSError):  # of clients that do not trust us
                    super().handle()

            def log_message(self, *args: object) -> None:
                pass

        return _Door
