"""One class, one name: no two public classes of the package are called the same.

Messages (``wire/messages``) are left out: their names are the protocol's. SHARED holds names that
several classes may have, with the reason. Exits 1 and names every class that shares its name.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = ("pykafka_ops/wire/messages/",)
SHARED: dict[str, str] = {
    "History": "of groups in a report, and of all a monitor sees in its file",
    "Column": "of a table in a terminal, and of a section of a report",
    "OffsetIndex": "the file of an index, and its format on disk",
    "TimeIndex": "the file of an index, and its format on disk",
}


def class_names(text: str) -> list[tuple[str, int]]:
    """The public classes at the top of a module, with their lines."""
    return [
        (node.name, node.lineno)
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]


def shared(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """Names of several classes among ``sources`` (file -> text), and where those stand."""
    places: dict[str, list[str]] = defaultdict(list)
    for file, text in sources.items():
        for name, line in class_names(text):
            places[name].append(f"{file}:{line}")
    return {name: where for name, where in sorted(places.items()) if len(where) > 1}


def main() -> int:
    """Check the package."""
    files = {str(p.relative_to(ROOT)): p for p in sorted((ROOT / "pykafka_ops").rglob("*.py"))}
    sources = {
        name: path.read_text(encoding="utf-8")
        for name, path in files.items()
        if not name.startswith(LEFT_OUT)
    }
    found = {name: where for name, where in shared(sources).items() if name not in SHARED}
    for name, where in found.items():
        print(f"{name} names {len(where)} classes: {', '.join(where)}")
    if not found:
        print("class names: each names one class")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
