"""An OpenID provider in this process: it signs real tokens, and lies as a test tells it to."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, unquote_plus, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa


class OidcProvider:
    """``claims`` and ``head`` replace what a token says; ``says`` what it says of itself; ``key``
    is what it signs with. ``answers`` are bodies by path instead of the right ones."""

    def __init__(self, client: str = "monitor", secret: str = "s3cret") -> None:
        self.client, self.secret = client, secret
        self.claims: dict[str, Any] = {"preferred_username": "anna", "groups": ["readers"]}
        self.head: dict[str, Any] = {"kid": "k1"}
        self.algorithm = "RS256"
        self.key: Any = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.public = {"k1": self.key}
        self.says: dict[str, Any] = {}
        self.answers: dict[str, bytes] = {}
        self.asked: list[str] = []
        self._codes: dict[str, dict[str, str]] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def agree(self, url: str) -> dict[str, str]:
        """What a person's browser comes back with after a login at the address ``url``."""
        query = dict(parse_qsl(urlsplit(url).query))
        assert query["response_type"] == "code"
        assert query["code_challenge_method"] == "S256"
        code = f"code-{len(self._codes)}"
        self._codes[code] = query
        return {"code": code, "state": query["state"], "iss": self.issuer}

    def token(self, query: dict[str, str]) -> str:
        now = int(time.time())
        claims = {
            "iss": self.issuer, "aud": self.client, "sub": "u-1", "iat": now, "exp": now + 60,
            "nonce": query["nonce"], **self.claims,
        }  # fmt: skip
        claims = {name: value for name, value in claims.items() if value is not None}
        return jwt.encode(claims, self.key, self.algorithm, self.head)

    def _body(self, path: str) -> dict[str, Any] | None:
        if path == "/.well-known/openid-configuration":
            doors = {
                "authorization_endpoint": "/authorize", "token_endpoint": "/token",
                "jwks_uri": "/keys",
            }  # fmt: skip
            said = {name: self.issuer + door for name, door in doors.items()}
            return {"issuer": self.issuer, **said, **self.says}
        if path == "/keys":
            keys = []
            for name, key in self.public.items():
                found = jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
                keys.append({**found, "kid": name, "use": "sig"})
            return {"keys": keys}
        return None

    def exchange(self, form: dict[str, str], login: str) -> dict[str, Any] | None:
        """The answer to a code; None: refused."""
        query = self._codes.pop(form.get("code", ""), None)
        name, _, secret = base64.b64decode(login.partition(" ")[2]).decode().partition(":")
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if (
            query is None
            or challenge != query["code_challenge"]
            or form["redirect_uri"] != query["redirect_uri"]
            or (unquote_plus(name), unquote_plus(secret)) != (self.client, self.secret)
        ):
            return None
        return {"access_token": "x", "token_type": "Bearer", "id_token": self.token(query)}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class _Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(provider._body(self.path))

            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers["Content-Length"])).decode()
                form = {name: values[0] for name, values in parse_qs(data).items()}
                self._answer(provider.exchange(form, self.headers.get("Authorization", "")), 400)

            def _answer(self, body: dict[str, Any] | None, status: int = 404) -> None:
                provider.asked.append(self.path)
                error = {"error": "invalid_grant", "error_description": "no"}
                data = provider.answers.get(self.path) or json.dumps(body or error).encode()
                self.send_response(200 if body else status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args: object) -> None:
                pass

        return _Handler
