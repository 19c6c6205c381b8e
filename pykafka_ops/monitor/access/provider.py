"""An OpenID provider, asked by HTTP: where its doors are, its keys, an identity for a code.

Source: OpenID Connect Discovery 1.0, RFC 6749, RFC 7517, RFC 7636.
"""

from __future__ import annotations

import base64
import json
import ssl
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from http.client import HTTPException
from typing import Any, Final
from urllib.parse import quote_plus, urlencode, urlsplit

from pykafka_ops import __version__
from pykafka_ops.errors import PkoError
from pykafka_ops.monitor.opener import no_redirect_opener

PATIENCE_SECONDS: Final = 10
MOST_BYTES: Final = 1 << 20
KNOWN_MS: Final = 3_600_000
"""How long what the provider says of itself is kept."""
AGAIN_MS: Final = 60_000
"""The soonest that its keys are asked for again, whoever sends tokens of unknown keys."""
CALLBACK: Final = "/login/callback"
"""Where the provider sends browsers back."""
LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


class OidcError(PkoError):
    """Nobody is logged in. The text is for people, and holds no secret."""


class Provider:
    """One provider. ``now`` in ms; any thread."""

    def __init__(self, issuer: str, now: Callable[[], int]) -> None:
        self.issuer, self._now = issuer.rstrip("/"), now
        self._lock = threading.Lock()
        self._said: dict[str, Any] = {}
        self._said_at = 0
        self._keys: list[dict[str, Any]] = []
        self._keys_at: int | None = None
        self._opener = no_redirect_opener(ssl.create_default_context())

    def door(self, name: str) -> str:
        """The address of ``authorization_endpoint`` and the like. OidcError."""
        with self._lock:
            if not self._said or self._now() - self._said_at >= KNOWN_MS:
                said = self._get(f"{self.issuer}/.well-known/openid-configuration")
                if str(said.get("issuer", "")).rstrip("/") != self.issuer:
                    raise OidcError(f"{self.issuer} says that it is another issuer")
                self._said, self._said_at = said, self._now()
            return checked_url(str(self._said.get(name, "")), name)

    def key(self, key_id: str | None) -> dict[str, Any]:
        """The key (JWK) of a token; asked for anew where it is not known. OidcError."""
        url = self.door("jwks_uri")
        with self._lock:
            if (found := self._known(key_id)) is not None:
                return found
            if self._keys_at is None or self._now() - self._keys_at >= AGAIN_MS:
                keys = self._get(url).get("keys")
                self._keys_at = self._now()
                self._keys = (
                    [k for k in keys if isinstance(k, dict)] if isinstance(keys, list) else []
                )
            if (found := self._known(key_id)) is not None:
                return found
        raise OidcError("the token is signed by a key that the provider does not name")

    def identity(self, form: Mapping[str, str], client: str, secret: str) -> str:
        """The id token for a code. ``secret`` "": the client has none. OidcError."""
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        if secret:
            login = f"{quote_plus(client)}:{quote_plus(secret)}".encode()
            headers["Authorization"] = f"Basic {base64.b64encode(login).decode()}"
        else:
            form = {**form, "client_id": client}
        said = self._get(self.door("token_endpoint"), urlencode(form).encode(), headers)
        token = said.get("id_token")
        if not isinstance(token, str):
            raise OidcError("the provider gave no id token: is the scope openid allowed?")
        return token

    def _known(self, key_id: str | None) -> dict[str, Any] | None:
        signing = [k for k in self._keys if k.get("use", "sig") == "sig"]
        if key_id is None:
            return signing[0] if len(signing) == 1 else None
        return next((k for k in signing if k.get("kid") == key_id), None)

    def _get(
        self, url: str, data: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        host = urlsplit(checked_url(url, "its address")).hostname
        shown = {"Accept": "application/json", "User-Agent": f"pko-monitor/{__version__}"}
        request = urllib.request.Request(url, data, {**shown, **(headers or {})})
        try:
            with self._opener.open(request, timeout=PATIENCE_SECONDS) as answer:
                body = answer.read(MOST_BYTES + 1)
        except urllib.error.HTTPError as error:
            with error:
                raise OidcError(f"{host} answers {error.code}{_reason(error)}") from None
        except (OSError, HTTPException, ValueError) as error:
            raise OidcError(f"{host}: {getattr(error, 'reason', None) or error}") from None
        try:
            found = json.loads(body) if len(body) <= MOST_BYTES else None
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise OidcError(f"{host} answers with what is no JSON object")
        return found


def checked_url(url: str, what: str) -> str:
    """An address that secrets may be sent to: https, or http on this machine. OidcError."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        host = None
    if not host or not (parts.scheme == "https" or (parts.scheme == "http" and host in LOOPBACK)):
        raise OidcError(f"{what} of the provider is no https address")
    return url


def _reason(error: urllib.error.HTTPError) -> str:
    """``error`` of RFC 6749, which names what is wrong, not who."""
    try:
        said = json.loads(error.read(MOST_BYTES))
        code = said.get("error") if isinstance(said, dict) else None
    except (OSError, HTTPException, ValueError, RecursionError):
        code = None
    return f": {code[:60]}" if isinstance(code, str) and code.isprintable() else ""
