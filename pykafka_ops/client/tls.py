"""TLS of a client by its ``ssl.*`` properties: the context, and a handshake without blocking."""

from __future__ import annotations

import socket
import ssl

from pykafka_ops.client.config import Address, ClientConfig, ClientConfigError
from pykafka_ops.client.poller import READ, WRITE, Steps
from pykafka_ops.errors import ConnectError, TlsSettingError
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


class TlsError(ConnectError):
    """The handshake failed: trust, name, protocol or client certificate."""


def tls_handshake(
    sock: socket.socket, address: Address, config: ClientConfig, until: float
) -> Steps[ssl.SSLSocket]:
    """Wrap ``sock``; TlsError says why not, ``until`` is in monotonic seconds."""
    made = config.tls_context = config.tls_context or context(config)
    wrapped = made.wrap_socket(sock, do_handshake_on_connect=False, server_hostname=address.host)
    try:
        while True:
            try:
                wrapped.do_handshake()
                return wrapped
            except ssl.SSLWantReadError:
                yield wrapped.fileno(), READ, until
            except ssl.SSLWantWriteError:
                yield wrapped.fileno(), WRITE, until
    except TimeoutError:
        wrapped.close()
        raise TlsError(f"{address}: no TLS answer; does this port speak PLAINTEXT?") from None
    except OSError as e:
        wrapped.close()
        raise TlsError(f"{address}: {_reason(e)}") from None
    except BaseException:
        wrapped.close()
        raise


def _reason(error: OSError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message} (ssl.truststore.location?)"
    if isinstance(error, ssl.SSLEOFError) or not isinstance(error, ssl.SSLError):
        return "hung up in the TLS handshake; does this port speak PLAINTEXT?"
    if error.reason in ("WRONG_VERSION_NUMBER", "UNEXPECTED_MESSAGE", "RECORD_LAYER_FAILURE"):
        return "this port does not speak TLS: set security.protocol=PLAINTEXT (or SASL_PLAINTEXT)"
    return f"TLS handshake failed: {error.reason or error}"
