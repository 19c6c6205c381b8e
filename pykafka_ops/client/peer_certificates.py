"""The certificates that brokers show, those too that a client would not trust."""

from __future__ import annotations

import copy
import ssl
import time
from collections.abc import Sequence
from typing import NamedTuple

from pykafka_ops.client.config import Address, ClientConfig
from pykafka_ops.client.connection import BrokerConnection
from pykafka_ops.client.poller import Steps, run_all
from pykafka_ops.client.tls import context
from pykafka_ops.errors import PkoError, TlsError


class ShownCertificate(NamedTuple):
    """A broker's certificate (DER); ``distrust`` is why a client with these settings refuses it,
    "" where it does not."""

    certificate: bytes
    distrust: str


def shown_certificates(
    config: ClientConfig, addresses: Sequence[Address]
) -> list[ShownCertificate | PkoError]:
    """What each address shows, asked side by side; the PkoError of one that shows nothing."""
    deadline = time.monotonic() + config.api_timeout
    blind = copy.copy(config)
    blind.tls_context = context(config)
    blind.tls_context.check_hostname = False
    blind.tls_context.verify_mode = ssl.CERT_NONE
    return run_all([_shown(address, config, blind, deadline) for address in addresses])


def _shown(
    address: Address, config: ClientConfig, blind: ClientConfig, deadline: float
) -> Steps[ShownCertificate]:
    certificate = yield from BrokerConnection(address, blind).peer_certificate(deadline)
    try:
        yield from BrokerConnection(address, config).peer_certificate(deadline)
    except TlsError as error:
        return ShownCertificate(certificate, str(error).removeprefix(f"{address}: "))
    return ShownCertificate(certificate, "")
