"""Disks for the brokers."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.process.mounts import mount


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 6 MB; needs root."""
    path = tmp_path / "small"
    path.mkdir()
    if not mount("-t", "tmpfs", "-o", "size=6m", "pko-test", str(path)):
        pytest.skip("cannot mount a tmpfs: not root, or not allowed")
    yield path
    subprocess.run(["umount", "-l", str(path)], check=True)
