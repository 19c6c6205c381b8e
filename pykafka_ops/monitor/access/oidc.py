"""Logins by an OpenID provider: the authorisation code flow with PKCE.

Source: OpenID Connect Core 1.0 (3.1), RFC 7636, RFC 9207. Signatures are checked by PyJWT.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

import jwt

from pykafka_ops.errors import PkoError
from pykafka_ops.monitor.access.provider import CALLBACK, OidcError, Provider
from pykafka_ops.monitor.access.settings import LoginSettings
from pykafka_ops.monitor.alerts.delivery.failure import read_secret

ALGORITHMS: Final = (
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
)  # fmt: skip
"""Those with a public key: ``none`` and shared secrets prove nothing here."""
BEGUN_MS: Final = 10 * 60_000
MOST_BEGUN: Final = 1_000
LEEWAY_SECONDS: Final = 60
AT_A_TIME: Final = 8
"""Logins that wait for the provider at a time, so that its silence stops nothing else."""
LONGEST_TOKEN: Final = 64 << 10
LONGEST_NAME: Final = 256
MOST_GROUPS: Final = 1_000


class ProvedIdentity(NamedTuple):
    """Who logged in, the groups that the provider names, where to go on."""

    name: str
    groups: tuple[str, ...]
    following: str


class _Begun(NamedTuple):
    browser: str
    nonce: str
    verifier: str
    following: str
    until: int


class OidcLogin:
    """Begins logins and ends them. ``now`` in ms; any thread."""

    def __init__(self, settings: LoginSettings, now: Callable[[], int]) -> None:
        self._settings, self._now = settings, now
        self._provider = Provider(settings.issuer, now)
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(AT_A_TIME)
        self._begun: OrderedDict[str, _Begun] = OrderedDict()

    def begin(self, following: str) -> tuple[str, str]:
        """Where to send the browser, and what its cookie holds until it is back. OidcError."""
        with self._place():
            door = self._provider.door("authorization_endpoint")
        state, nonce, browser = (secrets.token_urlsafe(32) for _ in range(3))
        verifier = secrets.token_urlsafe(64)
        until = self._now() + BEGUN_MS
        with self._lock:
            self._begun[state] = _Begun(_digest(browser), nonce, verifier, following, until)
            while len(self._begun) > MOST_BEGUN:
                self._begun.popitem(last=False)
        query = {
            "response_type": "code",
            "client_id": self._settings.client_id,
            "redirect_uri": self._settings.url + CALLBACK,
            "scope": self._settings.scopes,
            "state": state,
            "nonce": nonce,
            "code_challenge": _challenge(verifier),
            "code_challenge_method": "S256",
        }
        return f"{door}{'&' if '?' in door else '?'}{urlencode(query)}", browser

    def finish(self, query: Mapping[str, str], browser: str) -> ProvedIdentity:
        """Who has logged in, by what the provider sent the browser back with. OidcError."""
        with self._lock:
            begun = self._begun.pop(query.get("state", ""), None)
        if begun is None or self._now() >= begun.until:
            raise OidcError("this login was not begun here, is over or took too long")
        if not hmac.compare_digest(begun.browser, _digest(browser)):
            raise OidcError("this login was begun in another browser")
        if query.get("iss", self._settings.issuer).rstrip("/") != self._provider.issuer:
            raise OidcError("another provider answered")
        if "error" in query:
            raise OidcError(f"the provider says {query['error'][:60]!r}")
        if not query.get("code"):
            raise OidcError("the provider sent no code")
        form = {
            "grant_type": "authorization_code",
            "code": query["code"],
            "redirect_uri": self._settings.url + CALLBACK,
            "code_verifier": begun.verifier,
        }
        with self._place():
            token = self._provider.identity(form, self._settings.client_id, self._secret())
            claims = self._claims(token, begun.nonce)
        return ProvedIdentity(self._name(claims), self._groups(claims), begun.following)

    @contextmanager
    def _place(self) -> Iterator[None]:
        if not self._places.acquire(blocking=False):
            raise OidcError("many log in at the moment: try again")
        try:
            yield
        finally:
            self._places.release()

    def _secret(self) -> str:
        if self._settings.client_secret is None:
            return ""
        try:
            return read_secret(self._settings.client_secret)
        except PkoError as error:
            raise OidcError(f"client-secret: {error}") from None

    def _claims(self, token: str, nonce: str) -> dict[str, Any]:
        """What a token says, once all of it is checked."""
        if len(token) > LONGEST_TOKEN:
            raise OidcError("the token is too long")
        client = self._settings.client_id
        try:
            head = jwt.get_unverified_header(token)
            algorithm, key_id = head.get("alg"), head.get("kid")
            if algorithm not in ALGORITHMS:
                raise OidcError(f"tokens signed by {str(algorithm)[:20]!r} are not taken")
            key = jwt.PyJWK(self._provider.key(key_id), algorithm)
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=[algorithm],
                audience=client,
                leeway=LEEWAY_SECONDS,
                options={"require": ["exp", "iat", "iss", "aud", "sub"]},
            )
        except (jwt.PyJWTError, ValueError, TypeError) as error:
            raise OidcError(f"the token is not good: {str(error)[:100]}") from None
        if str(claims["iss"]).rstrip("/") != self._provider.issuer:
            raise OidcError("the token is of another issuer")
        if not hmac.compare_digest(str(claims.get("nonce")).encode(), nonce.encode()):
            raise OidcError("the token belongs to another login")
        several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
        if (several or "azp" in claims) and claims.get("azp") != client:
            raise OidcError("the token was made for another client")
        return claims

    def _name(self, claims: Mapping[str, Any]) -> str:
        name = claims.get(self._settings.name_claim)
        if not isinstance(name, str) or not _is_name(name) or name.startswith("token:"):
            raise OidcError(f"the token names nobody in {self._settings.name_claim}")
        return name

    def _groups(self, claims: Mapping[str, Any]) -> tuple[str, ...]:
        claimed = claims.get(self._settings.groups_claim, ())
        listed = [claimed] if isinstance(claimed, str) else claimed
        if not isinstance(listed, list | tuple):
            return ()
        names = [g for g in listed[:MOST_GROUPS] if isinstance(g, str) and _is_name(g)]
        return tuple(names)


def _is_name(text: str) -> bool:
    return bool(text) and text == text.strip() and text.isprintable() and len(text) <= LONGEST_NAME


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _challenge(verifier: str) -> str:
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
