"""Size caps: no file over 400 lines, no function over 50, at most 6 positional parameters.

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
ROOT = Path(__file__).resolve().parent.parent
EXCEPTIONS: dict[str, str] = {}

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


def offences(path: Path) -> Iterator[str]:
    """Every cap that ``path`` breaks, one line each."""
    name = str(path.relative_to(ROOT))
    text = path.read_text(encoding="utf-8")
    lines = text.count("\n")
    if lines > MAX_FILE and name not in EXCEPTIONS:
        yield f"{name}: {lines} lines, at most {MAX_FILE}"
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, Function):
            continue
        where = f"{name}:{node.lineno} {node.name}"
        if code_lines(node) > MAX_FUNCTION and f"{name}:{node.name}" not in EXCEPTIONS:
            yield f"{where}: {code_lines(node)} lines, at most {MAX_FUNCTION}"
        if positional(node) > MAX_POSITIONAL and f"{name}:{node.name}" not in EXCEPTIONS:
            yield f"{where}: {positional(node)} positional parameters, at most {MAX_POSITIONAL}"


def main() -> int:
    """Check the package, the scripts and the tests."""
    files = [p for d in ("pykafka_ops", "scripts", "tests") for p in (ROOT / d).rglob("*.py")]
    found = [line for path in sorted(files) for line in offences(path)]
    print("\n".join(found) if found else f"caps: {len(files)} files within the caps")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
