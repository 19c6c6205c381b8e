"""Docstrings, comments and pages name only files, modules and functions that exist."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = PurePosixPath("pykafka_ops")
TICKED = re.compile(r"`+([A-Za-z_][\w./-]*?)`+")
PLACEHOLDER = re.compile(r"^[A-Z]+$")
ROOMS = frozenset(
    ["net", "runtime", "handlers", "services", "partitions", "coordinators", "storage",
     "metadata", "state"]
)  # fmt: skip
"""Folders of the broker, which texts name without the broker before them."""
PURE = frozenset({"pykafka_ops", "analysis", "commands", "disk", "tests", "wire"})
"""Where a dotted name begins that is a module's: no setting of Kafka begins so."""


@cache
def tracked() -> tuple[PurePosixPath, ...]:
    """Files of the repository, kept or new, below its root."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    return tuple(PurePosixPath(name) for name in listed if (ROOT / name).is_file())


@cache
def places() -> frozenset[tuple[str, ...]]:
    """Files and folders by every end of their paths; a module also without its suffix."""
    found: set[tuple[str, ...]] = set()
    for path in tracked():
        for whole in (path, path.with_suffix(""), *path.parents[:-1]):
            found.update(whole.parts[at:] for at in range(len(whole.parts)))
    return frozenset(found)


@cache
def top_folders() -> frozenset[str]:
    """First words of a path: folders at the root and in the package, and the broker's rooms."""
    below = {p.parts[1] for p in tracked() if p.parts[0] == "pykafka_ops" and len(p.parts) > 2}
    return ROOMS | below | {p.parts[0] for p in tracked() if len(p.parts) > 1}


def exists(reference: str) -> bool:
    """Whether a path leads to a file or folder; a name may follow that of a module."""
    parts = PurePosixPath(reference).parts
    if any(PLACEHOLDER.match(part) for part in parts):
        return True
    known = places()
    return parts in known or (*parts[:-1], parts[-1].partition(".")[0]) in known


@cache
def names_in(module: PurePosixPath) -> frozenset[str]:
    """Names that a module's text binds at its top."""
    names: set[str] = set()
    for node in ast.parse((ROOT / module).read_text()).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        else:
            names.update(n.id for n in ast.walk(node) if isinstance(n, ast.Name))
            names.update(a.asname or a.name for n in ast.walk(node)
                         if isinstance(n, ast.ImportFrom) for a in n.names)  # fmt: skip
    return frozenset(names)


def is_bound(reference: str) -> bool:
    """Whether a dotted name leads to a package, a module, or a name in a module."""
    words = reference.split(".")
    at = PurePosixPath() if words[0] in ("pykafka_ops", "tests") else PACKAGE
    for n, word in enumerate(words):
        module = at / f"{word}.py"
        if module in tracked():
            return n + 1 == len(words) or words[n + 1] in names_in(module)
        at = at / word
        if not (ROOT / at).is_dir():
            return (at.parent / "__init__.py") in tracked() and word in names_in(
                at.parent / "__init__.py"
            )
    return True


def prose(path: PurePosixPath) -> Iterator[tuple[int, str]]:
    """Comments and docstrings of a module with their lines, or the text of a page."""
    text = (ROOT / path).read_text()
    if path.suffix == ".md":
        yield 1, text
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(said))):
                yield node.lineno, said


def faults(text: str) -> list[str]:
    """What ``text`` names in backticks that does not exist."""
    return [
        name
        for name in TICKED.findall(text)
        if (
            not exists(name)
            if name.endswith(".py") or ("/" in name and name.split("/")[0] in top_folders())
            else "." in name and name.split(".")[0] in PURE and not is_bound(name)
        )
    ]


def test_texts_name_only_what_exists() -> None:
    found = [
        f"{path}:{line}: {name}"
        for path in tracked()
        if path.suffix in (".py", ".md")
        and path.parts[:2] != ("tests", "golden")
        and path.name != "test_words.py"
        and faults((ROOT / path).read_text())  # to take it apart costs fifty times as much
        for line, text in prose(path)
        for name in faults(text)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "good",
    ["``disk/batch.py``", "``batch.py``", "`tests/unit`", "``wire/messages/``", "``brokers/0``",
     "``disk/batch.scan``", "``disk.batch``", "``disk.batch.BatchHeader.size``", "``client.id``",
     "``spark/reports/KIND/columns.py``", "``analysis``", "disk/nothing.py"],
)  # fmt: skip
def test_what_exists_or_is_no_file_may_be_named(good: str) -> None:
    assert faults(good) == []


@pytest.mark.parametrize(
    "bad", ["disk/nothing.py", "nothing.py", "net/nowhere", "disk.batch.nothing", "wire.nothing"]
)
def test_what_is_gone_is_found(bad: str) -> None:
    assert faults(f"See ``{bad}``.") == [bad]
