"""A long answer that comes again byte by byte is not decoded again.

Who asks in rounds gets the same object, and so sees at once that nothing changed.
"""

from __future__ import annotations

from typing import Any, Final

from pykafka_ops.wire import frame

LEAST_BYTES: Final = 32 << 10
"""Shorter answers are decoded at once, and leave the kept one alone."""
_HEAD: Final = 4
"""Bytes of the correlation id, which differs each time."""


class KeptAnswer:
    """The last long answer of one kind of request."""

    def __init__(self) -> None:
        self._version = -1
        self._body = b""
        self._answer: Any = None

    def decoded(self, kind: type[Any], version: int, data: bytearray) -> Any:
        """The answer in the frame ``data``. WireError."""
        if len(data) < LEAST_BYTES:
            return frame.decode_response(kind, version, data)[1]
        if version == self._version and memoryview(data)[_HEAD:] == self._body:
            return self._answer
        self._answer = frame.decode_response(kind, version, data)[1]
        self._version, self._body = version, bytes(memoryview(data)[_HEAD:])
        return self._answer
