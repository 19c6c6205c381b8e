"""``pko quorum snapshot``: a cluster as the files of a stopped controller or broker say it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pykafka_ops.analysis.moments import moment_text
from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.commands.framework.output import Column, Table, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.quorum.image.files import metadata_files
from pykafka_ops.commands.quorum.image.replay import END, MetadataReplay
from pykafka_ops.errors import PkoError, UsageError

COLUMNS = (Column("path"), Column("value"))
_ROOT = "image"
_CONTROLS = dict.fromkeys((*range(32), *range(127, 160)), "�")


def snapshot(run: Run) -> Table:
    """The tree, or the part at ``--path``; exit code 4 where files are damaged."""
    args = run.args
    offset = args.number("offset")
    replay = MetadataReplay(metadata_files(args.text("directory") or ""))
    end = END if offset is None else offset + 1
    replay.load(end)
    for _ in replay.run(end):
        pass
    if offset is not None and replay.next <= offset and not replay.damaged:
        raise UsageError(f"--offset {offset}: the log ends at {replay.next}")
    tree = replay.tree()
    path = _parts(args.text("path") or "/")
    part = _at(tree, path)
    people = run.output in ("table", "wide")
    return Table(
        "metadata", COLUMNS, [] if people else rows_of(COLUMNS, _rows(part, path)),
        items=[part], script=_lines(part, path) if people else None,
        notes=[f"pko: {note}" for note in replay.notes],
        exit_code=4 if replay.damaged else None,
    )  # fmt: skip


def _parts(text: str) -> list[str]:
    parts = [part for part in text.split("/") if part]
    return parts[1:] if parts[:1] == [_ROOT] else parts


def _at(tree: dict[str, Any], path: list[str]) -> Any:
    found: Any = tree
    for depth, name in enumerate(path):
        if not isinstance(found, dict) or name not in found:
            here = "/" + "/".join(path[:depth])
            near = did_you_mean(name, list(found) if isinstance(found, dict) else [])
            raise PkoError(f"nothing is called {name} in {here}{near}")
        found = found[name]
    return found


def _order(name: str) -> tuple[bool, int, str]:
    number = name.isascii() and name.isdigit() and len(name) < 20
    return (not number, int(name) if number else 0, name)


def _children(value: Any) -> list[tuple[str, Any]]:
    if not isinstance(value, dict):
        return []
    return [(name, value[name]) for name in sorted(value, key=_order)]


def _lines(part: Any, path: list[str]) -> Iterator[str]:
    """Names below each other, further in."""
    if not isinstance(part, dict):
        yield f"{_text(path[-1] if path else '', part)}\n"
    stack = [(0, child) for child in reversed(_children(part))]
    while stack:
        depth, (name, value) = stack.pop()
        indent = "  " * depth
        below = _children(value)
        if below or value == {}:
            yield f"{indent}{name.translate(_CONTROLS)}/\n"
            stack += [(depth + 1, child) for child in reversed(below)]
        else:
            shown = f"{name}: {_text(name, value)}".translate(_CONTROLS)
            yield f"{indent}{shown}\n"


def _rows(part: Any, path: list[str]) -> Iterator[tuple[str, object]]:
    stack = [("/" + "/".join(path), part)]
    while stack:
        place, value = stack.pop()
        below = _children(value)
        if below:
            root = place.rstrip("/")
            stack += [(f"{root}/{name}", child) for name, child in reversed(below)]
        elif value != {}:
            yield place, value


def _text(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int) and name.lower().endswith(("time", "timestamp")) and value >= 0:
        return f"{value} ({moment_text(value)})"
    if isinstance(value, list):
        return f"[{', '.join(map(str, value))}]"
    return json.dumps(value)
