"""An SSLContext from a client's ``ssl.*`` properties; what is wrong with one is of the client."""

from __future__ import annotations

import ssl

from pykafka_ops.client.config import ClientConfig, ClientConfigError
from pykafka_ops.errors import TlsSettingError
from pykafka_ops.security import keystores, tls


def context(config: ClientConfig) -> ssl.SSLContext:
    """The context of every connection; ClientConfigError says which property is wrong."""
    try:
        return tls.client_context(config.properties.get)
    except TlsSettingError as e:
        raise ClientConfigError(str(e)) from None


def read_store(path: str, password: str, *, keys: bool) -> str | bytes:
    """As :func:`pykafka_ops.security.keystores.read_store`, but raises ClientConfigError."""
    try:
        return keystores.read_store(path, password, keys=keys)
    except TlsSettingError as e:
        raise ClientConfigError(str(e)) from None
