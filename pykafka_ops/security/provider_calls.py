"""Requests to a provider of OAuth 2.0, for its keys and its tokens.

Counterpart of ``HttpAccessTokenRetriever`` and ``JaasOptionsUtils``: trust in a provider is said by
the options of the login module, and has nothing to do with that of the listener.
"""

from __future__ import annotations

from collections.abc import Mapping
from http.client import HTTPException
from urllib.request import (
    BaseHandler,
    FileHandler,
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    Request,
    UnknownHandler,
)

from pykafka_ops.errors import ConnectError, SettingError, TlsSettingError
from pykafka_ops.security import tls

MOST_BYTES = 1024 * 1024
SECONDS = 10.0
"""How long the provider may be silent."""


class ProviderCalls:
    """``options`` are those of a login module (a broker's: on ``listener``): its ``ssl.*`` say
    whom https trusts and which certificate it shows. Without any that is whom the system trusts.

    Raises SettingError where a store cannot be used.
    """

    def __init__(self, options: Mapping[str, str], listener: str = "") -> None:
        self.trust = {name: options[name] for name in tls.SETTINGS if options.get(name)}
        try:
            self._context = tls.client_context(self.trust.get)
        except TlsSettingError as error:
            of = f" on listener {listener}" if listener else ""
            where = f"the login module of OAUTHBEARER{of}"
            raise SettingError(f"{where}: {error}") from None
        self._context.check_hostname = True  # as HttpsURLConnection, whatever the options are

    def read(
        self, url: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> bytes:
        """What is at an address of http, https or file, or is answered there to ``body``; no
        redirect is followed. Blocks. Raises ConnectError."""
        opener = OpenerDirector()
        by_https = HTTPSHandler(context=self._context)
        handlers: list[BaseHandler] = [HTTPHandler(), by_https, FileHandler(), UnknownHandler()]
        for handler in handlers:
            opener.add_handler(handler)
        try:
            asked = Request(url, body, dict(headers or {}))
            with opener.open(asked, timeout=SECONDS) as answer:
                status = getattr(answer, "status", None)
                if status not in (None, 200):
                    raise ConnectError(f"{url}: HTTP status {status}")
                data: bytes = answer.read(MOST_BYTES + 1)
        except (OSError, ValueError, HTTPException) as error:
            raise ConnectError(f"{url}: {getattr(error, 'reason', None) or error}") from None
        if len(data) > MOST_BYTES:
            raise ConnectError(f"{url}: more than {MOST_BYTES} bytes")
        return data
