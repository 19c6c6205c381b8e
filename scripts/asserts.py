"""Every test checks something: it holds an ``assert``, or calls what does.

Counted are ``assert``, an AssertionError, and ``pytest.raises`` and its like. The functions and
methods of the test's own file, and the functions that it imports from ``tests``, count where they
hold one of these. A test that only has to end without an exception says so with
``tests.support.raising``. Exits 1 and names every test that checks nothing.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
PYTEST = {"raises", "fail", "warns"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


class File:
    """One file of tests: its functions, and what it imports from other files of ``tests``."""

    def __init__(self, path: Path) -> None:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        self.functions: dict[str, list[Function]] = {}
        self.imported: dict[str, tuple[Path, str]] = {}
        for node in ast.walk(tree):
            if isinstance(node, Function):
                self.functions.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests."):
                self._note(node)

    def _note(self, node: ast.ImportFrom) -> None:
        source = ROOT.joinpath(*str(node.module).split(".")).with_suffix(".py")
        if source.is_file():
            for name in node.names:
                self.imported[name.asname or name.name] = (source, name.name)

    def checks(self, function: Function, seen: frozenset[str] = frozenset()) -> bool:
        """Whether the function asserts, or calls what does."""
        return any(self._checks(node, seen | {function.name}) for node in ast.walk(function))

    def _checks(self, node: ast.AST, seen: frozenset[str]) -> bool:
        if isinstance(node, ast.Assert):
            return True
        if not isinstance(node, ast.Call):
            return False
        owner, name = called(node.func)
        if name == "AssertionError" or (owner == "pytest" and name in PYTEST):
            return True
        if name in self.imported:
            source, original = self.imported[name]
            return file_of(source).has_check(original)
        return name not in seen and self.has_check(name, seen)

    def has_check(self, name: str, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a function of that name here asserts."""
        return any(self.checks(each, seen) for each in self.functions.get(name, ()))


def called(function: ast.expr) -> tuple[str, str]:
    """The last two names of ``a.b.c``; the first is empty where there is none."""
    if isinstance(function, ast.Attribute):
        owner = function.value
        return owner.id if isinstance(owner, ast.Name) else "", function.attr
    return "", function.id if isinstance(function, ast.Name) else ""


@cache
def file_of(path: Path) -> File:
    """The file at ``path``, read once."""
    return File(path)


def offences(path: Path) -> list[str]:
    """The tests of a file that check nothing, one line each."""
    file = file_of(path)
    tests = [
        each for name, found in file.functions.items() for each in found if name[:5] == "test_"
    ]
    where = path.relative_to(ROOT)
    return [f"{where}:{each.lineno} {each.name}" for each in tests if not file.checks(each)]


def main() -> int:
    """Look at every file of tests."""
    files = sorted(TESTS.rglob("test_*.py"))
    found = [line for path in files for line in offences(path)]
    print(
        "\n".join(found) if found else f"asserts: every test of {len(files)} files checks something"
    )
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
