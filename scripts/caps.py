"""Size caps: no file over 400 lines, no function over 50, at most 6 positional parameters and,
outside the tests, at most 8 with those by keyword.

Exceptions stand in EXCEPTIONS with the reason. Exits 1 and names every offender.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

MAX_FILE = 400
MAX_FUNCTION = 50
MAX_POSITIONAL = 6
MAX_PARAMETERS = 8
ROOT = Path(__file__).resolve().parent.parent
CLICK = "goes with the framework that click replaces"
EXCEPTIONS: dict[str, str] = {
    "pykafka_ops/disk/build.py:build_batch": "a keyword per field of the batch header",
    "pykafka_ops/broker/storage/log/log.py:__init__": "its place and its checkpoints",
    "pykafka_ops/commands/framework/options.py:__init__": CLICK,
    "pykafka_ops/commands/framework/output.py:__init__": CLICK,
}
"""``file:function``, or a file, and why it may be over a cap."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def code_lines(node: Function) -> int:
    """Lines of a function without its docstring and decorators."""
    first = node.body[0]
    doc = ast.get_docstring(node, clean=False) is not None
    doc_lines = (first.end_lineno or 0) - first.lineno + 1 if doc else 0
    return (node.end_lineno or 0) - node.lineno + 1 - doc_lines


def positional(node: Function) -> int:
    """Positional parameters, self and cls left out."""
    args = [a.arg for a in node.args.posonlyargs + node.args.args]
    return len([a for a in args if a not in ("self", "cls")])


def parameters(node: Function) -> int:
    """All parameters, self, cls, ``*`` and ``**`` ones left out."""
    return positional(node) + len(node.args.kwonlyargs)


def offences(path: Path) -> Iterator[tuple[str, str]]:
    """Every cap that ``path`` breaks: its name in EXCEPTIONS, and a line that says how."""
    name = str(path.relative_to(ROOT))
    text = path.read_text(encoding="utf-8")
    lines = text.count("\n")
    if lines > MAX_FILE:
        yield name, f"{name}: {lines} lines, at most {MAX_FILE}"
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, Function):
            continue
        where = f"{name}:{node.lineno} {node.name}"
        for count, most, of in (
            (code_lines(node), MAX_FUNCTION, "lines"),
            (positional(node), MAX_POSITIONAL, "positional parameters"),
            (parameters(node), MAX_PARAMETERS, "parameters"),
        ):
            if count > most and not (of == "parameters" and name.startswith("tests/")):
                yield f"{name}:{node.name}", f"{where}: {count} {of}, at most {most}"


def main() -> int:
    """Check the package, the scripts and the tests."""
    files = [p for d in ("pykafka_ops", "scripts", "tests") for p in (ROOT / d).rglob("*.py")]
    broken = [offence for path in sorted(files) for offence in offences(path)]
    found = [line for key, line in broken if key not in EXCEPTIONS]
    print("\n".join(found) if found else f"caps: {len(files)} files within the caps")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
