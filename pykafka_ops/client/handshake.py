"""The TLS handshake of a connection, without blocking."""

from __future__ import annotations

import socket
import ssl

from pykafka_ops.client.config import Address, ClientConfig
from pykafka_ops.client.poller import READ, WRITE, Steps
from pykafka_ops.client.tls import context
from pykafka_ops.errors import ConnectError


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
