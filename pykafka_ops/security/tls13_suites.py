"""Which cipher suites of TLS 1.3 a context allows: ``SSLContext.set_ciphersuites`` of Python 3.15.

Earlier Pythons have no such call, although they pass every other setting on to OpenSSL. There it is
made of the same OpenSSL, on the ``SSL_CTX`` that a context of CPython holds behind its head, in all
versions that come into question; what came of it is read back.
"""

from __future__ import annotations

import ctypes
import ssl
import sys
from collections.abc import Callable, Sequence

_SetSuites = Callable[[ssl.SSLContext, str], object]
_HEAD = object.__basicsize__
_LAST = (3, 15)
"""Has a call of its own, from then on."""


def allow(context: ssl.SSLContext, names: Sequence[str]) -> list[str]:
    """Allow these alone, the first before the others: those that OpenSSL knows. Raises
    NotImplementedError where this Python offers no way, ValueError where it knows none."""
    wanted = ":".join(names)
    if sys.version_info >= _LAST:
        set_suites: _SetSuites = ssl.SSLContext.set_ciphersuites  # type: ignore[attr-defined]
        try:
            set_suites(context, wanted)
        except ssl.SSLError:
            raise ValueError(wanted) from None
    elif not _openssl()(_pointer(context), wanted.encode()):
        raise ValueError(wanted)
    found = allowed(context)
    if not found:
        raise ValueError(wanted)
    if not set(found) <= set(names):
        raise NotImplementedError
    return found


def allowed(context: ssl.SSLContext) -> list[str]:
    """Those that a context allows now, by their names."""
    return [each["name"] for each in context.get_ciphers() if each["protocol"] == "TLSv1.3"]


def _openssl() -> Callable[[int, bytes], int]:
    """OpenSSL's own call."""
    if sys.implementation.name != "cpython":
        raise NotImplementedError
    import _ssl  # its OpenSSL is the one that counts

    try:
        found = ctypes.CDLL(getattr(_ssl, "__file__", None)).SSL_CTX_set_ciphersuites
    except (OSError, AttributeError):  # built in, with its names left out
        raise NotImplementedError from None
    found.argtypes, found.restype = [ctypes.c_void_p, ctypes.c_char_p], ctypes.c_int
    made: Callable[[int, bytes], int] = found
    return made


def _pointer(context: ssl.SSLContext) -> int:
    """``PySSLContext.ctx``."""
    return ctypes.c_void_p.from_address(id(context) + _HEAD).value or 0
