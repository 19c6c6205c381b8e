"""How large a batch is checked while others wait, and its records in plain bytes.

It declines batches that are larger than that, compressed or plain, or malformed.
"""

from __future__ import annotations

from mmap import mmap

from pykafka_ops.broker.hot.raw import MOST_DELTA
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.compression import codec_of, unpack
from pykafka_ops.disk.pieces import UnpackedInto
from pykafka_ops.errors import CorruptBatchError

COMPRESSED_RECORDS = 1 << 20
"""Records that any compressed batch may have; a larger one has a record a byte."""
QUICK_RECORDS = MOST_DELTA
QUICK_BYTES = 5 << 18
QUICK_COMPRESSED_BYTES = 256 * 1024
"""Of a batch that is checked while others wait: some ms of work, and what producers send."""

_memory: memoryview | None = None
"""For the records of one batch after the other, by the one thread that serves requests."""


def inflate_quickly(stored: memoryview, header: BatchHeader) -> bytes | memoryview | None:
    """The records of a compressed batch as plain bytes, which are good until the next call; None if
    that takes long, or they are malformed."""
    global _memory
    if len(stored) > QUICK_COMPRESSED_BYTES or header.record_count > COMPRESSED_RECORDS:
        return None
    if _memory is None:
        _memory = memoryview(mmap(-1, QUICK_BYTES))
    try:
        return unpack(codec_of(header.attributes), stored, UnpackedInto(_memory))
    except CorruptBatchError:
        return None
