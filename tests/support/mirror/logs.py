"""Logs of a source, and what a mirror's rewriting makes of them, held against a broker's checks."""

from __future__ import annotations

import random
from collections.abc import Sequence

from pykafka_ops.disk.batch import validate_client_batch
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.record import Record, iter_records
from pykafka_ops.mirror.copy.pieces import TargetBatch, TargetLimits, stamp
from pykafka_ops.mirror.copy.rewrite import Rewriter

CODECS = list(Codec)
LIMITS = TargetLimits()


def some(base: int, count: int, size: int = 100) -> list[Record]:
    return [
        Record(
            base + n,
            1_700_000_000_000 + n * 7,
            b"key-%d" % (base + n) if n % 3 else None,
            random.Random(base + n).randbytes(size) if n % 5 else None,
            (("origin", b"a"), ("empty", None)) if n % 2 else (),
        )
        for n in range(count)
    ]


def batch(records: Sequence[Record], **more: object) -> bytes:
    base = more.pop("base_offset", records[0].offset)
    more = {"leader_epoch": 5, **more}
    return bytes(build_batch(records, base_offset=base, **more))  # type: ignore[arg-type]


def rewrite(
    data: bytes,
    position: int = 0,
    limits: TargetLimits = LIMITS,
    aborted: Sequence[tuple[int, int]] | None = (),
    *,
    skip: bool = False,
) -> list[TargetBatch]:
    rewriter = Rewriter(position, limits, skip_too_large=skip)
    return list(rewriter.pieces(memoryview(bytearray(data)), aborted))


def written(pieces: Sequence[TargetBatch]) -> list[Record]:
    """The records as the target's log has them, under their source offsets; every batch stamped,
    held against what a broker checks, and its runs against its records."""
    found: list[Record] = []
    sequence = 0
    for piece in pieces:
        if not piece.data:
            assert (piece.count, piece.runs) == (0, ())
            continue
        stamp(piece.data, 77, 3, sequence, transactional=True)
        header = validate_client_batch(piece.data)
        assert header.size == len(piece.data)
        assert (header.producer_id, header.producer_epoch) == (77, 3)
        assert (header.base_sequence, header.attributes & ~7) == (sequence, 0x10)
        assert header.record_count == piece.count
        records = list(iter_records(piece.data, 0, header))
        assert [r.offset for r in records] == list(range(piece.count))
        offsets = [source + n for source, at, count in piece.runs for n in range(count)]
        assert [at for _, at, _ in piece.runs] == [
            sum(run.length for run in piece.runs[:n]) for n in range(len(piece.runs))
        ]
        assert piece.first == offsets[0] <= offsets[-1] < piece.next_offset
        assert max(r.timestamp for r in records) == piece.last_ms == header.max_timestamp
        found += [r._replace(offset=at) for r, at in zip(records, offsets, strict=True)]
        sequence += piece.count
    return found


def plain(records: Sequence[Record]) -> list[Record]:
    return [r._replace(headers=tuple(r.headers)) for r in records]
