"""The same request to two brokers over plain sockets, and their answers side by side."""

from __future__ import annotations

import socket
from typing import Any

from pykafka_ops.wire.apis import APIS
from pykafka_ops.wire.frame import decode_response, encode_request

CLOSED = "closed"


class Link:
    """One connection that is made again when the broker closes it."""

    def __init__(self, bootstrap: str, client_id: str = "peer", *, source: str = "") -> None:
        """``source`` is the local address, if it matters."""
        self._client_id = client_id
        self._source = source
        host, _, port = bootstrap.rpartition(":")
        self._address = host, int(port)
        local = (source, 0) if source else None
        self._socket = socket.create_connection(self._address, source_address=local)
        self._socket.settimeout(60)

    def ask(self, request: Any, version: int) -> Any:
        """The decoded answer, or ``CLOSED``."""
        try:
            self._socket.sendall(encode_request(request, version, 7, self._client_id))
            size = int.from_bytes(self._read(4), "big")
            response = APIS[type(request).__wire__.api].response
            return decode_response(response, version, self._read(size))[1]
        except ConnectionError:
            self.close()
            where = f"{self._address[0]}:{self._address[1]}"
            self.__init__(where, self._client_id, source=self._source)  # type: ignore[misc]
            return CLOSED

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = self._socket.recv(size - len(data))
            if not more:
                raise ConnectionResetError
            data += more
        return data

    def close(self) -> None:
        self._socket.close()
