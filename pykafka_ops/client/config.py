"""Kafka's client properties as typed values: what a connection needs, with Kafka's defaults.

Source: AdminClientConfig, CommonClientConfigs, SaslConfigs, SslConfigs. Times are in ms in the
properties and in seconds here. Properties that a connection does not need are ignored, as in Kafka.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from pykafka_ops import __version__
from pykafka_ops.errors import PkoError, UsageError

if TYPE_CHECKING:
    from ssl import SSLContext

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI", "AWS_MSK_IAM")
FOREVER = 2147483647
SILENCE = "socket.connection.setup.timeout.ms"
SILENCE_MS = 4_000
"""So that a command reports a silent broker within 5 s of its start. Kafka waits 10 s for TCP, then
30 s for the first answer."""
GLANCE_SECONDS = 5.0
"""How long a broker may take to answer somebody who looks what is wrong, or watches: one that hangs
must not hold up what others say."""


class ClientConfigError(UsageError):
    """A client property is wrong: Kafka says "Failed to create new KafkaAdminClient"."""


class NoBootstrapError(ClientConfigError):
    """No name in bootstrap.servers can be resolved; ``trouble`` is what the resolver said."""

    exit_code = 3

    def __init__(self, trouble: PkoError | None = None) -> None:
        super().__init__("No resolvable bootstrap urls given in bootstrap.servers")
        self.trouble = trouble


class Address(NamedTuple):
    """Where a broker listens."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


class ClientConfig:
    """Settings of a cluster's clients; ``of`` reads properties, ClientConfigError when wrong."""

    __slots__ = (
        "api_timeout", "backoff", "backoff_max", "bearer", "bootstrap", "client_id", "patience",
        "properties", "protocol", "receive_buffer", "request_timeout", "retries", "sasl_mechanism",
        "silence", "tls_context",
    )  # fmt: skip

    def __init__(self, bootstrap: list[Address], properties: Mapping[str, str]) -> None:
        self.bootstrap = bootstrap
        self.properties = dict(properties)
        self.client_id = properties.get("client.id") or f"pko/{__version__}"
        self.request_timeout = self._ms("request.timeout.ms", 30_000)
        self.api_timeout = self._ms("default.api.timeout.ms", 60_000)
        shorter = min(SILENCE_MS, int(self.request_timeout * 1000))
        self.silence = self._ms(SILENCE, shorter)
        """Seconds without a byte from the other side that end the setting up of a connection."""
        if "default.api.timeout.ms" not in properties:
            self.api_timeout = max(self.api_timeout, self.silence)
        self.backoff = self._ms("retry.backoff.ms", 100)
        self.backoff_max = max(self.backoff, self._ms("retry.backoff.max.ms", 1_000))
        self.retries = self._int("retries", FOREVER)
        self.receive_buffer = max(0, self._int("receive.buffer.bytes", 0, least=-1))
        """Bytes; 0: as the system has it (Kafka's clients ask for 32768 or 65536)."""
        self.patience = self.api_timeout
        """Seconds to keep trying while no broker at all can be connected."""
        self.protocol = self._one_of("security.protocol", "PLAINTEXT", PROTOCOLS)
        self.sasl_mechanism = properties.get("sasl.mechanism", "GSSAPI")
        self.tls_context: SSLContext | None = None
        """Made at the first TLS connection."""
        self.bearer: tuple[str, float] | None = None
        """The token of OAuth 2.0 that was used last, and until when (epoch seconds) it is used
        again."""

    @classmethod
    def of(cls, properties: Mapping[str, str]) -> ClientConfig:
        """From client properties; ``bootstrap.servers`` must be there."""
        config = cls(parse_bootstrap(properties.get("bootstrap.servers", "")), properties)
        if config.sasl and config.sasl_mechanism not in MECHANISMS:
            raise ClientConfigError(
                f"sasl.mechanism {config.sasl_mechanism} is not supported here; "
                f"supported: {', '.join(MECHANISMS)}"
            )
        return config

    @property
    def tls(self) -> bool:
        """Whether connections are encrypted."""
        return self.protocol in ("SSL", "SASL_SSL")

    @property
    def sasl(self) -> bool:
        """Whether connections authenticate with SASL."""
        return self.protocol.startswith("SASL")

    @property
    def is_known(self) -> bool:
        """Whether brokers know who asks: by a login, or a certificate."""
        return self.sasl or (self.tls and bool(self.certificate))

    @property
    def certificate(self) -> str:
        """The property that holds the certificate to show, "" where there is none."""
        places = ("ssl.keystore.certificate.chain", "ssl.keystore.location")
        return next((place for place in places if self.get(place)), "")

    def get(self, key: str) -> str | None:
        """A raw property, None where absent or empty."""
        return self.properties.get(key) or None

    def _int(self, key: str, default: int, *, least: int = 0) -> int:
        text = self.properties.get(key)
        if text is None:
            return default
        try:
            value = int(text.strip())
        except ValueError:
            raise ClientConfigError(
                f"Invalid value {text} for configuration {key}: Not a number of type INT"
            ) from None
        if value < least:
            raise ClientConfigError(
                f"Invalid value {value} for configuration {key}: Value must be at least {least}"
            )
        return value

    def _ms(self, key: str, default: int) -> float:
        return self._int(key, default) / 1000

    def _one_of(self, key: str, default: str, allowed: tuple[str, ...]) -> str:
        text = self.properties.get(key, default)
        if text.upper() not in allowed:
            raise ClientConfigError(
                f"Invalid value {text} for configuration {key}: "
                f"String must be one of (case insensitive): {', '.join(sorted(allowed))}"
            )
        return text.upper()


def parse_bootstrap(text: str) -> list[Address]:
    """``host:port,[::1]:port`` as addresses; Kafka's texts for wrong ones (ClientUtils)."""
    found = [parse_address(part) for p in text.split(",") if (part := p.strip())]
    if not found:
        raise NoBootstrapError
    return found


def parse_address(text: str) -> Address:
    """One ``host:port``, an optional ``PROTOCOL://`` before it, IPv6 in brackets."""
    plain = text.rpartition("://")[2]
    host, colon, port = plain.rpartition(":")
    if not (colon and host and port.isascii() and port.isdigit()):
        raise ClientConfigError(f"Invalid url in bootstrap.servers: {text}")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise ClientConfigError(f"Invalid url in bootstrap.servers: {text}")
    if not 0 < int(port) < 65536:
        raise ClientConfigError(f"Invalid port in bootstrap.servers: {text}")
    return Address(host, int(port))
