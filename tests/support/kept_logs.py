"""Log directories with records that a test wants in them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.control import ControlType, EndTxnMarker, build_marker
from pykafka_ops.disk.record import Record

Sent = tuple[int, bytes | None, bytes | None]
"""Timestamp, key, value."""


def in_batches(
    records: Sequence[Sent], size: int = 50, *, base: int = 0, codec: Codec = Codec.NONE
) -> list[bytes]:
    """Records in batches of some size."""
    found = []
    for first in range(0, len(records), size):
        part = [
            Record(base + first + number, *sent)
            for number, sent in enumerate(records[first : first + size])
        ]
        found.append(bytes(build_batch(part, base_offset=base + first, codec=codec)))
    return found


def transaction(
    records: Sequence[Sent], base: int, producer: int, *, ends: bool | None = True
) -> list[bytes]:
    """A batch of a transaction and its marker: committed, aborted, or (None) none yet."""
    part = [Record(base + number, *sent) for number, sent in enumerate(records)]
    batch = build_batch(
        part, base_offset=base, producer_id=producer, producer_epoch=0, base_sequence=0,
        transactional=True,
    )  # fmt: skip
    return [bytes(batch), *([] if ends is None else [marker(base + len(part), producer, ends)])]


def marker(offset: int, producer: int, commit: bool) -> bytes:
    """What ends a transaction."""
    kind = ControlType.COMMIT if commit else ControlType.ABORT
    return bytes(
        build_marker(
            EndTxnMarker(kind, 0), base_offset=offset, timestamp=1, producer_id=producer,
            producer_epoch=0,
        )
    )  # fmt: skip


def write_log(
    folder: Path, name: str, batches: Sequence[bytes], *, segments: Sequence[int] = (0,)
) -> Path:
    """The directory of a partition; each segment begins with the batch of its base offset."""
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    for number, base in enumerate(segments):
        end = segments[number + 1] if number + 1 < len(segments) else 1 << 62
        mine = [b for b in batches if base <= int.from_bytes(b[:8], "big") < end]
        (place / f"{base:020d}.log").write_bytes(b"".join(mine))
    return place


def append_log(place: Path, batches: Sequence[bytes]) -> None:
    """More batches in the last segment."""
    last = sorted(place.glob("*.log"))[-1]
    with open(last, "ab") as file:
        file.write(b"".join(batches))
        os.fsync(file.fileno())
