"""One listener with TLS: lets clients in whose handshake ends well. Counterpart of
``SslChannelBuilder``."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable

from pykafka_ops.broker.runtime.security.handshakes import Handshakes
from pykafka_ops.broker.runtime.security.login_counts import LoginCounts
from pykafka_ops.broker.runtime.security.rare_lines import RareLines
from pykafka_ops.broker.runtime.security.tls_keys import ListenerKeys
from pykafka_ops.broker.runtime.security.tls_layer import TlsLayer
from pykafka_ops.broker.state.hello import Hello
from pykafka_ops.broker.state.session import ANONYMOUS, USER
from pykafka_ops.security.certificates import subject

MOST_DELAYED = 1_000
"""Connections that failed and are not closed yet; more are closed at once."""
_MEANS = {
    "PEER_DID_NOT_RETURN_A_CERTIFICATE": "the client shows no certificate, and "
    "ssl.client.auth=required (ssl.keystore.location of the client?)",
    "TLSV1_ALERT_UNKNOWN_CA": "the client does not trust our certificate",
    "SSLV3_ALERT_CERTIFICATE_UNKNOWN": "the client does not trust our certificate",
    "SSLV3_ALERT_BAD_CERTIFICATE": "the client does not take our certificate",
    "SSLV3_ALERT_CERTIFICATE_EXPIRED": "our certificate has expired, the client says",
    "NO_SHARED_CIPHER": "no cipher suite that both know (ssl.cipher.suites)",
    "UNSUPPORTED_PROTOCOL": "no TLS version that both know (ssl.enabled.protocols)",
}

Serve = Callable[[str, str], asyncio.BufferedProtocol]


class TlsDoor:
    """``serve(principal, address)`` makes the connection of a client that is in, ``left(address)``
    counts one out that never was; ``delay_ms()`` is how long a failed one stays open."""

    def __init__(
        self,
        keys: ListenerKeys,
        handshakes: Handshakes,
        rare_lines: RareLines,
        *,
        serve: Serve,
        left: Callable[[str], None],
        delay_ms: Callable[[], int],
        counts: LoginCounts | None,
    ) -> None:
        """``counts`` is what counts the logins behind TLS, if there are any."""
        self.name = keys.listener
        self.counts = counts or LoginCounts()
        self._keys = keys
        self._handshakes = handshakes
        self._rare_lines = rare_lines
        self._serve = serve
        self._left = left
        self._delay_ms = delay_ms
        self._delayed: dict[TlsLayer, asyncio.TimerHandle] = {}

    def come(self, address: str, client: socket.socket) -> None:
        """A client has connected."""
        self._handshakes.come(self, address, client)

    def begin(self, address: str) -> TlsLayer:
        """A handshake with a client."""
        return TlsLayer(self, self._handshakes, address)

    def turned_away(self, address: str) -> None:
        """A client that was not begun with has gone."""
        self._left(address)

    def context(self) -> ssl.SSLContext:
        """The one of now."""
        return self._keys.now.context

    def user(self, certificate: bytes | None) -> str:
        """The principal; ValueError where no rule knows the name in the certificate."""
        if certificate is None or not self._keys.names_clients:
            return ANONYMOUS
        name = subject(certificate)
        user = self._keys.now.mapping.user(name)
        if user is None:
            raise ValueError(f"no rule of ssl.principal.mapping.rules applies to {name}")
        return f"{USER}:{user}"

    def serve(self, principal: str, address: str) -> asyncio.BufferedProtocol:
        """What serves a client that is in."""
        if self._keys.names_clients:
            self.counts.succeeded += 1
        return self._serve(principal, address)

    def refused(self, layer: TlsLayer, error: Exception | Hello) -> None:
        """Say why, once in a while, and hang up after a while, as after any failed login."""
        self.failed(layer, error)
        delay = self._delay_ms() / 1000
        if delay and len(self._delayed) < MOST_DELAYED:
            loop = asyncio.get_running_loop()
            self._delayed[layer] = loop.call_later(delay, self._hang_up, layer)
        else:
            layer.close()

    def failed(self, layer: TlsLayer, error: Exception | Hello) -> None:
        """Say why, once in a while."""
        self.counts.failed += 1
        thing, text = self._described(error)
        who = f"listener {self.name}: {layer.address}"
        self._rare_lines.say(f"{who}: {text}", self.name, thing)

    def expired(self, layer: TlsLayer) -> None:
        """Its handshake takes too long."""
        text = f"listener {self.name}: {layer.address}: no end of the TLS handshake in time"
        self._rare_lines.say(text, self.name, "late")
        layer.abort()

    def gone(self, layer: TlsLayer) -> None:
        """It has hung up, or was cut off."""
        timer = self._delayed.pop(layer, None)
        if timer is not None:
            timer.cancel()
        self._left(layer.address)

    def _hang_up(self, layer: TlsLayer) -> None:
        self._delayed.pop(layer, None)
        layer.close()

    def _described(self, error: Exception | Hello) -> tuple[str, str]:
        """What went wrong in a word, and in a line."""
        if error is Hello.KAFKA:
            return "plain", "speaks Kafka without TLS: set security.protocol=SSL in that client"
        if isinstance(error, Hello):
            return "else", "sends neither TLS nor Kafka"
        if isinstance(error, ssl.SSLCertVerificationError):
            why = error.verify_message
            text = f"its certificate is not trusted: {why} (ssl.truststore.location?)"
            return f"untrusted {error.verify_code}", text
        reason = (error.reason if isinstance(error, ssl.SSLError) else None) or ""
        what = _MEANS.get(reason) or reason.replace("_", " ").lower() or str(error)
        return reason or "user", f"the TLS handshake failed: {what}"
