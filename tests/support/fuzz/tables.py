"""Segments of any bytes as the ``kafka-log`` source reads them: compiled loops and plain ones
agree, nothing is read twice or beyond its bounds."""

from __future__ import annotations

import numpy as np

from pykafka_ops.errors import CorruptError
from pykafka_ops.spark.decode import records
from pykafka_ops.spark.decode.records import WantedRecords
from pykafka_ops.spark.sources.log.pick import messages, plains
from pykafka_ops.spark.sources.log.scan import Bad, BatchRun, ByteRange, Message, scan


class Memory:
    """A file in memory."""

    def __init__(self, data: bytes) -> None:
        self.data, self.size = data, len(data)

    def read_at(self, count: int, position: int) -> bytes:
        return self.data[position : position + count]

    def close(self) -> None:
        pass


def log_tables(data: bytes) -> None:
    """Each byte belongs to one batch or one stretch of damage; records are those of a walk."""
    for crc in (False, True):
        at = 0
        for piece in scan(Memory(data), ByteRange(0, len(data), 0, False), whole=True, crc=crc):
            if isinstance(piece, BatchRun):
                assert piece.positions[0] == at
                at = int(piece.positions[-1]) + int(piece.heads["length"][-1]) + 12
                _same_records(piece)
                continue
            assert piece.position == at
            at += piece.header.size if isinstance(piece, Message) else piece.size
            if isinstance(piece, Message):
                try:
                    messages(piece)
                except CorruptError:
                    continue
        assert at == len(data)


def _same_records(run: BatchRun) -> None:
    for plain in plains(run, np.ones(len(run.heads), np.bool_)):
        if isinstance(plain, Bad):
            continue
        found = records.decode(plain, WantedRecords())
        room = (plain.end - plain.begin) // 7
        counts = plain.heads["records"].astype(np.int64)
        counts[(counts < 0) | (counts > room)] = 0
        walked = records._walk(plain, counts, WantedRecords())
        assert set(walked.bad) <= set(found.bad)
        assert found.offsets.tolist() == walked.offsets.tolist()
        assert found.values is not None and found.values.equals(walked.values)
        assert found.keys is not None and found.keys.equals(walked.keys)
