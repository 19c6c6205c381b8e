"""Segments that Apache Kafka wrote, as a log directory, and what its own dump tool says is in them.

Nothing here reads a segment: the counts are of the tool's printed lines.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

GOLDEN = Path(__file__).parents[2] / "golden"
_BATCH = re.compile(
    r"baseOffset: (\d+) lastOffset: (\d+) count: (\d+) .*? isControl: (\w+) .*?position: (\d+)"
    r" (?:CreateTime|LogAppendTime): (-?\d+) size: (\d+) .*?compresscodec: (\w+)"
)
_RECORD = re.compile(
    r"\| offset: \d+ \w+: (-?\d+) keySize: (-?\d+) valueSize: (-?\d+) .*?"
    r"headerKeys: \[.*?\](?: key: (.*?))?(?: payload: .*)?$"
)
_FILE = re.compile(r"Dumping \S*/(\d{20}\.log)")


@dataclass(frozen=True)
class Record:
    """A record as printed: ms, sizes (-1: null), the key (None: null)."""

    timestamp: int
    key_size: int
    value_size: int
    key: str | None


@dataclass
class Batch:
    """A batch as printed: offsets, ms of its newest record, bytes, the file it is in."""

    segment: str
    base: int
    last: int
    count: int
    control: bool
    position: int
    timestamp: int
    size: int
    codec: str
    records: list[Record] = field(default_factory=list)


def batches(case: str) -> list[Batch]:
    """What ``kafka-dump-log --deep-iteration --print-data-log`` printed of a case's segments."""
    return list(_parse((GOLDEN / "expected" / case / "log.deep-print.txt").read_text()))


def _parse(text: str) -> Iterator[Batch]:
    segment, batch = "", None
    for line in text.splitlines():
        if found := _FILE.match(line):
            segment = found[1]
        elif found := _BATCH.match(line):
            if batch is not None:
                yield batch
            base, last, count, control, position, at, size, codec = found.groups()
            batch = Batch(segment, int(base), int(last), int(count), control == "true",
                          int(position), int(at), int(size), codec)  # fmt: skip
        elif (found := _RECORD.match(line)) and batch is not None:
            at, key_size, value_size, key = found.groups()
            batch.records.append(Record(int(at), int(key_size), int(value_size), key))
    if batch is not None:
        yield batch


def log_directory(root: Path, partitions: Mapping[str, str]) -> None:
    """A broker's log directory at ``root``: cases by the name their partition shall have, and the
    checkpoints of the broker that wrote them."""
    shutil.copytree(GOLDEN / "logdir" / "segments-broker", root)
    for name, case in partitions.items():
        shutil.copytree(GOLDEN / "segments" / case, root / name)


def damaged(case: str, sound: str) -> tuple[list[Batch], list[Batch]]:
    """Batches of a case with a changed byte: those as they were in ``sound``, and those that the
    byte is in."""
    whole, broken = [], []
    for batch in batches(sound):
        file = GOLDEN / "segments" / case / batch.segment
        before = (GOLDEN / "segments" / sound / batch.segment).read_bytes()
        place = slice(batch.position, batch.position + batch.size)
        (whole if file.read_bytes()[place] == before[place] else broken).append(batch)
    return whole, broken
