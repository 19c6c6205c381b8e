"""What a TLS handshake failed of, by OpenSSL's codes and alerts."""

from __future__ import annotations

import ssl
from enum import Enum

_OF_CERTIFICATE = (
    "TLSV13_ALERT_CERTIFICATE_REQUIRED",
    "SSLV3_ALERT_BAD_CERTIFICATE",
    "SSLV3_ALERT_CERTIFICATE_EXPIRED",
    "SSLV3_ALERT_CERTIFICATE_REVOKED",
    "SSLV3_ALERT_CERTIFICATE_UNKNOWN",
    "SSLV3_ALERT_HANDSHAKE_FAILURE",
    "SSLV3_ALERT_UNSUPPORTED_CERTIFICATE",
    "TLSV1_ALERT_UNKNOWN_CA",
)
"""Alerts of a server that misses, or does not trust, the client's certificate."""
_OF_TIME, _OF_NAME = (9, 10), (62, 64)
"""Codes of OpenSSL (x509_vfy.h): not yet valid, expired; host name, IP address."""


class Distrust(Enum):
    """What is wrong with the certificate of the other side."""

    TRUST = "its certificate is not trusted"
    TIME = "its certificate does not count now"
    NAME = "its certificate is for another host"


TRUST, TIME, NAME = Distrust


def is_of_client(error: Exception) -> bool:
    """Whether the other side misses our certificate, or does not take it."""
    return isinstance(error, ssl.SSLError) and error.reason in _OF_CERTIFICATE


def distrust(error: ssl.SSLCertVerificationError) -> tuple[str, Distrust]:
    """Why we do not take the certificate of the other side, in words and in kind."""
    kind = TRUST
    if error.verify_code in _OF_TIME:
        kind = TIME
    elif error.verify_code in _OF_NAME:
        kind = NAME
    return f"{kind.value}: {error.verify_message.rstrip('.')}", kind
