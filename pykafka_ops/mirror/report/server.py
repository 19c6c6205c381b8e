"""``/metrics``, ``/status``, ``/healthz`` and ``/readyz`` of a mirror over HTTP, read-only."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from threading import Thread
from typing import Final
from urllib.parse import urlsplit

from pykafka_ops.errors import ConnectError, UsageError, internal
from pykafka_ops.small_http import TEXT, HttpAnswer, SmallHttp

log = logging.getLogger("pko.mirror")

JSON: Final = "application/json"


Pages = Mapping[str, Callable[[str], HttpAnswer]]
"""By path, given what the client accepts."""


def listen_place(text: str) -> tuple[str, int]:
    """``HOST:PORT``, IPv6 in brackets, port 0 for a free one. UsageError."""
    host, colon, port = text.rpartition(":")
    plain = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if not (colon and plain and port.isascii() and port.isdigit() and int(port[:6]) < 65536):
        raise UsageError(f"listen {text!r}: write HOST:PORT, such as 127.0.0.1:8084")
    return plain, int(port)


class PageServer:
    """Answers from ``start`` on. ConnectError if it cannot listen."""

    def __init__(self, host: str, port: int, pages: Pages) -> None:
        self._pages = pages
        try:
            self._http = SmallHttp((host, port), self._answer, log, "listen")
        except OSError as error:
            raise ConnectError(
                f"cannot listen on {host}:{port}: {error.strerror}; change listen, or set it to "
                '"" for none'
            ) from None
        self.port = self._http.port
        shown = f"[{host}]" if ":" in host else host
        self.url = f"http://{shown}:{self.port}"
        self._thread = Thread(target=self._http.serve_forever, name="http", daemon=True)

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Answer no more."""
        if self._thread.is_alive():
            self._http.shutdown()
            self._thread.join()
        self._http.server_close()

    def _answer(self, path: str, accept: str) -> HttpAnswer:
        make = self._pages.get(urlsplit(path).path)
        if make is None:
            known = ", ".join(self._pages)
            return HttpAnswer(404, TEXT, f"not found: try {known}\n".encode())
        try:
            return make(accept)
        except Exception as error:
            log.exception("%s: %s", path, internal(error))
            return HttpAnswer(500, TEXT, b"internal error, see the log\n")
