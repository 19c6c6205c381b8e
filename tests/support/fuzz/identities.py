"""What shows who somebody is: key stores and certificates."""

from __future__ import annotations

import contextlib

from pykafka_ops.errors import TlsSettingError
from pykafka_ops.security.certificates import (
    alternative_names,
    host_names,
    issuer,
    subject,
    validity,
)
from pykafka_ops.security.jks import entries, private_key


def key_stores(data: bytes) -> None:
    """Certificates and keys of Java's old key stores."""
    with contextlib.suppress(TlsSettingError):
        for entry in entries(data, ""):
            if entry.key is not None:
                private_key(entry.key, "s3cret-key")


def certificates(data: bytes) -> None:
    """What certificates say."""
    for read in (subject, issuer, validity, host_names, alternative_names):
        with contextlib.suppress(ValueError):
            read(data)
