"""Znodes as rows, decoded."""

from __future__ import annotations

from pykafka_ops.commands.framework.output import Cells, Column, Table, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.zookeeper.decode import DecodedZnode, decode, plain, summary
from pykafka_ops.commands.zookeeper.znodes import Znode

WIDTH = 100
"""Characters of data that ``-o table`` shows."""
COLUMNS = (
    Column("znode"),
    Column("path", wide=True),
    Column("kind", optional=True),
    Column("version", right=True, wide=True),
    Column("ephemeral", optional=True),
    Column("data"),
    Column("problem", optional=True, bad=bool),
)


def table(run: Run, kind: str, top: str, found: list[Znode], *, indented: bool) -> Table:
    """A row for each; ``indented``: as a tree below ``top``."""
    rows, items = [], []
    for znode in found:
        decoded = decode(znode)
        rows.append(_row(run, top, znode, decoded, indented=indented))
        items.append(item(znode, decoded))
    return Table(kind, COLUMNS, rows_of(COLUMNS, rows), items=items, name="path")


def _row(
    run: Run, top: str, znode: Znode, decoded: DecodedZnode, *, indented: bool
) -> tuple[object, ...]:
    text = summary(decoded.value)
    if text is not None and run.output == "table" and len(text) > WIDTH:
        text = f"{text[: WIDTH - 3]}..."
    name = _indented(top, znode.path) if indented else plain(znode.path)
    version = znode.stat.version if znode.stat else None
    ephemeral = bool(znode.stat and znode.stat.owner)
    kind, problem = decoded.kind or None, decoded.problem or None
    return name, znode.path, kind, version, ephemeral, text, problem


def _indented(top: str, path: str) -> str:
    if path == top:
        return plain(path)
    inside = path[len(top.rstrip("/")) + 1 :].split("/")
    return "  " * len(inside) + plain(inside[-1])


def item(znode: Znode, decoded: DecodedZnode) -> Cells:
    """As JSON shows a znode."""
    return {
        "path": znode.path,
        "kind": decoded.kind or None,
        "value": decoded.value,
        "problem": decoded.problem or None,
        "stat": znode.stat._asdict() if znode.stat else None,
    }
