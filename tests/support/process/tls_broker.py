"""Brokers that speak TLS: one listener that asks for no certificate, one that needs it."""

from __future__ import annotations

import ssl
from pathlib import Path

from tests.support.process.broker import BrokerProcess
from tests.support.process.certificates import PASSWORD, Authority
from tests.support.waiting import free_port


class TlsBroker(BrokerProcess):
    """``bootstrap`` is without TLS, ``open`` with, ``closed`` for those with a certificate that
    ``authority`` has signed."""

    def __init__(
        self,
        directory: Path,
        overrides: dict[str, object] | None = None,
        authority: Authority | None = None,
        *,
        name: str = "broker",
    ) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.authority = authority or Authority(directory)
        self.key = self.authority.issue(name)
        settings: dict[str, object] = {
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,OPEN:SSL,CLOSED:SSL",
            "ssl.keystore.location": self.key,
            "ssl.truststore.location": self.authority.ca,
            "listener.name.closed.ssl.client.auth": "required",
            **(overrides or {}),
        }
        super().__init__(directory / "data", settings)
        self.open_port, self.closed_port = free_port(), free_port()
        self.also = [
            f"OPEN://127.0.0.1:{self.open_port}",
            f"CLOSED://127.0.0.1:{self.closed_port}",
        ]

    @property
    def open(self) -> str:
        return f"127.0.0.1:{self.open_port}"

    @property
    def closed(self) -> str:
        return f"127.0.0.1:{self.closed_port}"


def librdkafka(authority: Authority, key: Path | None = None) -> dict[str, object]:
    """Settings of confluent-kafka; ``key`` is what the client shows."""
    found: dict[str, object] = {"security.protocol": "SSL", "ssl.ca.location": str(authority.ca)}
    if key is not None:
        found |= {"ssl.key.location": str(key), "ssl.certificate.location": str(key)}
    return found


def java(authority: Authority, key: Path | None = None) -> dict[str, str]:
    """Settings of a Java client, or of one of our commands; PKCS12 as most people have it."""
    found = {
        "security.protocol": "SSL",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(authority.ca),
    }
    if key is not None:
        found |= {
            "ssl.keystore.type": "PKCS12",
            "ssl.keystore.location": str(authority.pkcs12(key)),
            "ssl.keystore.password": PASSWORD,
            "ssl.key.password": PASSWORD,
        }
    return found


def context(authority: Authority, key: Path | None = None) -> ssl.SSLContext:
    """That of a client in Python."""
    made = ssl.create_default_context(cafile=authority.ca)
    if key is not None:
        made.load_cert_chain(key)
    return made
