"""TLS of a client by its ``ssl.*`` properties: the context, and a handshake without blocking."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable

from pykafka_ops.client.config import Address, ClientConfig, ClientConfigError
from pykafka_ops.client.poller import READ, WRITE, Steps
from pykafka_ops.errors import TlsError, TlsHungUpError, TlsSettingError
from pykafka_ops.security import keystores, tls, tls_errors

_HINTS = {
    tls_errors.TRUST: "ssl.truststore.location must hold who signed it",
    tls_errors.TIME: "pko certs expiry shows when",
    tls_errors.NAME: "pko certs expiry -o wide shows for which",
}


def context(config: ClientConfig) -> ssl.SSLContext:
    """The context of every connection; ClientConfigError says which property is wrong."""
    try:
        return tls.client_context(config.properties.get)
    except TlsSettingError as e:
        raise ClientConfigError(str(e)) from None


def read_store(path: str, password: str, *, keys: bool, key_password: str = "") -> str:
    """As :func:`pykafka_ops.security.keystores.read_store`, but raises ClientConfigError."""
    try:
        return keystores.read_store(path, password, keys=keys, key_password=key_password)
    except TlsSettingError as e:
        raise ClientConfigError(str(e)) from None


def tls_handshake(
    sock: socket.socket, address: Address, config: ClientConfig, until: Callable[[], float]
) -> Steps[ssl.SSLSocket]:
    """Wrap ``sock``; TlsError says why not. ``until`` says until when (monotonic seconds) the other
    side may be silent: TimeoutError."""
    made = config.tls_context = config.tls_context or context(config)
    wrapped = made.wrap_socket(sock, do_handshake_on_connect=False, server_hostname=address.host)
    try:
        while True:
            try:
                wrapped.do_handshake()
                return wrapped
            except ssl.SSLWantReadError:
                yield wrapped.fileno(), READ, until()
            except ssl.SSLWantWriteError:
                yield wrapped.fileno(), WRITE, until()
    except TimeoutError:
        wrapped.close()
        raise
    except OSError as e:
        wrapped.close()
        kind = TlsError if _answered(e) else TlsHungUpError
        raise kind(f"{address}: {reason(e, config)}") from None
    except BaseException:
        wrapped.close()
        raise


def _answered(error: OSError) -> bool:
    """Whether the other side said something before it hung up."""
    return isinstance(error, ssl.SSLError) and not isinstance(error, ssl.SSLEOFError)


def reason(error: OSError, config: ClientConfig) -> str:
    """What an error of TLS means, and what to set."""
    if isinstance(error, ssl.SSLCertVerificationError):
        said, kind = tls_errors.distrust(error)
        return f"{said} ({_HINTS[kind]})"
    if not isinstance(error, ssl.SSLError) or not _answered(error):
        return "hung up in the TLS handshake; does this port speak PLAINTEXT?"
    if error.reason in ("WRONG_VERSION_NUMBER", "UNEXPECTED_MESSAGE", "RECORD_LAYER_FAILURE"):
        return "this port does not speak TLS: set security.protocol=PLAINTEXT (or SASL_PLAINTEXT)"
    if tls_errors.is_of_client(error) and not config.certificate:
        return (
            "the broker wants a certificate of the client: set ssl.keystore.location and "
            "ssl.keystore.password"
        )
    if tls_errors.is_of_client(error):
        return (
            f"the broker refuses the certificate in {config.certificate} ({error.reason}): has it "
            "ended, or does the broker not trust who signed it?"
        )
    return f"TLS handshake failed: {error.reason or error}"
