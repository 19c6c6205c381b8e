"""Checkpoints of Structured Streaming jobs, as Spark writes them."""

from __future__ import annotations

import json
import os
from pathlib import Path

START = 1_795_000_000_000
"""When the first batch began (ms)."""


def checkpoint(
    root: Path, done: int, written: int, topic: str = "orders", start: int = START
) -> Path:
    """A job that wrote ``written`` batches of ten records and finished ``done`` of them."""
    for name in ("offsets", "commits", "sources/0"):
        (root / name).mkdir(parents=True)
    (root / "metadata").write_text(json.dumps({"id": "d54b6658"}))
    for n in range(written):
        head = {"batchWatermarkMs": 0, "batchTimestampMs": start + n * 1000, "conf": {}}
        line = json.dumps({topic: {"0": 10 * (n + 1), "1": n}})
        (root / "offsets" / str(n)).write_text(f"v1\n{json.dumps(head)}\n{line}")
        (root / "offsets" / f".{n}.crc").write_bytes(b"crc")
        if n < done:
            path = root / "commits" / str(n)
            path.write_text('v1\n{"nextBatchWatermarkMs":0}')
            os.utime(path, ns=((start + n * 1000 + 600) * 1_000_000,) * 2)
    return root
