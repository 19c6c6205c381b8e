"""The golden segments: files that Apache Kafka 3.9.1 wrote."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
SEGMENTS = GOLDEN / "segments"
LOG_DIRS = GOLDEN / "logdir"
CASES = sorted(path.name for path in SEGMENTS.iterdir() if path.is_dir())


def files(case: str, suffix: str) -> Iterator[Path]:
    """The files of one case whose name ends in ``suffix``, in order."""
    return (path for path in sorted((SEGMENTS / case).iterdir()) if path.name.endswith(suffix))


def all_files(suffix: str) -> list[Path]:
    """Every file of that kind, of all cases."""
    return [path for case in CASES for path in files(case, suffix)]


def short(path: Path) -> str:
    """A test id: case and file."""
    return f"{path.parent.name}/{path.name}"
