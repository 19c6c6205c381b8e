"""A directory of logs with every kind of damage in it."""

from __future__ import annotations

import os
from pathlib import Path

from pykafka_ops.disk.names import segment_file
from tests.support.spark.log_tables import write_log

DAMAGED = {
    "orders-0": f"{segment_file(0)} at byte 0",  # a wrong byte in the only batch of ten
    "orders-1": f"{segment_file(10)} at byte 0",  # cut within its batch, behind a sound segment
    "orders-2": f"{segment_file(10)} at byte 0",  # cut away as a whole
    "orders-3": f"{segment_file(10)} at byte 0",  # a link to nothing
    "orders-4": " at byte 0",  # the directory is one
}
SOUND = {0: 0, 1: 10, 2: 10, 3: 10}
"""Records that are left, by partition."""


def write_damaged(root: Path) -> Path:
    """Write it; the directory."""
    for partition in range(4):
        write_log(root, "orders", [[10], [10]][: partition + 1], partition=partition)
    flipped = root / "orders-0" / segment_file(0)
    data = bytearray(flipped.read_bytes())
    data[-1] ^= 1
    flipped.write_bytes(data)
    os.truncate(root / "orders-1" / segment_file(10), 100)
    os.truncate(root / "orders-2" / segment_file(10), 0)
    (root / "orders-3" / segment_file(10)).unlink()
    (root / "orders-3" / segment_file(10)).symlink_to("/nowhere")
    (root / "orders-4").symlink_to("/nowhere")
    return root


def damaged_places(root: Path) -> set[str]:
    """What reports call them."""
    return {f"{root}/{folder}/{place}" for folder, place in DAMAGED.items()}
