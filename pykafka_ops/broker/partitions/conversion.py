"""Records for clients that read only the formats of old."""

from __future__ import annotations

import struct

from pykafka_ops.broker.state.steps import is_dense
from pykafka_ops.broker.storage.log.reader import ReadResult
from pykafka_ops.disk.batch import read_header
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.types import joined

MAGIC = 16
"""Where a batch, or a message, says its format; the codec is in the byte behind it before v2."""

TOO_LONG = struct.pack(">qi", -1, 0x7FFFFFFF)
"""Offset and length of a message that the client's limit cut off."""


class Conversion:
    """The message set that a client before v4 gets of what was read. Raises OSError."""

    __slots__ = ("_data", "_magic", "_offset")

    def __init__(self, version: int, offset: int, result: ReadResult) -> None:
        cut = version < 3 and result.first_batch_cut
        self._data = b"" if cut else joined(result.parts)
        self._magic = 0 if version < 2 else 1
        self._offset = offset

    def is_long(self) -> bool:
        """Whether it takes so long that others would wait."""
        from pykafka_ops.disk.convert import next_batch  # few clients are so old

        data, at = self._data, 0
        while (behind := next_batch(data, at, len(data))) is not None:
            if data[at + MAGIC] > self._magic:
                old = data[at + MAGIC] < 2
                if data[at + MAGIC + 1] & 7 if old else is_dense(read_header(data, at)):
                    return True
            at = behind
        return False

    def warm(self) -> bytes:
        """Convert, up to the first batch that the client cannot have.

        Before v3 a limit below the first batch is kept; the start of a message that does not fit
        tells the client so. Raises KafkaError UNSUPPORTED_COMPRESSION_TYPE if nothing is left.
        """
        from pykafka_ops.disk.convert import down_convert

        if not self._data:
            return TOO_LONG
        converted: list[bytes] = []
        try:
            for message_set in down_convert(self._data, self._magic, self._offset):
                converted.append(message_set)  # noqa: PERF402 - what came before an error counts
        except KafkaError:
            if not any(converted):
                raise
        return b"".join(converted)
