"""Partition directories that Apache Kafka wrote, and chance that damages them."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

from pykafka_ops.commands.dump_log.log_file import LogFile
from pykafka_ops.disk import names
from tests.support.golden.segments import SEGMENTS

WHOLE = (
    *("v2-transactions", "v2-transactions-open", "v2-idempotent", "v2-compacted-txn", "v2-none"),
    *("v2-zstd", "v2-gzip", "v2-mixed-codecs", "v2-delete-records", "v1-none", "v0-gzip"),
    *("upgraded", "v2-retention", "v2-wide"),
)


def copy_of(case: str, target: Path) -> Path:
    """A writable copy of a golden directory."""
    shutil.copytree(SEGMENTS / case, target)
    for path in target.iterdir():
        path.chmod(0o644)
    return target


def batches(path: Path, end: int | None = None) -> list[bytes]:
    """The bytes of every batch of a log that ends at or before ``end``."""
    log = LogFile(str(path))
    stop = log.size if end is None else end
    data = log.data[:]
    return [data[at : at + size] for at, size, _ in log.batches(0, log.size) if at + size <= stop]


def all_batches(folder: Path, broken: dict[str, int]) -> list[bytes]:
    """The batches of a partition's log up to the first byte of ``broken`` (name, position)."""
    found: list[bytes] = []
    for path in sorted(folder.glob("*.log")):
        found += batches(path, broken.get(path.name))
        if path.name in broken:
            break
    return found


def harm(folder: Path, rng: random.Random, *, files: int = 2) -> dict[str, int]:
    """Damage files by chance; where the first byte of each log was touched."""
    touched: dict[str, int] = {}
    candidates = [
        path
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name != names.PARTITION_METADATA
    ]
    for path in rng.sample(candidates, min(files, len(candidates))):
        data = bytearray(path.read_bytes())
        at = rng.randrange(len(data) + 1)
        size = rng.choice((1, 1, 4, 20, 200))
        kind = rng.choice(("flip", "noise", "zero", "cut", "append", "gone", "insert"))
        if kind == "cut":
            del data[at:]
        elif kind == "append":
            at = len(data)
            data += rng.choice((bytes(size), rng.randbytes(size)))
        elif kind == "insert":
            data[at:at] = rng.randbytes(size)
        elif kind == "gone" and not path.name.endswith(".log"):
            path.unlink()
            continue
        elif kind == "zero":
            data[at : at + size] = bytes(len(data[at : at + size]))
        elif kind == "noise":
            data[at : at + size] = rng.randbytes(len(data[at : at + size]))
        elif data:
            data[at % len(data)] ^= 1 << rng.randrange(8)
            at %= len(data)
        path.write_bytes(data)
        if path.name.endswith(".log"):
            touched[path.name] = at
    return touched
