"""Takes the pictures of the README from a page of the demo, one per report.

Usage: python scripts/demo_pictures.py PAGE.html DIRECTORY
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.support.process.browser import missing, run  # noqa: E402

HEIGHTS = {"lag": 720, "skew": 900, "retention": 880}
WIDTH = 1000
MOST = 150_000
"""Bytes of a picture at most."""
ONLY = "nav, article {{ display: none }} #{kind} {{ display: block; border: 0; margin: 0 }}"
REST = "main > .verdict { display: none }"
"""The verdict over all reports is in the first picture alone."""


def main(argv: list[str]) -> int:
    """0, or 1 where a picture is too large, 2 for wrong usage."""
    if len(argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    if reason := missing():
        print(reason, file=sys.stderr)
        return 1
    page, directory = Path(argv[0]).read_text(encoding="utf-8"), Path(argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    large = [kind for kind in HEIGHTS if not _take(page, kind, directory / f"{kind}.png")]
    for kind in large:
        print(f"{directory}/{kind}.png is larger than {MOST} bytes", file=sys.stderr)
    return 1 if large else 0


def _take(page: str, kind: str, target: Path) -> bool:
    """One report's picture; whether it is small enough."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        shown = work / "page.html"
        style = ONLY.format(kind=kind) + ("" if kind == next(iter(HEIGHTS)) else REST)
        shown.write_text(page.replace("</style>", f"{style}</style>", 1))
        run(shown, work, f"--screenshot={target.resolve()}", width=WIDTH, height=HEIGHTS[kind])
    return target.stat().st_size <= MOST


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
