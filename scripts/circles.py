"""Circles of import: no two files import each other, in one step or in many.

Every ``import`` counts: those under TYPE_CHECKING, and those inside functions too, since two
files that need each other are one file in two pieces, whenever they are loaded. A package's
``__init__.py`` counts as a file of its own, and only what it names itself.

Exits 1 and names every circle with the lines that close it.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

Graph = dict[str, dict[str, int]]
"""Of each module, the modules it imports and the line that does."""


@dataclass(frozen=True)
class Circle:
    """Modules that all reach each other, and the imports between them: (from, to, line)."""

    modules: frozenset[str]
    imports: tuple[tuple[str, str, int], ...]


def module_name(path: Path, root: Path) -> str:
    """The dotted name of a file below ``root``, a package's ``__init__.py`` by its folder."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(tree: ast.AST, module: str, is_package: bool) -> Iterable[tuple[str, int]]:
    """Every dotted name that a module's source imports, with its line; relative ones resolved."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                up = node.level - 1 if is_package else node.level
                parts = module.split(".")
                base = ".".join(
                    [*parts[: len(parts) - up], *([node.module] if node.module else [])]
                )
            yield from ((f"{base}.{alias.name}", node.lineno) for alias in node.names)


def graph_of(sources: Mapping[str, tuple[str, bool]]) -> Graph:
    """Who imports whom among ``sources``: module -> (its text, whether it is a package)."""
    graph: Graph = {}
    for module, (text, is_package) in sources.items():
        edges = graph.setdefault(module, {})
        for name, line in imported(ast.parse(text), module, is_package):
            target = name if name in sources else name.rpartition(".")[0]
            if target in sources and target != module:
                edges.setdefault(target, line)
    return graph


def circles(graph: Graph) -> list[Circle]:
    """The groups of modules that reach each other, by Tarjan's algorithm; sorted by name."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[Circle] = []

    def visit(module: str) -> None:
        order[module] = low[module] = len(order)
        stack.append(module)
        for target in graph[module]:
            if target not in order:
                visit(target)
            if target in stack:
                low[module] = min(low[module], low[target])
        if low[module] == order[module]:
            group = frozenset(stack[stack.index(module) :])
            del stack[stack.index(module) :]
            if len(group) > 1:
                found.append(Circle(group, inside(graph, group)))

    sys.setrecursionlimit(max(sys.getrecursionlimit(), 4 * len(graph) + 100))
    for module in graph:
        if module not in order:
            visit(module)
    return sorted(found, key=lambda c: min(c.modules))


def inside(graph: Graph, group: frozenset[str]) -> tuple[tuple[str, str, int], ...]:
    """The imports between the modules of ``group``."""
    return tuple(
        (module, target, line)
        for module in sorted(group)
        for target, line in sorted(graph[module].items())
        if target in group
    )


def read(root: Path, package: str) -> dict[str, tuple[str, bool]]:
    """The modules of a package on disk: name -> (text, whether it is an ``__init__.py``)."""
    return {
        module_name(path, root): (path.read_text(encoding="utf-8"), path.name == "__init__.py")
        for path in sorted((root / package).rglob("*.py"))
    }


def main() -> int:
    """Check the package, and the tests' own support."""
    found = circles(graph_of(read(ROOT, "pykafka_ops") | read(ROOT, "tests")))
    faults = [
        "circle of imports: "
        + ", ".join(f"{module}:{line} -> {target}" for module, target, line in circle.imports)
        for circle in found
    ]
    print("\n".join(faults) if faults else "circles: no files import each other")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
